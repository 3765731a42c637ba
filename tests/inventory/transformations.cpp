// Rows 28 to 31 and 34 to 42: transformations, collectives, trees.
#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_28_jit, TracesOncePerSignature) {
  int traces = 0;
  auto f = jit([&](const Array& x) {
    ++traces;
    return 2 * sin(x) + 1;
  });
  f(arange(4.f));
  f(arange(4.f) + 1);
  EXPECT_EQ(traces, 1);
  f(arange(5.f));
  EXPECT_EQ(traces, 2);
  f(device_put(arange(4.f), NamedSharding(make_mesh({4}, {"x"}), P("x"))));
  EXPECT_EQ(traces, 3);
  EXPECT_EQ(f.cache_size(), 3u);
  // The dtype, weak types, and static leaves belong to the signature; values do not. It gives what the function gives.
  f(arange(4));
  f(Array(2.f));
  f(array(2.f));
  EXPECT_EQ(traces, 6);
  expect_values(f(arange(4.f) * 3), (2 * sin(arange(4.f) * 3) + 1).to_vector<float>(), 1e-6);
  EXPECT_EQ(traces, 6);
  // Results follow the data; a jit in a jit is part of the outer program.
  Array cut = device_put(arange(8.f), NamedSharding(line8(), P("x")));
  EXPECT_EQ(f(cut).sharding(), cut.sharding());
  auto outer = jit([&](const Array& x) { return f(x) + f(x); });
  outer(arange(4.f));
  const int before = traces;
  outer(arange(4.f) + 5);
  EXPECT_EQ(traces, before);
}

TEST(row_29_jit_options, ShardingsDonationStatics) {
  NamedSharding cut(line8(), P("x")), whole(line8(), P());
  auto f =
      jit([](const Array& x, const Array& y) { return x + y; }, {.in_shardings = {cut, whole}, .out_shardings = whole});
  EXPECT_EQ(f(arange(8.f), arange(8.f)).sharding(), whole);
  // in_shardings alone: what comes uncommitted is put there, and the result follows.
  auto placed = jit([](const Array& x) { return x * 2; }, {.in_shardings = cut});
  EXPECT_EQ(placed(arange(8.f)).sharding(), cut);
  expect_values(placed(arange(8.f)), {0, 2, 4, 6, 8, 10, 12, 14});
  auto by_leaf = jit(
      [](const std::pair<Array, Array>& p) {
        return std::pair{p.first * 2, p.second * 2};
      },
      {.in_shardings = {{cut, none}}, .out_shardings = {none, cut}});
  auto [first, second] = by_leaf(std::pair{arange(8.f), device_put(arange(8.f), whole)});
  EXPECT_EQ(first.sharding(), cut);
  EXPECT_EQ(second.sharding(), cut);
  expect_error<DeviceError>([&] { placed(device_put(arange(8.f), SingleDeviceSharding(devices()[3]))); },
                            {"float32[8]", "3"});
  auto g = jit([](const Array& x) { return x + 1; }, {.donate_argnums = {0}});
  Array x = arange(8.f) + 0;
  expect_values(g(x), {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_TRUE(x.is_deleted());
  Array kept = arange(8.f) + 0, given = arange(8.f) + 0;
  jit([](const Array& a, const Array& b) { return a + b; }, {.donate_argnums = {1}})(kept, given);
  EXPECT_FALSE(kept.is_deleted());
  EXPECT_TRUE(given.is_deleted());
  int traces = 0;
  auto h = jit([&](const Array& x, int n) {
    ++traces;
    Array y = x;
    for (int i = 0; i < n; ++i) y = y * 2;
    return y;
  });  // every leaf that is no array is static
  expect_values(h(arange(2.f), 3), {0, 8});
  expect_values(h(arange(2.f), 2), {0, 4});
  h(arange(2.f), 3);
  EXPECT_EQ(traces, 2);
}

TEST(row_30_with_sharding_constraint, InAndOutOfJit) {
  Mesh mesh = mesh42();
  NamedSharding swapped(mesh, P("y", "x"));
  Array x = device_put(arange(64.f).reshape(8, 8), NamedSharding(mesh, P("x", "y")));
  auto f = jit([&](const Array& x) { return with_sharding_constraint(x + 1, swapped); });
  EXPECT_EQ(f(x).sharding(), swapped);
  expect_values(f(x)[0], {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(lax::with_sharding_constraint(x, swapped).sharding(), swapped);
  auto [a, b] = jit([&](const Array& x) {
    return with_sharding_constraint(std::pair{x, x.sum(0)}, NamedSharding(mesh, P("y")));
  })(x);  // a tree
  EXPECT_TRUE(a.sharding().is_equivalent_to(NamedSharding(mesh, P("y", none)), 2)) << a.sharding();
  EXPECT_EQ(b.sharding(), NamedSharding(mesh, P("y")));
  // It is the identity for values and gradients; under vmap it holds for the dims that the function sees.
  expect_values(grad([&](const Array& x) { return sum(square(with_sharding_constraint(x, swapped))); })(x).reshape(-1),
                (2 * x).reshape(-1).to_vector<float>());
  Array rows =
      jit(vmap([&](const Array& r) { return with_sharding_constraint(r * 2, NamedSharding(mesh, P("y"))); }))(x);
  EXPECT_EQ(rows.sharding().shard_shape({8, 8})[1], 4) << rows.sharding();
  expect_error<ShardingError>(
      [&] {
        jit([&](const Array& x) { return with_sharding_constraint(x, NamedSharding(mesh, P("x", "y", none))); })(x);
      },
      {"float32[8,8]"});
}

TEST(row_31_shard_map, GivesBlocksOfTheSameRank) {
  std::vector<std::string> seen;
  auto f = shard_map(
      [&](const Array& x) {
        seen.push_back(x.shape().str());
        return 2 * sin(x) + 1;
      },
      {.mesh = line8(), .in_specs = P("x"), .out_specs = P("x")});
  Array y = f(arange(32));
  EXPECT_EQ(seen, (std::vector<std::string>{"(4,)"}));  // once per trace
  EXPECT_EQ(y.sharding(), NamedSharding(line8(), P("x")));
  expect_values(y(slice(0, 5)), {1.f, 2.682942f, 2.818595f, 1.28224f, -0.513605f}, 2e-6);
  Array sums = shard_map([](const Array& x) { return x.sum(all, true); },
                         {.mesh = line8(), .in_specs = P("x"), .out_specs = P("x")})(arange(32));
  expect_values<int>(sums, {6, 22, 38, 54, 70, 86, 102, 118});
  // What differs between devices may not be promised to be equal, unless the check is off.
  ShardMapOptions promise{.mesh = line8(), .in_specs = P("x"), .out_specs = P()};
  expect_error<ValueError>([&] { shard_map([](const Array& x) { return x * 2; }, promise)(arange(8)); },
                           {"out_specs", "x"});
  promise.check_vma = false;
  expect_values<int>(shard_map([](const Array& x) { return x * 2; }, promise)(arange(8)), {0});
  expect_error<ValueError>(
      [] {
        shard_map([](const Array& x) { return x; },
                  {.mesh = line8(), .in_specs = P("x"), .out_specs = P("x")})(arange(9));
      },
      {"9", "8", "x"});
  // Inside jit too.
  Array total = jit(shard_map([](const Array& x) { return lax::psum(sum(x), "x"); },
                              {.mesh = line8(), .in_specs = P("x"), .out_specs = P()}))(arange(32));
  expect_values<int>(total, {496});
}

TEST(row_34_grad, OfScalarFunctions) {
  auto f = [](const Array& w, const Array& x) { return sum(square(w * x)); };
  Array w = array({1.f, 2.f}), x = array({3.f, 4.f});
  expect_values(grad(f)(w, x), {18, 64});
  expect_values(grad<1>(f)(w, x), {6, 32});
  auto [gw, gx] = grad<0, 1>(f)(w, x);
  expect_values(gw, {18, 64});
  expect_values(gx, {6, 32});
  // Of a tree: a tree; of a gradient: the second derivative; inside jit the same.
  auto tree_of = grad([](const std::pair<Array, std::vector<Array>>& p) {
    return sum(p.first * p.second[0]) + 3 * sum(p.second[1]);
  })(std::pair{w, std::vector{x, x}});
  expect_values(tree_of.first, {3, 4});
  expect_values(tree_of.second[0], {1, 2});
  expect_values(tree_of.second[1], {3, 3});
  expect_values(grad(grad([](const Array& t) { return t * t * t; }))(Array(2.f)), {12});
  expect_values(jit(grad<1>(f))(w, x), {6, 32});
  auto with_aux = [](const Array& w) { return std::pair{sum(w * w), w + 1}; };
  auto [g, aux] = grad(with_aux)(w);
  expect_values(g, {2, 4});
  expect_values(aux, {2, 3});
  expect_error<TypeError>([&] { grad([](const Array& x) { return x * 2; })(w); }, {"float32[2]"});
  expect_error<TypeError>([&] { grad([](const Array& x) { return sum(x * x); })(arange(3)); }, {"int32[3]"});
}

TEST(row_35_value_and_grad, GivesBoth) {
  auto [value, gradient] = value_and_grad([](const Array& w) { return mean(square(w)); })(array({2.f, 4.f}));
  expect_values(value, {10});
  expect_values(gradient, {2, 4});
  auto both = value_and_grad([](const Array& w) { return std::pair{sum(w), w * 2}; })(array({2.f, 4.f}));
  expect_values(both.first.first, {6});
  expect_values(both.first.second, {4, 8});
  expect_values(both.second, {1, 1});
  auto [v, g] = value_and_grad<0, 1>([](const Array& w, const Array& x) { return sum(w * x); })(array({2.f, 4.f}),
                                                                                                array({3.f, 5.f}));
  expect_values(v, {26});
  expect_values(std::get<0>(g), {3, 5});
  expect_values(std::get<1>(g), {2, 4});
  EXPECT_EQ(value_and_grad([](const Array& w) { return sum(w); })(ones({3}, bfloat16)).second.dtype(), bfloat16);
}

struct WeightAndBias {
  Array weight, bias;
};

TEST(row_36_tree_map, OverLeaves) {
  WeightAndBias p{array({1.f, 2.f}), array(3.f)}, g{array({10.f, 10.f}), array(1.f)};
  WeightAndBias q = tree::map([](const Array& p, const Array& g) { return p - 0.1f * g; }, p, g);
  expect_values(q.weight, {0, 1}, 1e-6);
  expect_values(q.bias, {2.9f}, 1e-6);
  // What is empty (a gradient of something that has none) leaves the first tree's leaf alone.
  WeightAndBias kept =
      tree::map([](const Array& p, const Array& g) { return p - g; }, p, WeightAndBias{g.weight, Array{}});
  expect_values(kept.bias, {3});
  WeightAndBias three = tree::map([](const Array& a, const Array& b, const Array& c) { return a + 10 * b + 100 * c; },
                                  WeightAndBias{Array(1.f), Array(2.f)}, WeightAndBias{Array(3.f), Array(4.f)},
                                  WeightAndBias{Array(5.f), Array(6.f)});
  expect_values(three.weight, {531});
  expect_values(three.bias, {642});
  std::vector<std::string> paths;
  tree::map_with_path(
      [&](const tree::Path& path, const Array& x) {
        paths.push_back(path.str());
        return x;
      },
      std::pair{p, std::vector{p.weight}});
  EXPECT_EQ(paths, (std::vector<std::string>{"[0].weight", "[0].bias", "[1][0]"}));
  // Structures must agree.
  expect_error<ValueError>(
      [&] {
        tree::map([](const Array& a, const Array&) { return a; }, std::vector{p.weight}, std::vector{p.weight, p.bias});
      },
      {"1", "2", "transformations.cpp"});
  expect_error<ValueError>(
      [&] {
        tree::map([](const Array& a, const Array&) { return a; }, Dict{{"a", p.weight}}, Dict{{"b", p.weight}});
      },
      {"a", "b"});
}

template <class F> Array on_line(F f, const Array& x, const P& out = P("x"), int n = 4) {
  return shard_map(f, {.mesh = make_mesh({n}, {"x"}), .in_specs = P("x"), .out_specs = out})(x);
}

TEST(row_37_psum, SumsAndNeedsItsAxis) {
  expect_values<int>(on_line([](const Array& x) { return lax::psum(x, "x"); }, arange(4), P()), {6});
  // Over several axes, and over one of them; of a tree; under vmap.
  auto on_grid = [](auto f, const P& out) {
    return shard_map(f, {.mesh = mesh42(), .in_specs = P(axes("x", "y")), .out_specs = out})(arange(8));
  };
  expect_values<int>(on_grid([](const Array& x) { return lax::psum(x, {"x", "y"}); }, P()), {28});
  expect_values<int>(on_grid([](const Array& x) { return lax::psum(x, "y"); }, P("x")), {1, 5, 9, 13});
  auto [a, b] = shard_map(
      [](const Array& x) {
        return lax::psum(std::pair{x, 2 * x}, "x");
      },
      {.mesh = line8(), .in_specs = P("x"), .out_specs = P()})(arange(8));
  expect_values<int>(a, {28});
  expect_values<int>(b, {56});
  expect_values<int>(vmap([](const Array& x) { return x - lax::psum(x, "i"); }, {.axis_name = "i"})(arange(3)),
                     {-3, -2, -1});
  expect_error<NameError>([] { lax::psum(arange(3), "rows"); }, {"rows", "transformations.cpp"});
}

TEST(row_38_pmean, OverTrees) {
  auto f = pmap([](const WeightAndBias& p) { return lax::pmean(p, "i"); }, {.axis_name = "i"});
  WeightAndBias out = f(WeightAndBias{arange(4.f), arange(8.f).reshape(4, 2)});
  expect_values(out.weight, {1.5, 1.5, 1.5, 1.5});
  expect_values(out.bias.reshape(-1), {3, 4, 3, 4, 3, 4, 3, 4});
}

TEST(row_39_other_collectives, MeanWhatJaxSays) {
  Array x = arange(4.f);
  expect_values(on_line([](const Array& x) { return lax::pmax(x, "x"); }, x, P()), {3});
  expect_values(on_line([](const Array& x) { return lax::pmin(x, "x"); }, x, P()), {0});
  Array gathered = on_line([](const Array&x) { return lax::all_gather(x, "x"); }, x),
        tiled = on_line([](const Array&x) { return lax::all_gather(x, "x", {.axis = 0, .tiled = true}); }, x);
  EXPECT_EQ(gathered.shape(), (Shape{16, 1}));
  EXPECT_EQ(tiled.shape(), (Shape{16}));
  const std::vector<float> four_times = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  expect_values(gathered.reshape(-1), four_times);
  expect_values(tiled, four_times);
  Array rows = arange(16.f).reshape(4, 4);
  expect_values(on_line([](const Array& x) { return lax::psum_scatter(x.reshape(4), "x").reshape(1); }, rows),
                {24, 28, 32, 36});
  expect_values(on_line([](const Array& x) { return lax::psum_scatter(x.reshape(4), "x", {.tiled = true}); }, rows),
                {24, 28, 32, 36});
  expect_values(on_line([](const Array& x) { return lax::ppermute(x, "x", {{0, 1}, {1, 0}}); }, x), {1, 0, 0, 0});
  expect_values(on_line(
                    [](const Array& x) {
                      return lax::ppermute(x, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
                    },
                    arange(8.f)),
                {6, 7, 0, 1, 2, 3, 4, 5});
  auto index = [](const Array&) { return (lax::axis_index("x") * 10 + lax::axis_index("y")).reshape(1); };
  expect_values<int>(
      shard_map(index, {.mesh = mesh42(), .in_specs = P(axes("x", "y")), .out_specs = P(axes("x", "y"))})(arange(8)),
      {0, 1, 10, 11, 20, 21, 30, 31});
  expect_values(on_line([](const Array& x) { return lax::all_to_all(x, "x", 1, 0, {.tiled = true}); }, rows),
                {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
  expect_values<int>(on_line([](const Array&) { return lax::axis_index("x").reshape(1); }, x), {0, 1, 2, 3});
  on_line(
      [](const Array& x) {
        EXPECT_EQ(lax::axis_size("x"), 4);
        return x;
      },
      x);
}

struct Module {
  Array w;
  std::vector<std::pair<Array, Array>> layers;
  int width = 3;  // static
  Array (*activation)(const In&) = nullptr;
};

TEST(row_40_trees, AreAggregatesOfAnyKind) {
  Module m{ones({2}), {{zeros({3}), ones({1})}}, 5, tutti::tanh};
  EXPECT_EQ(tree::leaves(m).size(), 3u);
  Module twice = tree::map([](const Array& x) { return x * 2; }, m);
  EXPECT_EQ(twice.width, 5);
  expect_values(twice.w, {2, 2});
  expect_values(jit([](const Module& m) { return m.activation(m.w * m.width); })(m), {std::tanh(5.f), std::tanh(5.f)},
                1e-6);
  auto paths = tree::leaves_with_path(m);
  EXPECT_EQ(paths[1].first.str(), "layers[0][0]");
  Dict d;
  d["b"]["x"] = ones({1});
  d["a"] = zeros({1});
  expect_values(tree::leaves(d)[0], {0});  // keys sorted
  EXPECT_EQ(tree::structure(d).str(), "{'a': *, 'b': {'x': *}}");
  // An empty array is no leaf; a static field belongs to the structure; every container is one of its own.
  Module bare = m;
  bare.layers[0].second = Array();
  EXPECT_EQ(tree::leaves(bare).size(), 2u);
  EXPECT_NE(tree::structure(bare), tree::structure(m));
  Module wider = m;
  wider.width = 6;
  EXPECT_NE(tree::structure(wider), tree::structure(m));
  wider = tree::rebuild(m, std::vector<Array>{zeros({1}), zeros({1}), zeros({1})});
  EXPECT_EQ(tree::structure(wider), tree::structure(m));
  std::tuple<Array, std::array<Array, 2>, std::map<std::string, Array>, std::optional<Array>> all_kinds{
      Array(1.f), {Array(2.f), Array(3.f)}, {{"b", Array(5.f)}, {"a", Array(4.f)}}, Array(6.f)};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(static_cast<float>(tree::leaves(all_kinds)[i]), static_cast<float>(i + 1));
  auto [a, b] = tree::unflatten<std::pair<Array, Array>>(tree::structure(std::pair{Array(1.f), Array(2.f)}),
                                                         std::vector<Array>{Array(3.f), Array(4.f)});
  expect_values(a, {3});
  expect_values(b, {4});
}

TEST(row_41_donation, InvalidatesAndSaysBy) {
  auto step = jit(
      [](const WeightAndBias& p, const Array& x) {
        return WeightAndBias{p.weight + x, p.bias};
      },
      {.donate = Donate::all_except_first});
  WeightAndBias p{ones({4}), ones({1})};
  Array x = ones({4}) * 2;
  expect_values(step(p, x).weight, {3, 3, 3, 3});
  EXPECT_FALSE(p.weight.is_deleted());
  EXPECT_TRUE(x.is_deleted());
  expect_error<DeletedError>([&] { (void)(x + 1); }, {"float32[4]", "transformations.cpp"});
  // explain() says what became of each: reused, or why not.
  std::string why = jit([](const Array& a, const Array& b) { return a + b.sum(); }, {.donate = Donate::all})
                        .explain(ones({4}), ones({7}))
                        .str();
  EXPECT_NE(why.find("arg0 float32[4]: output 0 takes its memory"), std::string::npos) << why;
  EXPECT_NE(why.find("arg1 float32[7]: not reused: no result has its size"), std::string::npos) << why;
}

TEST(row_42_partial, IsALambdaOrAnOptionsStruct) {
  auto scaled = [](float rate) { return jit([rate](const Array& x) { return x * rate; }); };
  expect_values(scaled(3.f)(ones({2})), {3, 3});
  VmapOptions rows{.in_axes = {0, none}};
  expect_values(vmap([](const Array& x, const Array& y) { return x + y; }, rows)(arange(2.f), Array(1.f)), {1, 2});
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
