// Rows 55, 65 to 84: host data, looking inside, layers, optimisers, named parameters.
#include <cmath>
#include <sstream>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_55_host_random, DrawsNumpysNumbers) {
  expect_values(data::default_rng(0).normal({4}), {0.125730221f, -0.132104863f, 0.64042265f, 0.104900117f}, 1e-8);
  std::vector<std::int64_t> order = data::default_rng(1).permutation(50), sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  EXPECT_NE(order, sorted);
}

TEST(row_65_inspect_array_sharding, OncePerCompilation) {
  NamedSharding cut(line8(), P("x"));
  Array x = device_put(arange(8.f), cut);
  std::vector<Sharding> seen;
  auto note = [&](const Sharding& s) { seen.push_back(s); };
  debug::inspect_array_sharding(x, note);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0], cut);
  auto f = jit([&](const Array& x) { Array y = sin(x); debug::inspect_array_sharding(y, note); return y; });
  f(x);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen[1].is_equivalent_to(cut, 1));
  f(x);
  EXPECT_EQ(seen.size(), 2u);
  // Under grad the value is inspected, and the gradient is as without.
  auto g = jit(grad([&](const Array& x) { Array y = sin(x); debug::inspect_array_sharding(y, note); return sum(y); }));
  expect_values(g(x), cos(x).to_vector<float>(), 1e-6);
  EXPECT_EQ(seen.size(), 3u);
}

TEST(row_66_timing, PrintsMeanAndDeviation) {
  Timing t{{0.002, 0.0021, 0.0019, 0.002, 0.002}, 5};
  EXPECT_EQ(t.str(), "2 ms ± 63.2 µs per loop (mean ± std. dev. of 5 runs, 5 loops each)");
  Timing slow{{0.001, 0.009}, 1};
  EXPECT_NE(slow.str().find("The slowest run took 9.00 times"), std::string::npos) << slow.str();
  int calls = 0;
  EXPECT_EQ(timeit([&] { ++calls; return arange(3); }, {.runs = 3, .loops = 2}).seconds.size(), 3u);
  EXPECT_EQ(calls, 6);
}

TEST(row_67_print_exception, IsRedAndWrapped) {
  std::ostringstream out;
  print_exception(ValueError("one two three four five six seven eight nine ten eleven twelve thirteen fourteen"), out);
  std::string text = out.str();
  EXPECT_EQ(text.rfind("\x1b[31mValueError\x1b[0m: one two", 0), 0u) << text;
  EXPECT_NE(text.find('\n'), text.size() - 1);   // two lines
}

TEST(row_68_mlp, HasEquinoxsLayers) {
  auto model = nn::MLP::init({.in_size = 4, .out_size = 3, .width_size = 32, .depth = 1}, random::PRNGKey(6789));
  ASSERT_EQ(model.layers.size(), 2u);
  EXPECT_EQ(model.layers[0].weight.shape(), (Shape{32, 4}));
  EXPECT_EQ(model.layers[1].weight.shape(), (Shape{3, 32}));
  Array x = arange(4.f), hidden = nn::relu(matmul(model.layers[0].weight, x) + model.layers[0].bias);
  expect_values(model(x), (matmul(model.layers[1].weight, hidden) + model.layers[1].bias).to_vector<float>(), 1e-6);
  EXPECT_EQ(vmap(model)(ones({5, 4})).shape(), (Shape{5, 3}));
}

TEST(row_69_linear, IsUniformWithinOneOverRootIn) {
  nn::Linear layer = nn::Linear::init(16, 64, random::PRNGKey(0));
  EXPECT_LE(static_cast<float>(max(abs(layer.weight))), 0.25f);
  EXPECT_GT(static_cast<float>(max(abs(layer.weight))), 0.24f);
  EXPECT_LE(static_cast<float>(max(abs(layer.bias))), 0.25f);
  expect_values(layer(zeros({16})), layer.bias.to_vector<float>());
  expect_error<ShapeError>([&] { layer(zeros({15})); }, {"float32[15]"});
}

TEST(row_70_filter_jit, DonatesAll) {
  auto model = nn::MLP::init({.in_size = 2, .out_size = 2}, random::PRNGKey(0));
  auto step = jit([](const nn::MLP& m, const Array& x) { return tree::map([&](const Array& p) { return p + x.sum(); }, m); }, {.donate = Donate::all});
  Array x = ones({2}) + 0;
  nn::MLP next = step(model, x);   // the activation, a function, is static
  EXPECT_TRUE(model.layers[0].weight.is_deleted());
  EXPECT_TRUE(x.is_deleted());
  EXPECT_FALSE(next.layers[0].weight.is_deleted());
}

TEST(row_71_filter_shard, PlacesOrConstrainsByContext) {
  auto model = nn::MLP::init({.in_size = 8, .out_size = 8}, random::PRNGKey(0));
  NamedSharding whole(line8(), P());
  nn::MLP placed = shard(model, whole);
  EXPECT_TRUE(placed.layers[0].weight.committed());
  EXPECT_EQ(placed.activation, model.activation);
  EXPECT_EQ(jit([&](const nn::MLP& m) { return shard(m, whole); })(model).layers[0].weight.sharding(), whole);
  EXPECT_EQ(shard(arange(3), devices()[1]).devices(), std::set<Device>{devices()[1]});
}

TEST(row_72_filter_grad, LeavesWhatIsNotFloating) {
  struct Model { Array w, steps; int width; };
  Model m{array({1.f, 2.f}), arange(3), 7};
  Model g = grad([](const Model& m) { return sum(m.w * m.w) * m.width; })(m);
  expect_values(g.w, {14, 28});
  EXPECT_FALSE(g.steps.has_value());
  EXPECT_EQ(g.width, 7);
  auto [value, gradient] = value_and_grad([](const Model& m) { return sum(m.w); })(m);
  expect_values(value, {3});
}

TEST(row_73_filters, PartitionAndCombine) {
  struct Model { Array w, count; };
  Model m{ones({2}), arange(2)};
  auto [floating, rest] = tree::partition(m, is_inexact_array);
  EXPECT_TRUE(floating.w.has_value());
  EXPECT_FALSE(floating.count.has_value());
  EXPECT_FALSE(rest.w.has_value());
  Model both = tree::combine(floating, rest);
  EXPECT_EQ(both.count.node(), m.count.node());
  EXPECT_FALSE(tree::filter(m, is_inexact_array).count.has_value());
}

TEST(row_74_apply_updates, AddsWhereThereIsSomething) {
  struct Model { Array w, count; };
  Model next = optim::apply_updates(Model{ones({2}), arange(2)}, Model{array({0.5f, -1.f}), Array{}});
  expect_values(next.w, {1.5, 0});
  expect_values<int>(next.count, {0, 1});
}

TEST(row_75_adam, TakesItsFirstStepByTheRate) {
  auto opt = optim::adam(0.1);
  Array p = array({1.f, -2.f});
  auto state = opt.init(p);
  auto [updates, next] = opt.update(array({3.f, -0.5f}), state, p);
  expect_values(updates, {-0.1f, 0.1f}, 1e-6);   // the sign of the gradient, bias corrected
  expect_values<int>(next.count, {1});
  expect_values(next.mu, {0.3f, -0.05f}, 1e-7);
  expect_values(next.nu, {0.009f, 0.00025f}, 1e-8);
}

TEST(row_76_other_optimisers, SgdMomentumAdamw) {
  Array p = array({1.f}), g = array({2.f});
  auto sgd = optim::sgd(0.5);
  expect_values(sgd.update(g, sgd.init(p), p).first, {-1});
  auto adamw = optim::adamw(0.1, {.weight_decay = 0.5});
  expect_values(adamw.update(g, adamw.init(p), p).first, {-0.15f}, 1e-6);
  expect_values(optim::apply_updates(p, array({-0.25f})), {0.75});
}

TEST(row_77_loaders, DropOrKeepTheTail) {
  Array xs = arange(10.f).reshape(10, 1), ys = arange(10);
  std::vector<int> seen;
  for (auto [x, y] : data::batches(std::tuple{xs, ys}, 4, {.shuffle = true, .seed = 3, .drop_last = true})) {
    EXPECT_EQ(x.shape(), (Shape{4, 1}));
    for (int v : y.to_vector<int>()) seen.push_back(v);
    expect_values(x.reshape(4), y.astype(float32).to_vector<float>());   // rows stay together
  }
  EXPECT_EQ(seen.size(), 8u);
  std::vector<std::int64_t> sizes;
  for (auto [x, y] : data::batches(std::tuple{xs, ys}, 4)) sizes.push_back(x.shape(0));
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{4, 4, 2}));
}

struct Net {
  int layers = 2, width = 8;
  Array operator()(linen::Scope& s, Array x) const {
    for (int i = 0; i < layers; ++i) x = nn::relu(s.apply("layers_" + std::to_string(i), linen::Dense{width}, x));
    return s.apply("output_layer", linen::Dense{10}, x);
  }
};

TEST(row_78_module, NamesItsLayers) {
  Dict v = linen::init(Net{}, random::PRNGKey(0), ones({2, 5}));
  std::vector<std::string> names;
  for (const auto& [path, leaf] : tree::leaves_with_path(v)) names.push_back(path.str());
  EXPECT_EQ(names, (std::vector<std::string>{"params.layers_0.bias", "params.layers_0.kernel", "params.layers_1.bias", "params.layers_1.kernel", "params.output_layer.bias",
                                             "params.output_layer.kernel"}));
}

TEST(row_79_dense, IsKernelAndBias) {
  Dict v = linen::init(linen::Dense{4}, random::PRNGKey(0), ones({2, 3}));
  EXPECT_EQ(v["params"]["kernel"].shape(), (Shape{3, 4}));
  expect_values(v["params"]["bias"], {0, 0, 0, 0});
  Array x = arange(6.f).reshape(2, 3);
  expect_values(linen::apply(linen::Dense{4}, v, x).reshape(-1), matmul(x, v["params"]["kernel"]).reshape(-1).to_vector<float>(), 1e-6);
}

TEST(row_80_init_apply, SeparateParametersFromTheModel) {
  Array x = ones({2, 5});
  Dict v = linen::init(Net{}, random::PRNGKey(0), x), again = linen::init(Net{}, random::PRNGKey(0), x);
  EXPECT_EQ(linen::apply(Net{}, v, x).shape(), (Shape{2, 10}));
  EXPECT_TRUE(static_cast<bool>(array_equal(v["params"]["layers_1"]["kernel"], again["params"]["layers_1"]["kernel"])));
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
  expect_values(next.params["params"]["output_layer"]["bias"], std::vector<float>(10, -1e-3f), 1e-8);
}

TEST(row_82_replicate, OneCopyPerDevice) {
  set_cpu_devices(8);
  auto state = linen::replicate(made_state());
  Array kernel = state.params["params"]["layers_0"]["kernel"];
  EXPECT_EQ(kernel.shape(), (Shape{8, 12, 8}));
  EXPECT_EQ(kernel.addressable_shards().size(), 8u);
  EXPECT_EQ(linen::unreplicate(state).params["params"]["layers_0"]["kernel"].shape(), (Shape{12, 8}));
}

TEST(row_83_nested_state, IsReachedByName) {
  auto state = made_state();
  EXPECT_EQ(state.opt_state.mu["params"]["layers_0"]["kernel"].shape(), (Shape{12, 8}));
  const Dict& mu = state.opt_state.mu;   // of a constant dictionary a missing name is an error, of another one a new entry
  expect_error<IndexError>([&] { mu["params"]["layer_0"].shape(); }, {"layer_0", "layers_0"});
}

enum class Mode { jit_single, jit_multi, pmap };
auto make_step(Mode mode) {
  return [mode](auto state, const Array& x, const Array& y) {
    auto [loss, grads] = value_and_grad([&](const Dict& params) { return mean(square(state.apply(params, x) - y)); })(state.params);
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
  auto [multi, multi_loss] = jit(make_step(Mode::jit_multi))(device_put(state, NamedSharding(mesh, P())), device_put(x, cut), device_put(y, cut));
  auto [mapped, losses] = pmap(make_step(Mode::pmap), {.axis_name = "device"})(linen::replicate(state), x.reshape(8, 2, 12), y.reshape(8, 2, 10));
  EXPECT_EQ(static_cast<float>(loss), static_cast<float>(multi_loss));
  EXPECT_EQ(losses.shape(), (Shape{8}));   // not averaged, only the gradients are
  for (const char* layer : {"layers_0", "layers_1", "output_layer"}) {
    std::vector<float> want = single.params["params"][layer]["kernel"].reshape(-1).to_vector<float>();
    expect_values(multi.params["params"][layer]["kernel"].reshape(-1), want);
    expect_values(mapped.params["params"][layer]["kernel"][5].reshape(-1), want, 2e-6);
  }
  EXPECT_TRUE(multi.params["params"]["layers_0"]["kernel"].is_fully_replicated());
}

}  // namespace
}  // namespace tutti::inventory
