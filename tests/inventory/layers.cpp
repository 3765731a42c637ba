// Rows 55, 65, 68 to 74: host data, looking inside, layers, filters. Recorded values: numpy 2, equinox 0.13.8, jax
// 0.10.2.
#include <cmath>
#include <sstream>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_55_host_random, DrawsNumpysNumbers) {
  expect_values(data::default_rng(0).normal({4}), {0.125730221f, -0.132104863f, 0.64042265f, 0.104900117f}, 1e-8);
  expect_values(data::default_rng(5).normal({3}, 2, 0.5), {1.59903429f, 1.3378205f, 1.87581919f},
                1e-7);  // default_rng(5).normal(2, .5, 3)
  expect_values(data::default_rng(0).uniform({3}), {0.636961687f, 0.269786714f, 0.0409735239f},
                1e-7);  // default_rng(0).random(3)
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
  auto f = jit([&](const Array& x) {
    Array y = sin(x);
    debug::inspect_array_sharding(y, note);
    return y;
  });
  f(x);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen[1].is_equivalent_to(cut, 1));
  f(x);
  EXPECT_EQ(seen.size(), 2u);
  // Under grad the value is inspected, and the gradient is as without.
  auto g = jit(grad([&](const Array& x) {
    Array y = sin(x);
    debug::inspect_array_sharding(y, note);
    return sum(y);
  }));
  expect_values(g(x), cos(x).to_vector<float>(), 1e-6);
  EXPECT_EQ(seen.size(), 3u);
  // A tree: once per array, in its order. vmap: the values of all rows, with the mapped dim in front.
  NamedSharding whole(line8(), P()), rows(line8(), P("x", none));
  seen.clear();
  debug::inspect_array_sharding(std::pair{std::vector<Array>{x, Array()}, device_put(x, whole)}, note);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], cut);
  EXPECT_EQ(seen[1], whole);
  seen.clear();
  auto each = vmap([&](const Array& row) {
    debug::inspect_array_sharding(row, note);
    return row * 2;
  });
  Array y = device_put(arange(16.f).reshape(8, 2), rows);
  each(y);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_TRUE(seen[0].is_equivalent_to(rows, 2)) << seen[0];
  jit(each)(y);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen[1].is_equivalent_to(rows, 2)) << seen[1];
}

// equinox.nn.MLP(3, 2, 4, 2, key=PRNGKey(6789)): layers' weights and biases, and its value at x.
TEST(row_68_mlp, HasEquinoxsLayers) {
  auto model = nn::MLP::init({.in_size = 3, .out_size = 2, .width_size = 4, .depth = 2}, random::PRNGKey(6789));
  const std::vector<std::pair<Shape, std::vector<float>>> weights = {
      {{4, 3},
       {-0.0866551772f, -0.394322425f, 0.497059375f, -0.153526187f, 0.320804387f, -0.145644844f, -0.203066245f,
        -0.31035006f, 0.391909271f, -0.225631237f, 0.20861949f, 0.360772043f}},
      {{4, 4},
       {-0.104027033f, -0.321256518f, 0.353091955f, 0.308478117f, -0.123725295f, -0.0970852375f, 0.201338172f,
        -0.244770646f, -0.0518516302f, -0.184794903f, 0.199190974f, -0.320795655f, 0.0212227106f, -0.414217949f,
        0.474229813f, -0.0240770578f}},
      {{2, 4},
       {-0.114841819f, -0.483198166f, 0.0255050659f, -0.228457689f, 0.0623655319f, 0.436785698f, -0.00680303574f,
        0.150555015f}}};
  const std::vector<std::vector<float>> biases = {{0.193917677f, 0.489755601f, -0.218027398f, -0.40592739f},
                                                  {0.126530528f, -0.278585792f, 0.0974748135f, -0.497814298f},
                                                  {-0.164267182f, 0.195386171f}};
  ASSERT_EQ(model.layers.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(model.layers[i].weight.shape(), weights[i].first);
    expect_values(model.layers[i].weight, weights[i].second);
    expect_values(model.layers[i].bias, biases[i]);
  }
  Array x = array({.1f, -.2f, .3f});
  expect_values(model(x), {-0.164055198f, 0.195329621f}, 1e-7);
  Array rows = stack({x, -x, x * 2}), mapped = vmap(model)(rows);
  for (int i = 0; i < 3; ++i) expect_values(mapped[i], model(rows[i]).to_vector<float>(), 1e-6);
  // Depth 0 is one layer, of the first key.
  auto flat = nn::MLP::init({.in_size = 3, .out_size = 2, .width_size = 4, .depth = 0}, random::PRNGKey(6789));
  ASSERT_EQ(flat.layers.size(), 1u);
  expect_values(flat.layers[0].weight,
                {-0.0866551772f, -0.394322425f, 0.497059375f, -0.153526187f, 0.320804387f, -0.145644844f});
  // MLP(2, 2, 3, 1, activation=tanh, final_activation=sigmoid, use_bias=False, use_final_bias=True)
  auto odd = nn::MLP::init({.in_size = 2,
                            .out_size = 2,
                            .width_size = 3,
                            .depth = 1,
                            .activation = tutti::tanh,
                            .final_activation = nn::sigmoid,
                            .use_bias = false},
                           random::PRNGKey(6789));
  EXPECT_FALSE(odd.layers[0].bias.has_value());
  expect_values(odd(array({1.f, -1.f})), {0.516920924f, 0.414361238f}, 1e-7);
}

// equinox.nn.Linear(3, 2, key=PRNGKey(1))
TEST(row_69_linear, IsUniformWithinOneOverRootIn) {
  nn::Linear layer = nn::Linear::init(3, 2, random::PRNGKey(1));
  const std::vector<float> weight = {0.233959943f,  -0.306186557f, 0.367038339f,
                                     -0.379964471f, -0.546926498f, 0.487987339f};
  EXPECT_EQ(layer.weight.shape(), (Shape{2, 3}));
  expect_values(layer.weight, weight);
  expect_values(layer.bias, {-0.111259609f, 0.0564590842f});
  expect_values(layer(array({1.f, 0.f, 0.f})), {0.233959943f - 0.111259609f, -0.379964471f + 0.0564590842f}, 1e-7);
  nn::Linear bare = nn::Linear::init(3, 2, random::PRNGKey(1), false);  // the key is split all the same
  EXPECT_FALSE(bare.bias.has_value());
  expect_values(bare.weight, weight);
  nn::Linear wide = nn::Linear::init(16, 64, random::PRNGKey(0));
  EXPECT_LE(static_cast<float>(max(abs(wide.weight))), 0.25f);
  EXPECT_GT(static_cast<float>(max(abs(wide.weight))), 0.24f);
  expect_error<ShapeError>([&] { layer(zeros({15})); }, {"float32[15]"});
}

TEST(row_70_filter_jit, DonatesByChoice) {
  auto model = [] { return nn::MLP::init({.in_size = 2, .out_size = 2}, random::PRNGKey(0)); };
  auto run = [](const nn::MLP& m, const Array& x) {
    return tree::map([&](const Array& p) { return p + x.sum(); }, m);
  };  // the activation, a function, is static
  for (Donate how : {Donate::none, Donate::all, Donate::all_except_first}) {
    nn::MLP m = model();
    Array x = ones({2}) + 0;
    const float before = static_cast<float>(m.layers[0].bias[0]);
    nn::MLP next = jit(run, {.donate = how})(m, x);
    for (const Array& leaf : tree::leaves(m)) EXPECT_EQ(leaf.is_deleted(), how == Donate::all);
    EXPECT_EQ(x.is_deleted(), how != Donate::none);
    for (const Array& leaf : tree::leaves(next)) EXPECT_FALSE(leaf.is_deleted());
    EXPECT_EQ(static_cast<float>(next.layers[0].bias[0]), before + 2);
  }
  // Another activation is another program; another value of an array is not.
  int traces = 0;
  auto f = jit([&](const nn::MLP& m, const Array& x) {
    ++traces;
    return m(x);
  });
  nn::MLP m = model();
  f(m, ones({2}));
  f(tree::map([](const Array& p) { return p * 2; }, m), ones({2}));
  EXPECT_EQ(traces, 1);
  m.activation = tutti::tanh;
  f(m, ones({2}));
  EXPECT_EQ(traces, 2);
}

TEST(row_71_filter_shard, PlacesOrConstrainsByContext) {
  auto model = nn::MLP::init({.in_size = 8, .out_size = 8}, random::PRNGKey(0));
  NamedSharding whole(line8(), P());
  nn::MLP placed = shard(model, whole);
  EXPECT_TRUE(placed.layers[0].weight.committed());
  EXPECT_EQ(placed.activation, model.activation);
  ASSERT_EQ(tree::leaves(placed).size(), tree::leaves(model).size());
  for (std::size_t i = 0; i < tree::leaves(model).size(); ++i) {
    EXPECT_EQ(tree::leaves(placed)[i].sharding(), whole);
    EXPECT_TRUE(static_cast<bool>(array_equal(tree::leaves(placed)[i], tree::leaves(model)[i])));
  }
  EXPECT_EQ(jit([&](const nn::MLP& m) { return shard(m, whole); })(model).layers[0].weight.sharding(), whole);
  auto [x, y] = shard(std::pair{arange(8.f), arange(16).reshape(8, 2)}, NamedSharding(line8(), P("x")));
  EXPECT_EQ(x.sharding(), NamedSharding(line8(), P("x")));
  EXPECT_EQ(y.addressable_shards()[3].index[0], (std::pair<std::int64_t, std::int64_t>{3, 4}));
  EXPECT_EQ(shard(arange(3), devices()[1]).devices(), std::set<Device>{devices()[1]});
}

TEST(row_72_filter_grad, LeavesWhatIsNotFloating) {
  struct Model {
    Array w, steps;
    int width;
  };
  Model m{array({1.f, 2.f}), arange(3), 7};
  Model g = grad([](const Model& m) { return sum(m.w * m.w) * m.width; })(m);
  expect_values(g.w, {14, 28});
  EXPECT_FALSE(g.steps.has_value());
  EXPECT_EQ(g.width, 7);
  auto [value, gradient] = value_and_grad([](const Model& m) { return sum(m.w); })(m);
  expect_values(value, {3});
  expect_values(gradient.w, {1, 1});
  EXPECT_FALSE(gradient.steps.has_value());
  // Of the first argument only, through what the function returns beside its value; the others are no part of it.
  auto [out, of_first] = value_and_grad([](const Model& m, const Array& x) {
    return std::pair{sum(m.w * x), m.steps + 1};
  })(m, array({5.f, 7.f}));
  expect_values(out.first, {19});
  expect_values<int>(out.second, {1, 2, 3});
  expect_values(of_first.w, {5, 7});
}

struct Pair {
  Array w, b;
};
struct Stack {
  std::vector<Pair> layers;
  Array count;
  int width = 3;
};
Stack made_stack() { return {{{ones({2}), zeros({1})}, {ones({2}) * 2, ones({1})}}, arange(2)}; }
// What is left of a Stack, as the paths of its arrays.
std::string left(const Stack& s) {
  std::string out;
  for (const auto& [path, leaf] : tree::leaves_with_path(s)) out += (out.empty() ? "" : " ") + path.str();
  return out;
}

TEST(row_73_filters, PartitionAndCombine) {
  Stack m = made_stack();
  auto [floating, rest] = tree::partition(m, is_inexact_array);
  EXPECT_EQ(left(floating), "layers[0].w layers[0].b layers[1].w layers[1].b");
  EXPECT_EQ(left(rest), "count");
  EXPECT_EQ(floating.width, 3);
  Stack both = tree::combine(floating, rest);
  for (std::size_t i = 0; i < tree::leaves(m).size(); ++i)
    EXPECT_EQ(tree::leaves(both)[i].node(), tree::leaves(m)[i].node());
  EXPECT_EQ(tree::combine(rest, floating, m).layers[0].w.node(), m.layers[0].w.node());  // the first that is there
  EXPECT_EQ(left(tree::filter(m, is_array)), left(m));
}

TEST(row_73_filters, PrefixesInverseReplace) {
  Stack m = made_stack();
  // A bool or a predicate for all, for each member, for each element; by path.
  EXPECT_EQ(left(tree::filter(m, true)), left(m));
  EXPECT_EQ(left(tree::filter(m, false)), "");
  EXPECT_EQ(left(tree::filter(m, {true, false})), "layers[0].w layers[0].b layers[1].w layers[1].b");
  EXPECT_EQ(left(tree::filter(m, {is_inexact_array, is_inexact_array})),
            "layers[0].w layers[0].b layers[1].w layers[1].b");
  EXPECT_EQ(left(tree::filter(m, {{false, {false, true}}, is_array})), "layers[1].b count");
  EXPECT_EQ(left(tree::filter(m, {{"layers.*.b", false}, {"layers.**", true}})), "layers[0].w layers[1].w");
  EXPECT_EQ(left(tree::filter(
                m, [](const tree::Path& path, const Array& x) { return path.matches("**.w") && x.ndim() == 1; })),
            "layers[0].w layers[1].w");
  EXPECT_EQ(left(tree::filter(m, [](const Array& x) { return x.shape(0) == 1; })), "layers[0].b layers[1].b");
  expect_error<ValueError>([&] { tree::filter(m, {{false}, true}); }, {"1 entries", "layers[1]"});
  // The others; what stands where something has been taken away.
  EXPECT_EQ(left(tree::filter(m, {{"layers.*.b", false}, {"layers.**", true}}, {.inverse = true})),
            "layers[0].b layers[1].b count");
  Stack marked = tree::filter(m, is_inexact_array, {.replace = -1});
  expect_values<int>(marked.count, {-1});
  EXPECT_EQ(marked.layers[1].w.node(), m.layers[1].w.node());
  Stack turned = tree::filter(m, is_inexact_array, {.inverse = true, .replace = -1});
  EXPECT_EQ(turned.count.node(), m.count.node());
  expect_values<int>(turned.layers[0].b, {-1});
  auto [kept, rest] = tree::partition(m, {true, false}, {.replace = 0});
  EXPECT_EQ(rest.count.node(), m.count.node());
  expect_values<int>(kept.count, {0});
  // What is empty is no array to take away, so nothing replaces it.
  m.layers[0].b = Array();
  EXPECT_FALSE(tree::filter(m, false, {.replace = 7}).layers[0].b.has_value());
  // Of a Dict by its keys.
  Dict d{{"params", Dict{{"w", ones({2})}, {"b", ones({1})}}}, {"step", Array(0)}};
  EXPECT_EQ(tree::leaves(tree::filter(d, {{"params.w", true}})).size(), 1u);
}

TEST(row_74_apply_updates, AddsWhereThereIsSomething) {
  struct Model {
    Array w, count;
  };
  Model next = optim::apply_updates(Model{ones({2}), arange(2)}, Model{array({0.5f, -1.f}), Array{}});
  expect_values(next.w, {1.5, 0});
  expect_values<int>(next.count, {0, 1});
  // The sum has the parameter's dtype: optax.apply_updates(array([1, 2], bfloat16), array([.001, .5])).
  Array low = optim::apply_updates(array({1.f, 2.f}).astype(bfloat16), array({.001f, .5f}));
  EXPECT_EQ(low.dtype(), bfloat16);
  expect_values(low.astype(float32), {1, 2.5});
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
