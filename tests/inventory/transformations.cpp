// Rows 28 to 42: transformations, collectives, trees.
#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_28_jit, TracesOncePerSignature) {
  int traces = 0;
  auto f = jit([&](const Array& x) { ++traces; return 2 * sin(x) + 1; });
  f(arange(4.f));
  f(arange(4.f) + 1);
  EXPECT_EQ(traces, 1);
  f(arange(5.f));
  EXPECT_EQ(traces, 2);
  f(device_put(arange(4.f), NamedSharding(make_mesh({4}, {"x"}), P("x"))));
  EXPECT_EQ(traces, 3);
  EXPECT_EQ(f.cache_size(), 3u);
}

TEST(row_29_jit_options, ShardingsDonationStatics) {
  NamedSharding cut(line8(), P("x")), whole(line8(), P());
  auto f = jit([](const Array& x, const Array& y) { return x + y; }, {.in_shardings = {cut, whole}, .out_shardings = whole});
  EXPECT_EQ(f(arange(8.f), arange(8.f)).sharding(), whole);
  auto g = jit([](const Array& x) { return x + 1; }, {.donate_argnums = {0}});
  Array x = arange(8.f) + 0;
  g(x);
  EXPECT_TRUE(x.is_deleted());
  int traces = 0;
  auto h = jit([&](const Array& x, int n) { ++traces; Array y = x; for (int i = 0; i < n; ++i) y = y * 2; return y; });   // every leaf that is no array is static
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
  expect_error<ShardingError>([&] { jit([&](const Array& x) { return with_sharding_constraint(x, NamedSharding(mesh, P("x", "y", none))); })(x); }, {"float32[8,8]"});
}

TEST(row_31_shard_map, GivesBlocksOfTheSameRank) {
  std::vector<std::string> seen;
  auto f = shard_map([&](const Array& x) { seen.push_back(x.shape().str()); return 2 * sin(x) + 1; }, {.mesh = line8(), .in_specs = P("x"), .out_specs = P("x")});
  Array y = f(arange(32));
  EXPECT_EQ(seen, (std::vector<std::string>{"(4,)"}));   // once per trace
  EXPECT_EQ(y.sharding(), NamedSharding(line8(), P("x")));
  expect_values(y(slice(0, 5)), {1.f, 2.682942f, 2.818595f, 1.28224f, -0.513605f}, 2e-6);
  Array sums = shard_map([](const Array& x) { return x.sum(all, true); }, {.mesh = line8(), .in_specs = P("x"), .out_specs = P("x")})(arange(32));
  expect_values<int>(sums, {6, 22, 38, 54, 70, 86, 102, 118});
  // What differs between devices may not be promised to be equal, unless the check is off.
  ShardMapOptions promise{.mesh = line8(), .in_specs = P("x"), .out_specs = P()};
  expect_error<ValueError>([&] { shard_map([](const Array& x) { return x * 2; }, promise)(arange(8)); }, {"out_specs", "x"});
  promise.check_vma = false;
  expect_values<int>(shard_map([](const Array& x) { return x * 2; }, promise)(arange(8)), {0});
  expect_error<ValueError>([] { shard_map([](const Array& x) { return x; }, {.mesh = line8(), .in_specs = P("x"), .out_specs = P("x")})(arange(9)); }, {"9", "8", "x"});
  // Inside jit too.
  Array total = jit(shard_map([](const Array& x) { return lax::psum(sum(x), "x"); }, {.mesh = line8(), .in_specs = P("x"), .out_specs = P()}))(arange(32));
  expect_values<int>(total, {496});
}

TEST(row_32_vmap, MapsAndBroadcasts) {
  Array xs = arange(6.f).reshape(3, 2), w = array({1.f, 10.f});
  auto dot_of = [](const Array& x, const Array& w) { return dot(x, w); };
  expect_values(vmap(dot_of, {.in_axes = {0, none}})(xs, w), {10, 32, 54});
  expect_values(vmap(dot_of, {.in_axes = {1, none}})(xs.T(), w), {10, 32, 54});
  EXPECT_EQ(vmap([](const Array& x) { return x * 2; }, {.out_axes = 1})(xs).shape(), (Shape{2, 3}));
  expect_error<ShapeError>([&] { vmap(dot_of)(xs, arange(8.f).reshape(4, 2)); }, {"3", "4"});
}

TEST(row_33_pmap, OneElementPerDevice) {
  auto linear = [](const Array& x, const Array& w) { return matmul(x, w); };
  Array xs = arange(48.f).reshape(8, 2, 3), ws = ones({8, 3});
  Array out = pmap(linear)(xs, ws);
  EXPECT_EQ(out.shape(), (Shape{8, 2}));
  EXPECT_TRUE(out.committed());
  EXPECT_EQ(out.addressable_shards()[3].device.id(), 3);
  expect_values(pmap(linear, {.in_axes = {0, none}})(xs, ones({3}))[1], {21, 30});
  set_cpu_devices(8);
  expect_error<ValueError>([&] { pmap([](const Array& x) { return x; })(zeros({9, 2})); }, {"9", "8"});
}

TEST(row_34_grad, OfScalarFunctions) {
  auto f = [](const Array& w, const Array& x) { return sum(square(w * x)); };
  Array w = array({1.f, 2.f}), x = array({3.f, 4.f});
  expect_values(grad(f)(w, x), {18, 64});
  expect_values(grad<1>(f)(w, x), {6, 32});
  auto [gw, gx] = grad<0, 1>(f)(w, x);
  expect_values(gx, {6, 32});
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
  expect_values(both.first.second, {4, 8});
  expect_values(both.second, {1, 1});
}

struct Params { Array weight, bias; };

TEST(row_36_tree_map, OverLeaves) {
  Params p{array({1.f, 2.f}), array(3.f)}, g{array({10.f, 10.f}), array(1.f)};
  Params q = tree::map([](const Array& p, const Array& g) { return p - 0.1f * g; }, p, g);
  expect_values(q.weight, {0, 1}, 1e-6);
  expect_values(q.bias, {2.9f}, 1e-6);
  // What is empty (a gradient of something that has none) leaves the first tree's leaf alone.
  Params kept = tree::map([](const Array& p, const Array& g) { return p - g; }, p, Params{g.weight, Array{}});
  expect_values(kept.bias, {3});
}

template <class F>
Array on_line(F f, const Array& x, const P& out = P("x"), int n = 4) {
  return shard_map(f, {.mesh = make_mesh({n}, {"x"}), .in_specs = P("x"), .out_specs = out})(x);
}

TEST(row_37_psum, SumsAndNeedsItsAxis) {
  expect_values<int>(on_line([](const Array& x) { return lax::psum(x, "x"); }, arange(4), P()), {6});
  expect_error<NameError>([] { lax::psum(arange(3), "rows"); }, {"rows", "transformations.cpp"});
}

TEST(row_38_pmean, OverTrees) {
  auto f = pmap([](const Params& p) { return lax::pmean(p, "i"); }, {.axis_name = "i"});
  Params out = f(Params{arange(4.f), arange(8.f).reshape(4, 2)});
  expect_values(out.weight, {1.5, 1.5, 1.5, 1.5});
  expect_values(out.bias[0], {3, 4});
}

TEST(row_39_other_collectives, MeanWhatJaxSays) {
  Array x = arange(4.f);
  expect_values(on_line([](const Array& x) { return lax::pmax(x, "x"); }, x, P()), {3});
  expect_values(on_line([](const Array& x) { return lax::pmin(x, "x"); }, x, P()), {0});
  EXPECT_EQ(on_line([](const Array& x) { return lax::all_gather(x, "x"); }, x).shape(), (Shape{16, 1}));
  EXPECT_EQ(on_line([](const Array& x) { return lax::all_gather(x, "x", {.axis = 0, .tiled = true}); }, x).shape(), (Shape{16}));
  Array rows = arange(16.f).reshape(4, 4);
  expect_values(on_line([](const Array& x) { return lax::psum_scatter(x.reshape(4), "x").reshape(1); }, rows), {24, 28, 32, 36});
  expect_values(on_line([](const Array& x) { return lax::ppermute(x, "x", {{0, 1}, {1, 0}}); }, x), {1, 0, 0, 0});
  expect_values(on_line([](const Array& x) { return lax::all_to_all(x, "x", 1, 0, {.tiled = true}); }, rows), {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
  expect_values<int>(on_line([](const Array&) { return lax::axis_index("x").reshape(1); }, x), {0, 1, 2, 3});
  on_line([](const Array& x) { EXPECT_EQ(lax::axis_size("x"), 4); return x; }, x);
}

struct Module {
  Array w;
  std::vector<std::pair<Array, Array>> layers;
  int width = 3;                      // static
  Array (*activation)(const In&) = nullptr;
};

TEST(row_40_trees, AreAggregatesOfAnyKind) {
  Module m{ones({2}), {{zeros({3}), ones({1})}}, 5, tutti::tanh};
  EXPECT_EQ(tree::leaves(m).size(), 3u);
  Module twice = tree::map([](const Array& x) { return x * 2; }, m);
  EXPECT_EQ(twice.width, 5);
  expect_values(twice.w, {2, 2});
  expect_values(jit([](const Module& m) { return m.activation(m.w * m.width); })(m), {std::tanh(5.f), std::tanh(5.f)}, 1e-6);
  auto paths = tree::leaves_with_path(m);
  EXPECT_EQ(paths[1].first.str(), "layers[0][0]");
  Dict d;
  d["b"]["x"] = ones({1});
  d["a"] = zeros({1});
  expect_values(tree::leaves(d)[0], {0});   // keys sorted
  auto [a, b] = tree::unflatten<std::pair<Array, Array>>(tree::structure(std::pair{Array(1.f), Array(2.f)}), std::vector<Array>{Array(3.f), Array(4.f)});
  expect_values(b, {4});
}

TEST(row_41_donation, InvalidatesAndSaysBy) {
  auto step = jit([](const Params& p, const Array& x) { return Params{p.weight + x, p.bias}; }, {.donate = Donate::all_except_first});
  Params p{ones({4}), ones({1})};
  Array x = ones({4}) * 2;
  step(p, x);
  EXPECT_FALSE(p.weight.is_deleted());
  EXPECT_TRUE(x.is_deleted());
  expect_error<DeletedError>([&] { (void)(x + 1); }, {"float32[4]", "transformations.cpp"});
  // explain() says what became of each: reused, or why not.
  std::string why = jit([](const Array& a, const Array& b) { return a + b.sum(); }, {.donate = Donate::all}).explain(ones({4}), ones({7}));
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
