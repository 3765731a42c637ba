// Equinox's filtered transformations, as tutti has them for every function.
#include "nn/check.hpp"

namespace tutti::testing {
namespace {

struct Model {
  nn::Linear linear{};
  Array table{};  // integers
  nn::Activation activation = tanh;
  int width = 3;
  Array absent{};
  Array operator()(const Array& x) const { return activation(linear(x)) * width + table[0]; }
};
Model make() { return {nn::Linear::init(4, 3, random::key(0)), array({1, 2}), tanh, 3, {}}; }
Array loss(const Model& m, const Array& x) { return mean(square(vmap(m)(x))); }

TEST(Equinox, filter_jit) {
  Array x = random::normal(random::key(1), {5, 4});
  int traces = 0;
  auto f = jit([&](const Model& m, const Array& x, const std::string& mode) {
    ++traces;
    return mode == "loss" ? loss(m, x) : sum(x);
  });
  Model m = make();
  expect_close(f(m, x, "loss"), loss(m, x));
  f(m, x * 2, "loss");
  EXPECT_EQ(traces, 1);  // arrays are traced
  f(m, x, "sum");
  EXPECT_EQ(traces, 2);  // the text is static
  m.activation = sin;
  expect_close(f(m, x, "loss"), loss(m, x));
  EXPECT_EQ(traces, 3);  // and so are the activation and the width
  m.width = 4;
  f(m, x, "loss");
  EXPECT_EQ(traces, 4);

  auto same = [](const Model& m, const Array& x) {
    return std::pair{tree::map([](const Array& a) { return a + 1; }, m), x + 1};
  };
  struct Case {
    Donate donate;
    bool first, second;
  };
  for (Case c :
       {Case{Donate::none, false, false}, {Donate::all, true, true}, {Donate::all_except_first, false, true}}) {
    Model m = make();
    Array y = x + 0;
    jit(same, {.donate = c.donate})(m, y);
    EXPECT_EQ(m.linear.weight.is_deleted(), c.first);
    EXPECT_EQ(y.is_deleted(), c.second);
  }
}

TEST(Equinox, filter_shard) {
  set_cpu_devices(8);
  PositionalSharding sharding(mesh_utils::create_device_mesh({8, 1}));
  Model m = shard(make(), sharding.replicate());
  EXPECT_TRUE(m.linear.weight.committed());
  EXPECT_TRUE(m.linear.weight.is_fully_replicated());
  EXPECT_EQ(m.linear.weight.devices().size(), 8u);
  EXPECT_EQ(m.width, 3);
  EXPECT_FALSE(m.absent.has_value());
  Array x = shard(random::normal(random::key(1), {16, 4}), sharding);
  EXPECT_EQ(x.addressable_shards()[0].data().shape(), (Shape{2, 4}));
  // Inside jit it constrains, and values stay.
  auto f =
      jit([](const Model& m, const Array& x, const PositionalSharding& s) { return shard(vmap(m)(shard(x, s)), s); });
  Array y = f(m, x, sharding);
  EXPECT_TRUE(y.sharding().is_equivalent_to(sharding, 2));
  expect_close(y, vmap(make())(x));
  // One device.
  EXPECT_EQ(shard(make(), SingleDeviceSharding(devices()[3])).linear.bias.devices().count(devices()[3]), 1u);
}

TEST(Equinox, filter_grad) {
  Array x = random::normal(random::key(1), {5, 4});
  Model m = make(), g = grad(loss)(m, x);
  EXPECT_EQ(g.linear.weight.shape(), (Shape{3, 4}));
  EXPECT_FALSE(g.table.has_value());  // integers have no gradient
  EXPECT_FALSE(g.absent.has_value());
  EXPECT_EQ(g.width, 3);
  auto [value, g2] = value_and_grad(loss)(m, x);
  expect_close(value, loss(m, x));
  expect_trees_close(g2, g);
  auto [pair, g3] = value_and_grad([](const Model& m, const Array& x) { return std::pair{loss(m, x), m.table}; })(m, x);
  EXPECT_TRUE(bool(array_equal(pair.second, m.table)));
  expect_trees_close(g3, g);
  expect_gradient([&](const Model& m) { return loss(m, x); }, m);
  EXPECT_THROW(grad([](const Array& i) { return sum(i * 1.5); })(array({1, 2})), TypeError);
}

TEST(Equinox, filter_partition_combine) {
  Model m = make();
  auto [dynamic, rest] = tree::partition(m, is_inexact_array);
  EXPECT_TRUE(dynamic.linear.weight.has_value());
  EXPECT_FALSE(dynamic.table.has_value());
  EXPECT_TRUE(rest.table.has_value());
  EXPECT_FALSE(rest.linear.bias.has_value());
  Model back = tree::combine(dynamic, rest);
  EXPECT_EQ(tree::structure(back), tree::structure(m));
  expect_trees_close(back, m);
  EXPECT_EQ(tree::leaves(tree::filter(m, is_array)).size(), 3u);
  auto biases = tree::filter(m, [](const tree::Path& path, const Array&) { return path.matches("**.bias"); });
  EXPECT_EQ(tree::leaves(biases).size(), 1u);
  // The first that is there wins.
  Model other = tree::map([](const Array& a) { return a * 0; }, m);
  expect_trees_close(tree::combine(dynamic, other).linear, m.linear);
}

TEST(Equinox, apply_updates) {
  Model m = make(), updates = tree::map([](const Array&a) { return a * 2; }, m);
  updates.linear.bias = Array();
  updates.table = Array();
  Model next = optim::apply_updates(m, updates);
  expect_close(next.linear.weight, 3 * m.linear.weight);
  EXPECT_TRUE(bool(array_equal(next.linear.bias, m.linear.bias)));  // no update: the leaf stays
  EXPECT_TRUE(bool(array_equal(next.table, m.table)));
  EXPECT_EQ(next.width, 3);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
