// Rows 75 to 84: optimisers, loaders, named parameters, training states. Recorded values: optax 0.2.8, flax 0.12.8, jax
// 0.10.2.
#include <set>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

// The recorded updates of three gradients from (1, -2, 0.5), and the parameters after them.
struct Steps {
  std::vector<std::vector<float>> updates;
  std::vector<float> params;
};
const std::vector<Array>& gradients() {
  static const std::vector<Array> g = {array({2.f, -1.f, .25f}), array({-.5f, 1.f, 3.f}), array({1.f, 1.f, -2.f})};
  return g;
}
template <class Optimiser> auto expect_steps(const Optimiser& opt, const Steps& want) {
  Array p = array({1.f, -2.f, .5f});
  auto state = opt.init(p);
  for (std::size_t i = 0; i < 3; ++i) {
    auto [updates, next] = opt.update(gradients()[i], state, p);
    expect_values(updates, want.updates[i], 1e-7);
    p = optim::apply_updates(p, updates);
    state = next;
  }
  expect_values(p, want.params, 3e-7);
  return state;
}

TEST(row_75_adam, MakesOptaxsSteps) {
  auto state = expect_steps(optim::adam(.1), {{{-0.0999993384f, 0.0999993384f, -0.0999993384f},
                                               {-0.046946343f, -0.00526310783f, -0.0797178596f},
                                               {-0.0605471842f, -0.040221259f, -0.0159572624f}},
                                              {0.792507172f, -1.945485f, 0.304325551f}});
  expect_values<int>(state.count, {3});
  expect_steps(optim::adam(.1, {.nesterov = true}), {{{-0.147367433f, 0.147367433f, -0.147367433f},
                                                      {-0.0115666827f, -0.0559520498f, -0.124457829f},
                                                      {-0.0708430782f, -0.0654258654f, 0.0240451805f}},
                                                     {0.770222783f, -1.97401047f, 0.252219915f}});
  // The first moments: mu = (1 - b1) g, nu = (1 - b2) g^2; the step is the rate, in the gradient's direction.
  auto opt = optim::adam(0.1);
  Array p = array({1.f, -2.f});
  auto [updates, next] = opt.update(array({3.f, -0.5f}), opt.init(p), p);
  expect_values(updates, {-0.1f, 0.1f}, 1e-6);
  expect_values(next.mu, {0.3f, -0.05f}, 1e-7);
  expect_values(next.nu, {0.009f, 0.00025f}, 1e-8);
  // Where there is no gradient there is no state and no update; the state lies as the parameters do.
  struct Model {
    Array w, count;
  };
  Model m{device_put(ones({8}), NamedSharding(line8(), P("x"))), arange(2)};
  auto fresh = opt.init(m);
  EXPECT_EQ(fresh.mu.w.sharding(), m.w.sharding());
  auto [u, after] = opt.update(Model{m.w, Array()}, fresh, m);
  EXPECT_FALSE(u.count.has_value());
  EXPECT_EQ(after.nu.w.sharding(), m.w.sharding());
}

TEST(row_76_other_optimisers, SgdMomentumNesterov) {
  expect_steps(optim::sgd(.1),
               {{{-0.2f, 0.1f, -0.025f}, {0.05f, -0.1f, -0.3f}, {-0.1f, -0.1f, 0.2f}}, {0.75f, -2.1f, 0.375f}});
  auto state = expect_steps(optim::sgd(.1, .9), {{{-0.200000003f, 0.100000001f, -0.0250000004f},
                                                  {-0.129999995f, -0.0100000026f, -0.32249999f},
                                                  {-0.217000008f, -0.109000005f, -0.0902499929f}},
                                                 {0.453000009f, -2.01900005f, 0.0622500107f}});
  expect_values(state.trace, {2.17000008f, 1.09000003f, 0.902499914f}, 3e-7);
  state = expect_steps(optim::sgd(.1, .9, true), {{{-0.379999995f, 0.189999998f, -0.0474999994f},
                                                   {-0.0669999942f, -0.109000005f, -0.590250015f},
                                                   {-0.295300007f, -0.198100001f, 0.11877501f}},
                                                  {0.257700026f, -2.1171f, -0.0189750195f}});
  expect_values(state.trace, {2.17000008f, 1.09000003f, 0.902499914f}, 3e-7);
  // The rate as a function of the step: sgd(lambda c: .1 / (1 + c)).
  expect_steps(optim::sgd([](const Array& count) { return .1f / (1 + count); }),
               {{{-0.2f, 0.1f, -0.025f}, {0.025f, -0.05f, -0.15f}, {-0.0333333351f, -0.0333333351f, 0.0666666701f}},
                {0.791666627f, -1.98333323f, 0.391666651f}});
}

TEST(row_76_other_optimisers, AdamwDecaysWhereTheMaskHolds) {
  const Steps decayed = {{{-0.149999335f, 0.199999332f, -0.124999337f},
                          {-0.0894463807f, 0.0847369283f, -0.0984678864f},
                          {-0.0985748991f, 0.0455419272f, -0.029783899f}},
                         {0.661979437f, -1.66972184f, 0.246748865f}};
  expect_steps(optim::adamw(.1, {.weight_decay = .5}), decayed);
  // adamw(.1, weight_decay=.5, mask={'w': True, 'b': False}): b as adam has it.
  auto opt = optim::adamw(.1, {.weight_decay = .5, .mask = {{"w", true}, {"b", false}}});
  const Array start = array({1.f, -2.f, .5f});
  Dict p{{"w", start}, {"b", start}};
  auto state = opt.init(p);
  for (const Array& g : gradients()) {
    auto [updates, next] = opt.update(Dict{{"w", g}, {"b", g}}, state, p);
    p = optim::apply_updates(p, updates);
    state = next;
  }
  expect_values(p["w"], decayed.params, 3e-7);
  expect_values(p["b"], {0.792507172f, -1.945485f, 0.304325551f}, 3e-7);
  expect_error<ValueError>([&] { opt.update(p, state); }, {"weight decay", "needs the parameters", "training.cpp:"});
}

TEST(row_77_loaders, DropOrKeepTheTail) {
  Array xs = arange(10.f).reshape(10, 1), ys = arange(10);
  std::vector<int> seen;
  for (auto [x, y] : data::batches(std::tuple{xs, ys}, 4, {.shuffle = true, .seed = 3, .drop_last = true})) {
    EXPECT_EQ(x.shape(), (Shape{4, 1}));
    for (int v : y.to_vector<int>()) seen.push_back(v);
    expect_values(x.reshape(4), y.astype(float32).to_vector<float>());  // rows stay together
  }
  EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), 8u);
  std::vector<std::int64_t> sizes;
  std::vector<int> in_order;
  for (auto [x, y] : data::batches(std::tuple{xs, ys}, 4)) {
    sizes.push_back(x.shape(0));
    for (int v : y.to_vector<int>()) in_order.push_back(v);
  }
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{4, 4, 2}));
  EXPECT_EQ(in_order, ys.to_vector<int>());
}

TEST(row_77_loaders, ShuffleEveryEpoch) {
  Array ys = arange(32);
  auto epochs = [&](data::Batches<Array> loader) {
    std::vector<std::vector<int>> out;
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::vector<int> order;
      for (const Array& y : loader)
        for (int v : y.to_vector<int>()) order.push_back(v);
      EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), 32u);
      out.push_back(order);
    }
    return out;
  };
  auto first = epochs(data::batches(ys, 8, {.shuffle = true, .seed = 1}));
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[1], first[2]);
  EXPECT_NE(first[0], ys.to_vector<int>());
  EXPECT_EQ(first, epochs(data::batches(ys, 8, {.shuffle = true, .seed = 1})));
  EXPECT_NE(first[0], epochs(data::batches(ys, 8, {.shuffle = true, .seed = 2}))[0]);
  for (const auto& order : epochs(data::batches(ys, 8))) EXPECT_EQ(order, ys.to_vector<int>());
}

struct Net {
  int layers = 2, width = 8, out = 10;
  Array operator()(linen::Scope& s, Array x) const {
    for (int i = 0; i < layers; ++i) x = nn::relu(s.apply("layers_" + std::to_string(i), linen::Dense{width}, x));
    return s.apply("output_layer", linen::Dense{out}, x);
  }
};

TEST(row_78_module, NamesItsLayers) {
  Dict v = linen::init(Net{}, random::PRNGKey(0), ones({2, 5}));
  std::vector<std::string> names;
  for (const auto& [path, leaf] : tree::leaves_with_path(v)) names.push_back(path.str());
  EXPECT_EQ(names, (std::vector<std::string>{"params.layers_0.bias", "params.layers_0.kernel", "params.layers_1.bias",
                                             "params.layers_1.kernel", "params.output_layer.bias",
                                             "params.output_layer.kernel"}));
  // As text: layers_10 comes before layers_2.
  std::vector<std::string> many =
      linen::init(Net{.layers = 11, .width = 1}, random::PRNGKey(0), ones({1, 1}))["params"].keys();
  EXPECT_EQ(many[1], "layers_1");
  EXPECT_EQ(many[2], "layers_10");
  EXPECT_EQ(many[3], "layers_2");
}

// flax.linen.Dense(4).init(PRNGKey(0), ones((2, 3))), and its value at arange(6).
TEST(row_79_dense, HasFlaxsKernel) {
  Dict v = linen::init(linen::Dense{4}, random::PRNGKey(0), ones({2, 3}));
  EXPECT_EQ(v["params"]["kernel"].shape(), (Shape{3, 4}));
  expect_values(v["params"]["kernel"],
                {0.0476987138f, -0.952283204f, -0.985688627f, 0.442832768f, 0.702222884f, 0.530186534f, 0.105425045f,
                 0.534270644f, 0.530708611f, -0.144386232f, 0.708531916f, 0.399958163f},
                3e-7);
  expect_values(v["params"]["bias"], {0, 0, 0, 0});
  const std::vector<float> y = {1.76364017f, 0.24141407f,  1.52248883f, 1.33418703f,
                                5.60553074f, -1.45803475f, 1.00729394f, 5.46537161f};
  expect_values(linen::apply(linen::Dense{4}, v, arange(6.f).reshape(2, 3)), y, 2e-6);
  expect_values(linen::apply(linen::Dense{4}, v, arange(6).reshape(2, 3)), y, 2e-6);  // integers become floats
  EXPECT_EQ(linen::apply(linen::Dense{4}, v, ones({5, 7, 3})).shape(), (Shape{5, 7, 4}));
  v["params"]["bias"] = array({1.f, 2.f, 3.f, 4.f});
  expect_values(linen::apply(linen::Dense{4}, v, zeros({3})), {1, 2, 3, 4});
  expect_error<ShapeError>([&] { linen::apply(linen::Dense{4}, v, ones({2, 5})); }, {"kernel", "(3, 4)"});
}

// The same network in flax (Dense layers in a list made by setup): init(PRNGKey(0), ones((2, 2))), and its value.
TEST(row_80_init_apply, SeparateParametersFromTheModel) {
  const Net net{.layers = 2, .width = 3, .out = 2};
  Array x = array({{1.f, 2.f}, {-.5f, .25f}});
  Dict v = linen::init(net, random::PRNGKey(0), ones({2, 2}));
  expect_values(v["params"]["layers_0"]["kernel"],
                {1.34266126f, 1.19405973f, -0.315764695f, -0.81655401f, -0.20529072f, -0.791112065f}, 3e-7);
  expect_values(v["params"]["layers_1"]["kernel"],
                {-0.682869911f, -0.235407993f, -0.624168038f, 1.24336386f, 0.341787875f, 0.0328123383f, 0.23422572f,
                 0.521891236f, 1.15578938f},
                3e-7);
  expect_values(v["params"]["output_layer"]["kernel"],
                {-0.505708992f, 0.781557143f, -0.389948368f, 0.0526105054f, 0.185365543f, -0.579522848f}, 3e-7);
  expect_values(linen::apply(net, v, x), {-0.59229207f, 0.76054275f, 0, 0}, 1e-6);
  // The parameters are an argument: other ones, another result; the key decides.
  Dict none_of_it = tree::map([](const Array& p) { return zeros_like(p); }, v);
  expect_values(linen::apply(net, none_of_it, x), {0, 0, 0, 0});
  EXPECT_FALSE(static_cast<bool>(array_equal(linen::init(net, random::PRNGKey(1), x)["params"]["layers_1"]["kernel"],
                                             v["params"]["layers_1"]["kernel"])));
  v["params"].erase("layers_1");
  expect_error<ValueError>([&] { linen::apply(net, v, x); }, {"layers_1", "kernel"});
}

auto made_state(double rate = 1e-3) {
  Array x = ones({16, 12});
  return linen::TrainState::create(Net{}, linen::init(Net{}, random::PRNGKey(0), x), optim::adam(rate));
}

TEST(row_81_train_state, StepsForward) {
  auto state = made_state();
  auto grads = tree::map([](const Array& p) { return ones_like(p); }, state.params);
  auto next = state.apply_gradients(grads);
  EXPECT_EQ(static_cast<int>(next.step), 1);
  EXPECT_EQ(static_cast<int>(state.step), 0);
  EXPECT_EQ(static_cast<int>(next.apply_gradients(grads).step), 2);
  expect_values(next.params["params"]["output_layer"]["bias"], std::vector<float>(10, -1e-3f), 1e-8);
  expect_values(state.params["params"]["output_layer"]["bias"], std::vector<float>(10, 0.f));  // a new object
  expect_values(next.opt_state.mu["params"]["output_layer"]["bias"], std::vector<float>(10, .1f), 1e-8);
  // flax: Dense(2), key(0), x = y = ones((1, 2)), mean(0.5 (pred - y)^2), one step of adam(1e-3).
  Array x = ones({1, 2});
  auto dense =
      linen::TrainState::create(linen::Dense{2}, linen::init(linen::Dense{2}, random::key(0), x), optim::adam(1e-3));
  auto loss = [&](const Dict& params) { return mean(0.5f * square(dense.apply(params, x) - x)); };
  auto [before, gradient] = value_and_grad(loss)(dense.params);
  expect_values(before, {1.81363463f}, 5e-7);
  expect_values(loss(dense.apply_gradients(gradient).params), {1.80797958f}, 5e-7);
}

TEST(row_82_replicate, OneCopyPerDevice) {
  set_cpu_devices(8);
  auto state = made_state(), copies = linen::replicate(state);
  Array kernel = copies.params["params"]["layers_0"]["kernel"], one = state.params["params"]["layers_0"]["kernel"];
  EXPECT_EQ(kernel.shape(), (Shape{8, 12, 8}));
  std::vector<Shard> shards = kernel.addressable_shards();
  ASSERT_EQ(shards.size(), 8u);
  for (std::int64_t i = 0; i < 8; ++i) {
    const Shard& s = shards[static_cast<std::size_t>(i)];  // element i, and nothing else, on device i
    EXPECT_EQ(s.device.id(), i);
    EXPECT_EQ(s.replica_id, 0);
    EXPECT_EQ(s.index[0], (std::pair{i, i + 1}));
    EXPECT_EQ(s.data().shape(), (Shape{1, 12, 8}));
    expect_values(s.data(), one.to_vector<float>());
  }
  EXPECT_FALSE(kernel.is_fully_replicated());
  EXPECT_EQ(copies.step.shape(), (Shape{8}));
  EXPECT_EQ(copies.opt_state.count.shape(), (Shape{8}));
  auto back = linen::unreplicate(copies);
  std::vector<Array> want = tree::leaves(state), got = tree::leaves(back);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(static_cast<bool>(array_equal(got[i], want[i])));
  // On chosen devices; unreplicate takes element 0, whatever the others hold.
  Array two = linen::replicate(arange(3), {devices()[5], devices()[2]});
  EXPECT_EQ(two.addressable_shards()[0].device.id(), 5);
  expect_values<int>(linen::unreplicate(pmap([](const Array& x) { return x + lax::axis_index("i"); },
                                             {.axis_name = "i"})(linen::replicate(arange(3)))),
                     {0, 1, 2});
}

TEST(row_83_nested_state, IsReachedByName) {
  auto state = made_state();
  EXPECT_EQ(state.opt_state.mu["params"]["layers_0"]["kernel"].shape(), (Shape{12, 8}));
  expect_values(state.opt_state.mu["params"]["layers_0"]["kernel"], std::vector<float>(96, 0.f));
  // A misspelt name is an error that lists the names, however it is read, and does no harm.
  Dict& mu = state.opt_state.mu;
  const Dict& constant = mu;
  const std::initializer_list<std::string_view> facts = {"'layer_0'", "'layers_0'", "'layers_1'", "'output_layer'",
                                                         "training.cpp:"};
  expect_error<IndexError>([&] { mu["params"]["layer_0"]["kernel"].shape(); }, facts);
  expect_error<IndexError>([&] { constant["params"]["layer_0"]["kernel"].shape(); }, facts);
  expect_error<IndexError>([&] { (void)(mu["params"]["layer_0"]["kernel"] * 2); }, facts);
  expect_error<IndexError>([&] { sum(mu["params"]["layer_0"]); }, facts);
  expect_error<IndexError>([&] { Dict copy = mu["params"]["layer_0"]; }, facts);
  expect_error<IndexError>(
      [&] {
        Array kernel = mu["params"]["layer_0"]["kernel"];
        kernel.to_vector<float>();
      },
      facts);
  expect_error<IndexError>(
      [&] {
        for (auto& [key, value] : mu["params"]["layer_0"]) ADD_FAILURE() << key << value;
      },
      facts);
  expect_error<IndexError>([&] { mu["params"]["dense"] = mu["params"]["layer_0"]; }, facts);
  expect_error<IndexError>([&] { tree::leaves(mu["params"]["layer_0"]); }, facts);
  expect_error<IndexError>([&] { linen::apply(Net{}, state.params["parms"], ones({1, 12})); }, {"'parms'", "'params'"});
  EXPECT_FALSE(mu["params"]["layer_0"].has_value());  // one may ask
  EXPECT_FALSE(mu["params"].contains("layer_0"));
  EXPECT_EQ(mu["params"].size(), 3);
  EXPECT_EQ(tree::structure(mu), tree::structure(made_state().opt_state.mu));
  auto grads = tree::map([](const Array& p) { return ones_like(p); }, state.params);
  EXPECT_EQ(static_cast<int>(jit([](auto s, const Dict& g) { return s.apply_gradients(g); })(state, grads).step), 1);
  // Entries come into being by assignment.
  mu["params"]["layer_0"]["kernel"] = ones({2});
  expect_values(mu["params"]["layer_0"]["kernel"], {1, 1});
  EXPECT_EQ(mu["params"].size(), 4);
  expect_error<IndexError>([&] { mu["params"]["layer_0"]["bias"].shape(); }, {"'bias'", "'kernel'"});
  expect_error<TypeError>([&] { mu["params"]["layer_0"]["kernel"]["x"].shape(); }, {"'x'", "float32", "(2,)"});
}

enum class Mode { jit_single, jit_multi, pmap };
auto make_step(Mode mode) {
  return [mode](auto state, const Array& x, const Array& y) {
    auto [loss, grads] =
        value_and_grad([&](const Dict& params) { return mean(square(state.apply(params, x) - y)); })(state.params);
    if (mode == Mode::pmap) grads = lax::pmean(grads, "device");
    return std::pair{state.apply_gradients(grads), loss};
  };
}

TEST(row_84_three_modes, MakeTheSameUpdate) {
  set_cpu_devices(8);
  Array x = sin(arange(192.f)).reshape(16, 12), y = ones({16, 10}, int32);
  auto state = made_state();
  auto [single, loss] = jit(make_step(Mode::jit_single))(state, x, y);
  Mesh mesh(devices(), "data");
  NamedSharding cut(mesh, P("data"));
  auto [multi, multi_loss] = jit(make_step(Mode::jit_multi))(device_put(state, NamedSharding(mesh, P())),
                                                             device_put(x, cut), device_put(y, cut));
  auto [mapped, losses] = pmap(make_step(Mode::pmap), {.axis_name = "device"})(
      linen::replicate(state), x.reshape(8, 2, 12), y.reshape(8, 2, 10));
  EXPECT_EQ(static_cast<float>(loss), static_cast<float>(multi_loss));
  EXPECT_EQ(losses.shape(), (Shape{8}));  // not averaged, only the gradients are
  for (const char* layer : {"layers_0", "layers_1", "output_layer"}) {
    std::vector<float> want = single.params["params"][layer]["kernel"].reshape(-1).to_vector<float>();
    expect_values(multi.params["params"][layer]["kernel"].reshape(-1), want);
    expect_values(mapped.params["params"][layer]["kernel"][5].reshape(-1), want, 2e-6);
  }
  EXPECT_TRUE(multi.params["params"]["layers_0"]["kernel"].is_fully_replicated());
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
