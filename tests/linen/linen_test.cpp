// Modules with named variables: Flax's names, keys and training loop.
#include <fmt/format.h>

#include "linen/sha1.hpp"
#include "nn/check.hpp"

namespace tutti::testing {
namespace {

// The document's module.
struct MLP {
  int n_layers, hidden_dim, output_dim;
  Array operator()(linen::Scope& s, Array x) const {
    for (int i = 0; i < n_layers; ++i) x = nn::relu(s.apply(fmt::format("layers_{}", i), linen::Dense{hidden_dim}, x));
    return s.apply("output_layer", linen::Dense{output_dim}, x);
  }
};
Array batch(int n = 6, int features = 3) { return random::normal(random::key(4), {n, features}); }

std::vector<std::string> paths(const Dict& d) {
  std::vector<std::string> out;
  for (auto& [path, leaf] : tree::leaves_with_path(d)) out.push_back(path.str());
  return out;
}

TEST(Flax, module_names) {
  Dict v = linen::init(MLP{11, 2, 1}, random::key(0), batch());
  std::vector<std::string> names = v["params"].keys();
  ASSERT_EQ(names.size(), 12u);
  EXPECT_EQ(names[1], "layers_1");
  EXPECT_EQ(names[2], "layers_10");  // sorted as text
  EXPECT_EQ(names[11], "output_layer");
  // Without names: class and count; the same name again shares the parameters.
  struct Compact {
    Array operator()(linen::Scope& s, const Array& x) const {
      Array h = s.apply(linen::Dense{3}, s.apply(linen::Dense{3}, x));
      return s.apply("shared", linen::Dense{3}, s.apply("shared", linen::Dense{3}, s.apply(linen::LayerNorm{}, h)));
    }
  };
  EXPECT_EQ(linen::init(Compact{}, random::key(0), batch())["params"].keys(),
            (std::vector<std::string>{"Dense_0", "Dense_1", "LayerNorm_0", "shared"}));
  // A parameter of a user's own, and modules in modules.
  struct Scale {
    Array operator()(linen::Scope& s, const Array& x) const {
      return x * s.param("factor", linen::initializers::constant(2), {x.shape(-1)});
    }
  };
  struct Outer {
    Array operator()(linen::Scope& s, const Array& x) const {
      return s.apply("inner", Scale{}, s.apply("mlp", MLP{1, 2, 3}, x));
    }
  };
  EXPECT_EQ(paths(linen::init(Outer{}, random::key(0), batch())),
            (std::vector<std::string>{"params.inner.factor", "params.mlp.layers_0.bias", "params.mlp.layers_0.kernel",
                                      "params.mlp.output_layer.bias", "params.mlp.output_layer.kernel"}));
}

TEST(Flax, Dense) {
  // The published numbers of the fourth document's first layer.
  each_layout([](bool layout) {
    Array key = linen::detail::fold_in_path(random::PRNGKey(0), {"layers_0"}, 1);
    EXPECT_EQ(key.to_vector<std::uint32_t>(), (std::vector<std::uint32_t>{2492339885u, 3892384954u}));
    Dict v = linen::init(MLP{1, 2056, 1}, random::PRNGKey(0), ones({1, 1024}));
    expect_close(v["params"]["layers_0"]["kernel"](0, slice(0, 4)),
                 layout ? std::vector<float>{.059337806f, .052770484f, -.01395496f, -.036086928f}
                        : std::vector<float>{.018903807f, .0647915f, .05073997f, .03849465f});
    // linen.Dense(2) on ones, adam(1e-3): the first two losses.
    Dict one = linen::init(linen::Dense{2}, random::key(0), ones({1, 2}));
    auto loss = [](const Dict& v) {
      return mean(0.5 * square(linen::apply(linen::Dense{2}, v, ones({1, 2})) - ones({1, 2})));
    };
    auto opt = optim::adam(1e-3);
    auto [l0, g] = value_and_grad(loss)(one);
    Dict next = optim::apply_updates(one, opt.update(g, opt.init(one)).first);
    EXPECT_NEAR(float(l0), layout ? 1.8136346 : 3.3514675, 2e-6);
    EXPECT_NEAR(float(loss(next)), layout ? 1.8079796 : 3.3438439, 2e-6);
  });
  EXPECT_EQ(linen::sha1("abc")[0], 0xA9993E36u);
  EXPECT_EQ(linen::sha1(std::string(200, 'a'))[0], 0xE61CFFFEu);
  Array ints = array({{1, 2, 3}});
  EXPECT_EQ(linen::init_with_output(linen::Dense{2}, random::key(0), ints).first.dtype(), float32);
  EXPECT_EQ(linen::init_with_output(linen::Dense{2}, random::key(0), ones({2, 5, 3})).first.shape(), (Shape{2, 5, 2}));
}

TEST(Flax, init_and_apply) {
  MLP m{2, 4, 2};
  Array x = batch();
  Dict v = linen::init(m, random::key(0), x);
  EXPECT_EQ(paths(v)[0], "params.layers_0.bias");
  EXPECT_EQ(v["params"]["layers_1"]["kernel"].shape(), (Shape{4, 4}));
  auto [y, same] = linen::init_with_output(m, random::key(0), x);
  expect_trees_close(same, v);
  expect_close(linen::apply(m, v, x), y);
  expect_close(jit([&](const Dict& v, const Array& x) { return linen::apply(m, v, x); })(v, x), y);
  expect_trees_close(jit([&](const Array& key) { return linen::init(m, key, x); })(random::key(0)), v);
  expect_close(vmap([&](const Array& row) { return linen::apply(m, v, row); })(x), y);
  expect_gradient([&](const Dict& v) { return sum(sin(linen::apply(m, v, x))); }, v);
  EXPECT_THROW(linen::apply(m, Dict(), x), ValueError);
  EXPECT_THROW(linen::apply(m, v, ones({2, 7})), ShapeError);
}

TEST(Linen, LayersWithStateAndKeys) {
  struct Net {
    bool train;
    Array operator()(linen::Scope& s, const Array& x) const {
      Array h = s.apply("norm", linen::BatchNorm{.use_running_average = !train, .momentum = .5}, x);
      return s.apply("drop", linen::Dropout{.rate = .5, .deterministic = !train}, h);
    }
  };
  Array x = batch(64) * 3 + 1;
  Dict v = linen::init(Net{true}, linen::Rngs{{"params", random::key(0)}, {"dropout", random::key(1)}}, x);
  EXPECT_EQ(paths(v), (std::vector<std::string>{"batch_stats.norm.mean", "batch_stats.norm.var", "params.norm.bias",
                                                "params.norm.scale"}));
  auto [y, changed] = linen::apply_mutable(
      Net{true}, v, {.rngs = {{"dropout", random::key(2)}}, .mutable_collections = {"batch_stats"}}, x);
  expect_close(changed["batch_stats"]["norm"]["mean"], .5f * mean(x, 0));
  expect_close(changed["batch_stats"]["norm"]["var"], .5f + .5f * var(x, 0), 1e-4);
  EXPECT_NEAR(float(mean(y == 0)), .5, .15);
  EXPECT_THROW(linen::apply(Net{true}, v, x), ValueError);  // no key for dropout
  Array still = linen::apply(Net{false}, v, x);
  expect_close(still, x / std::sqrt(1 + 1e-5));
  // Two calls of dropout draw different keys.
  struct Twice {
    Array operator()(linen::Scope& s, const Array& x) const {
      return s.apply(linen::Dropout{}, x) - s.apply(linen::Dropout{}, x);
    }
  };
  EXPECT_TRUE(bool(any(
      linen::apply(Twice{}, Dict(), linen::ApplyOptions{.rngs = {{"dropout", random::key(0)}}}, ones({100})) != 0)));
  Dict g = linen::init(linen::GroupNorm{.num_groups = 3}, random::key(0), x);
  Array normed = linen::apply(linen::GroupNorm{.num_groups = 1}, g, x);
  expect_close(normed, linen::apply(linen::LayerNorm{}, g, x));
  expect_close(linen::init_with_output(linen::RMSNorm{}, random::key(0), x).first,
               x / sqrt(mean(square(x), -1, true) + 1e-6));
}

TEST(Flax, TrainState) {
  MLP m{2, 4, 2};
  Array x = batch(), y = random::normal(random::key(5), {6, 2});
  auto state = linen::TrainState::create(m, linen::init(m, random::PRNGKey(0), x), optim::adam(1e-2));
  EXPECT_EQ(int(state.step), 0);
  auto loss_fn = [&](const Dict& params) { return mean(square(state.apply(params, x) - y)); };
  auto opt = optim::adam(1e-2);
  Dict params = state.params;
  auto opt_state = opt.init(params);
  const auto first = state;
  auto step = jit([&](const auto& s, const Array& x, const Array& y) {
    auto [l, g] = value_and_grad([&](const Dict& p) { return mean(square(s.apply(p, x) - y)); })(s.params);
    return std::pair{s.apply_gradients(g), l};
  });
  float before = float(loss_fn(state.params));
  for (int i = 0; i < 20; ++i) {
    auto [updates, next] = opt.update(grad(loss_fn)(params), opt_state, params);
    opt_state = next;
    params = optim::apply_updates(params, updates);
    auto [s, l] = step(state, x, y);
    state = s;
  }
  EXPECT_EQ(int(state.step), 20);
  EXPECT_EQ(step.cache_size(), 1u);  // model and optimiser are static and stay the same
  expect_trees_close(state.params, params, 1e-4);
  expect_trees_close(state.opt_state, opt_state, 1e-4);
  EXPECT_EQ(int(first.step), 0);  // a new object each time
  EXPECT_LT(float(loss_fn(state.params)), before);
}

TEST(Documents, jax_utils_replicate) {
  set_cpu_devices(8);
  std::vector<Device> all = devices();
  all.resize(8);
  Dict d{{"a", random::normal(random::key(0), {3, 2})}, {"b", Dict{{"step", Array(4)}}}};
  Dict r = linen::replicate(d, all);
  EXPECT_EQ(r["a"].shape(), (Shape{8, 3, 2}));
  EXPECT_EQ(r["b"]["step"].shape(), (Shape{8}));
  for (const auto& shard : r["a"].addressable_shards()) EXPECT_TRUE(bool(array_equal(shard.data()[0], d["a"])));
  EXPECT_EQ(r["a"].addressable_shards().size(), 8u);
  expect_trees_close(linen::unreplicate(r), d);
}

TEST(Documents, nested_access_of_the_optimiser_state) {
  MLP m{1, 2056, 1};
  auto state = linen::TrainState::create(m, linen::init(m, random::PRNGKey(0), ones({1, 1024})), optim::adam(1e-4));
  EXPECT_EQ(state.opt_state.mu["params"]["layers_0"]["kernel"].shape(), (Shape{1024, 2056}));
}

TEST(Documents, three_modes_with_one_step_function) {
  set_cpu_devices(8);
  MLP m{2, 16, 2};
  Array x = random::normal(random::key(1), {16, 8}), y = random::normal(random::key(2), {16, 2});
  auto start = linen::TrainState::create(m, linen::init(m, random::PRNGKey(0), x), optim::adam(1e-2));
  using State = decltype(start);
  auto step_for = [](bool mapped) {
    return [mapped](const State& state, const Array& x, const Array& y) {
      auto [loss, grads] =
          value_and_grad([&](const Dict& params) { return mean(square(state.apply(params, x) - y)); })(state.params);
      if (mapped) {
        grads = lax::pmean(grads, "device");
        loss = lax::pmean(loss, "device");
      }
      return std::pair{state.apply_gradients(grads), loss};
    };
  };
  auto run = [&](auto step, State state, const Array& x, const Array& y) {
    for (int i = 0; i < 5; ++i) state = step(state, x, y).first;
    return state;
  };
  State single = run(jit(step_for(false)), start, x, y);
  Mesh mesh = make_mesh({8}, {"data"});
  NamedSharding data(mesh, P("data")), everywhere(mesh, P());
  State multi = run(jit(step_for(false)), device_put(start, everywhere), device_put(x, data), device_put(y, data));
  EXPECT_TRUE(multi.params["params"]["layers_0"]["kernel"].is_fully_replicated());
  expect_trees_close(multi.params, single.params, 1e-4);
  std::vector<Device> all = devices();
  all.resize(8);
  State mapped = run(pmap(step_for(true), {.axis_name = "device"}), linen::replicate(start, all), x.reshape(8, 2, 8),
                     y.reshape(8, 2, 2));
  expect_trees_close(linen::unreplicate(mapped).params, single.params, 1e-4);
  EXPECT_EQ(int(linen::unreplicate(mapped).step), 5);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
