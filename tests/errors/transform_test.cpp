// Errors of transformations: derivatives, vmap, pmap, shard_map, collectives, loops and branches.
#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct WB {
  Array w, b;
};
Array self(const Array& x) { return x; }
Array add(const Array& x, const Array& y) { return x + y; }
constexpr int kLeast = std::numeric_limits<int>::min();

TEST(ErrorsOfDerivatives, Gradients) {
  Array v = ones({3}), n = zeros({3}, int32);
  auto loss = [](const WB& p) { return p.w.sum(); };
  expect_error<TypeError>("grad", {"scalar", "float32[3]", "sum or mean"}, [&] { grad(self)(v); });
  expect_error<TypeError>("value_and_grad", {"scalar", "float32[1]", "reshape"},
                          [] { value_and_grad(self)(ones({1})); });
  expect_error<TypeError>("grad", {"argument 0", "int32[3]"}, [&] { grad([](const Array& x) { return x.sum(); })(n); });
  expect_error<TypeError>("grad", {"argument 1", "int32[3]"},
                          [&] { grad<1>([](const Array& x, const Array& y) { return (x * y).sum(); })(v, n); });
  expect_error<TypeError>("grad", {"argument 0", "no array at all"}, [&] { grad(loss)(WB{}); });
  expect_error<TypeError>("grad", {"real", "int32[]"},
                          [&] { grad([](const Array& x) { return x.sum().astype(int32); })(v); });
  expect_error<TypeError>("grad", {"real", "complex64[]", "real part"},
                          [&] { grad([](const Array& x) { return x.sum().astype(complex64); })(v); });
  expect_error<TypeError>("grad", {"empty"}, [&] { grad([](const Array&) { return Array(); })(v); });
  expect_error<TypeError>("jacrev", {"int32[3]", "floating"},
                          [&] { jacrev([](const Array& x) { return x.astype(int32); })(v); });
  expect_error<TypeError>("jacfwd", {"empty", "floating"}, [&] { jacfwd([](const Array&) { return Array(); })(v); });
  expect_error<TypeError>("jacfwd", {"argument 0", "int32[3]"},
                          [&] { jacfwd([](const Array& x) { return x * 2.0f; })(n); });
}

TEST(ErrorsOfDerivatives, TheLineOfTheFunctionIsItsOwn) {
  expect_error<ShapeError>("add", {"float32[3]", "float32[5]"},
                           [] { grad([](const Array& x) { return (x + ones({5})).sum(); })(ones({3})); });
  expect_error<ShapeError>("add", {"float32[4]", "float32[5]"}, [] {
    vmap([](const Array& x) { return x + ones({5}); })(ones({3, 4}));
  });
  expect_error<ShapeError>("add", {"float32[4]", "float32[5]"}, [] {
    pmap([](const Array& x) { return x + ones({5}); })(ones({2, 4}));
  });
  expect_error<ShapeError>("add", {"float32[3]", "float32[5]"},
                           [] { jit([](const Array& x) { return x + ones({5}); })(ones({3})); });
  ShardMapOptions o{.mesh = grid(), .in_specs = P("x"), .out_specs = P("x")};
  expect_error<ShapeError>("add", {"float32[2]", "float32[5]"},
                           [&] { shard_map([](const Array& x) { return x + ones({5}); }, o)(ones({8})); });
  expect_error<ShapeError>("add", {"float32[3]", "float32[5]"},
                           [] { jacrev([](const Array& x) { return x + ones({5}); })(ones({3})); });
}

TEST(ErrorsOfDerivatives, DirectionsAndPullbacks) {
  Array v = ones({3}), w = ones({4}), d = ones({3}, float16);
  auto of_params = [](const WB& p) { return p.w * 2; };
  expect_error<ShapeError>("jvp", {"float32[4]", "arg0", "float32[3]"},
                           [&] { jvp(self, std::tuple{v}, std::tuple{w}); });
  expect_error<TypeError>("jvp", {"float16[3]", "arg0", "float32[3]", "astype(float32)"},
                          [&] { jvp(self, std::tuple{v}, std::tuple{d}); });
  expect_error<ShapeError>("jvp", {"arg0.w"}, [&] { jvp(of_params, std::tuple{WB{v, v}}, std::tuple{WB{w, v}}); });
  using Arrays = std::vector<Array>;
  auto head = [](const Arrays& x) { return x[0] * 2; };
  expect_error<ValueError>("jvp", {"structure", "1 places", "instead of 2"}, [&] {
    jvp(head, std::tuple{Arrays{v, v}}, std::tuple{Arrays{v}});
  });
  auto [y, pullback] = vjp(self, v);
  expect_error<ShapeError>("vjp", {"float32[4]", "result 0", "float32[3]"}, [&, &pullback = pullback] { pullback(w); });
  expect_error<TypeError>("vjp", {"float16[3]", "float32[3]"}, [&, &pullback = pullback] { pullback(d); });
  auto [z, map] = linearize(self, v);
  expect_error<ShapeError>("linearize", {"float32[4]", "argument 0", "float32[3]"}, [&, &map = map] { map(w); });
  auto [many, back] = vjp([](const Array& x) { return Arrays{x, x}; }, v);
  expect_error<ValueError>("vjp", {"structure", "1 places", "instead of 2"}, [&, &back = back] { back({v}); });
  VmapOptions named{.axis_name = "i"};
  expect_error<UnsupportedError>("pmax", {"cannot be differentiated"},
                                 [&] { vmap(grad([](const Array& x) { return lax::pmax(x, "i").sum(); }), named)(v); });
}

TEST(ErrorsOfVmap, AxesAndSizes) {
  Array m = ones({3, 4}), v = ones({5});
  expect_error<ShapeError>("vmap", {"size 3", "arg0", "float32[3,4]", "size 5", "arg1", "float32[5]"},
                           [&] { vmap(add)(m, v); });
  expect_error<ShapeError>("vmap", {"size 7", "axis_size"}, [&] { vmap(self, {.axis_size = 7})(m); });
  expect_error<ValueError>("vmap", {"axis_size is -7"}, [&] { vmap(self, {.axis_size = -7})(m); });
  expect_error<ShapeError>("vmap", {"axis 2 of arg0", "at least 3", "float32[3,4]"},
                           [&] { vmap(self, {.in_axes = 2})(m); });
  expect_error<ShapeError>("vmap", {"axis -2147483648", "2147483648"}, [&] { vmap(self, {.in_axes = kLeast})(m); });
  expect_error<ShapeError>("vmap", {"axis 0 of arg0", "float32[]"}, [&] { vmap(self)(m.sum()); });
  expect_error<ShapeError>("vmap", {"arg0.b", "float32[]"}, [&] {
    vmap([](const WB& p) { return p.w; })(WB{m, m.sum()});
  });
  expect_error<ValueError>("vmap", {"in_axes", "1 entry", "2 arguments"}, [&] { vmap(add, {.in_axes = {0}})(m, m); });
  expect_error<ValueError>("vmap", {"no argument is mapped"}, [&] { vmap(add, {.in_axes = {none, none}})(m, m); });
  expect_error<ValueError>("vmap", {"no argument is mapped"}, [] { vmap(self)(Array()); });
  expect_error<ShapeError>("vmap", {"out_axes 2", "float32[3,4]"}, [&] { vmap(self, {.out_axes = 2})(m); });
  expect_error<ShapeError>("vmap", {"out_axes -2147483648"}, [&] { vmap(self, {.out_axes = kLeast})(m); });
  expect_error<ValueError>("vmap", {"out_axes is none", "float32[3,4]"}, [&] { vmap(self, {.out_axes = none})(m); });
  expect_error<ValueError>("vmap", {"out_axes has 3 entries", "1 element"}, [&] {
    vmap(self, {.out_axes = {0, 0, 0}})(m);
  });
}

TEST(ErrorsOfPmap, AxesAndDevices) {
  Array m = ones({4, 3}), v = ones({2});
  expect_error<ShapeError>("pmap", {"over 'i'", "size 4", "arg0", "size 2", "arg1"},
                           [&] { pmap(add, {.axis_name = "i"})(m, v); });
  expect_error<ShapeError>("pmap", {"axis 2 of arg0", "float32[4,3]"}, [&] { pmap(self, {.in_axes = 2})(m); });
  expect_error<ShapeError>("pmap", {"size 4", "2 devices"}, [&] {
    pmap(self, {.devices = {Device(0), Device(1)}})(m);
  });
  expect_error<ShapeError>("pmap", {"empty", "float32[0,3]"}, [] { pmap(self)(zeros({0, 3})); });
  expect_error<ValueError>("pmap", {"in_axes", "3 entries", "2 arguments"}, [&] {
    pmap(add, {.in_axes = {0, 0, 0}})(m, m);
  });
  expect_error<ValueError>("pmap", {"no argument is mapped"}, [&] { pmap(self, {.in_axes = none})(m); });
  expect_error<ShapeError>("pmap", {"out_axes 3", "float32[3]"}, [&] { pmap(self, {.out_axes = 3})(m); });
  expect_error<ValueError>("pmap", {"donate_argnums", "argument 4"}, [&] { pmap(self, {.donate_argnums = {4}})(m); });
  expect_error<DeviceError>("pmap", {"size 2000000", "float32[2000000]", "devices"},
                            [] { pmap(self)(ones({2000000})); });
}

TEST(ErrorsOfShardMap, Specs) {
  Array v = ones({8}), m = ones({8, 4}), odd = ones({6, 3});
  Mesh mesh = grid();
  auto call = [](ShardMapOptions o, const Array& x, Loc loc = Loc::current()) { return shard_map(self, o, loc)(x); };
  auto specs = [&](P in, P out, const Array& x, Names manual = {}, Loc loc = Loc::current()) {
    return shard_map(self, {.mesh = mesh, .in_specs = in, .out_specs = out, .axis_names = manual}, loc)(x);
  };
  expect_error<ValueError>("shard_map", {"no mesh"}, [&] { call({.in_specs = P(), .out_specs = P()}, v); });
  expect_error<ValueError>("shard_map", {"in_specs is missing"}, [&] { call({.mesh = mesh, .out_specs = P()}, v); });
  expect_error<ValueError>("shard_map", {"out_specs is missing"}, [&] { call({.mesh = mesh, .in_specs = P()}, v); });
  expect_error<ValueError>("shard_map", {"in_specs has 2 entries", "1 arguments"}, [&] {
    call({.mesh = mesh, .in_specs = {P(), P()}, .out_specs = P()}, v);
  });
  expect_error<ValueError>("shard_map", {"out_specs has 2 entries", "1 results"}, [&] {
    call({.mesh = mesh, .in_specs = P(), .out_specs = {P(), P()}}, v);
  });
  const error_parts::Facts facts = {"arg0 of type float32[6,3]", "P('x', 'y')", "dim 0 of size 6", "dim 1 of size 3",
                                    "(4, 2)"};
  expect_error<ShardingError>("shard_map", facts, [&] { specs(P("x", "y"), P("x", "y"), odd); });
  expect_error<ShardingError>("shard_map", {"P('x', 'y')", "arg0", "float32[8]", "length 2", "rank 1"},
                              [&] { specs(P("x", "y"), P(), v); });
  expect_error<ShardingError>("shard_map", {"'z'", "('x', 'y')", "(4, 2)"}, [&] { specs(P("z"), P(), v); });
  expect_error<ShardingError>("shard_map", {"in_specs", "'x' twice"}, [&] { specs(P("x", "x"), P(), m); });
  expect_error<ShardingError>("shard_map", {"out_specs", "'z'"}, [&] { specs(P("x"), P("z"), m); });
  expect_error<ShardingError>("shard_map", {"dim 0 unconstrained"}, [&] { specs(P(P::unconstrained), P(), m); });
  expect_error<ShardingError>("shard_map", {"axis_names", "'z'", "('x', 'y')"}, [&] { specs(P(), P(), m, "z"); });
  expect_error<ShardingError>("shard_map", {"'y'", "not manual", "('x',)"}, [&] { specs(P("y"), P(), m, "x"); });
  expect_error<ShardingError>("shard_map", {"out_specs says P()", "float32[2]", "('x',)", "check_vma"},
                              [&] { specs(P("x"), P(), v); });
  auto total = [](const Array& x) { return x.sum(); };
  ShardMapOptions rows{.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")};
  expect_error<ShardingError>("shard_map", {"out_specs", "P('x',)", "float32[]", "x.reshape(1)"},
                              [&] { shard_map(total, rows)(v); });
  auto inside = [&](const Array& x, Loc loc = Loc::current()) {
    return vmap([&](const Array& r) { return shard_map(self, rows, loc)(r); }, {.axis_name = "x"})(x);
  };
  expect_error<ValueError>("shard_map", {"'x'", "bound already"}, [&] { inside(ones({2, 8})); });
  NamedSharding cut(mesh, P("x"));
  expect_error<ShardingError>("shard_map", {"constraint", "'x'"}, [&] {
    shard_map([&](const Array& x) { return with_sharding_constraint(x, cut); }, rows)(v);
  });
}

TEST(ErrorsOfCollectives, AxesDimsAndGroups) {
  Array v = ones({4, 6}), row = ones({4, 3});
  auto mapped = [](auto fn, const Array& x) { return vmap(fn, {.axis_name = "i"})(x); };
  auto map2 = [&](auto fn) { return mapped(fn, v); };
  expect_error<NameError>("lax::psum", {"j", "bound here: i"},
                          [&] { map2([](const Array& x) { return lax::psum(x, "j"); }); });
  expect_error<NameError>("lax::psum", {"unbound axis name: j", "none"}, [&] { lax::psum(v, "j"); });
  expect_error<NameError>("lax::axis_index", {"j"}, [&] { lax::axis_index("j"); });
  expect_error<NameError>("lax::axis_size", {"j"}, [&] { lax::axis_size("j"); });
  expect_error<ValueError>("lax::pmean", {"no axis"},
                           [&] { map2([](const Array& x) { return lax::pmean(x, Names()); }); });
  expect_error<ValueError>("lax::pmax", {"'i' comes twice", "('i', 'i')"}, [&] {
    map2([](const Array& x) { return lax::pmax(x, {"i", "i"}); });
  });
  expect_error<IndexError>("lax::all_gather", {"axis is 5", "float32[6]"},
                           [&] { map2([](const Array& x) { return lax::all_gather(x, "i", {.axis = 5}); }); });
  auto scattered = [&](const Array& rows, lax::ScatterOptions o, Loc loc = Loc::current()) {
    return mapped([&](const Array& x) { return lax::psum_scatter({x, loc}, "i", o); }, rows);
  };
  expect_error<IndexError>("lax::psum_scatter", {"scatter_dimension is 1", "float32[6]"},
                           [&] { scattered(v, {.scatter_dimension = 1}); });
  expect_error<ShapeError>("lax::psum_scatter", {"6", "4"}, [&] { scattered(v, {}); });
  expect_error<ShapeError>("lax::psum_scatter", {"6", "4"}, [&] { scattered(v, {.tiled = true}); });
  expect_error<IndexError>("lax::all_to_all", {"split_axis is 1", "float32[6]"},
                           [&] { map2([](const Array& x) { return lax::all_to_all(x, "i", 1, 0); }); });
  expect_error<IndexError>("lax::all_to_all", {"concat_axis is -2147483648"},
                           [&] { map2([](const Array& x) { return lax::all_to_all(x, "i", 0, kLeast); }); });
  expect_error<ShapeError>("lax::all_to_all", {"6", "4"},
                           [&] { map2([](const Array& x) { return lax::all_to_all(x, "i", 0, 0); }); });
  expect_error<IndexError>("lax::ppermute", {"9", "4"}, [&] {
    map2([](const Array& x) { return lax::ppermute(x, "i", {{0, 9}}); });
  });
  expect_error<ValueError>("lax::ppermute", {"(0, 2)", "second time"}, [&] {
    map2([](const Array& x) { return lax::ppermute(x, "i", {{0, 1}, {0, 2}}); });
  });
  expect_error<ValueError>("lax::pshuffle", {"[0, 0, 1, 2]", "4"}, [&] {
    map2([](const Array& x) { return lax::pshuffle(x, "i", {0, 0, 1, 2}); });
  });
  expect_error<IndexError>("lax::pbroadcast", {"no device 4", "4", "('i',)"},
                           [&] { map2([](const Array& x) { return lax::pbroadcast(x, "i", 4); }); });
  using Groups = lax::AxisGroups;
  auto grouped = [&](const Groups& g, Loc loc = Loc::current()) {
    return map2([&](const Array& x) { return lax::psum(x, "i", {.axis_index_groups = g}, loc); });
  };
  expect_error<ValueError>("lax::psum", {"[[0, 1], [2, 7]]", "device 7", "4 along ('i',)"}, [&] {
    grouped({{0, 1}, {2, 7}});
  });
  expect_error<ValueError>("lax::psum", {"[[0, 1], [1, 2]]", "device 1 twice"}, [&] { grouped({{0, 1}, {1, 2}}); });
  expect_error<ValueError>("lax::psum", {"leave out the devices 2, 3"}, [&] { grouped({{0, 1}}); });
  const lax::GatherOptions uneven{.axis_index_groups = {{0}, {1, 2, 3}}};
  expect_error<ValueError>("lax::all_gather", {"differ in size"},
                           [&] { map2([&](const Array& x) { return lax::all_gather(x, "i", uneven); }); });
  expect_error<ShapeError>("lax::psum_scatter", {"dim 0", "float32[3]", "2 devices"}, [&] {
    scattered(row, {.axis_index_groups = {{0, 1}, {2, 3}}});
  });
  ShardMapOptions rows{.mesh = grid(), .in_specs = P("x"), .out_specs = P("x")};
  expect_error<ValueError>("lax::pvary", {"'x'", "already"},
                           [&] { shard_map([](const Array& x) { return lax::pvary(x, "x"); }, rows)(ones({8})); });
}

TEST(ErrorsOfControlFlow, CarriesAndBranches) {
  Array v = ones({3}), s = ones({});
  using Arrays = std::vector<Array>;
  auto keep = [](const Array& c, const Array& x) { return std::pair{c + x, x}; };
  expect_error<ShapeError>("scan", {"scalar", "float32[]"}, [&] { lax::scan(keep, s, s); });
  expect_error<ShapeError>("scan", {"length is 5", "float32[3]"}, [&] { lax::scan(keep, s, v, {.length = 5}); });
  auto pairs = [](const Array& c, const Arrays& x) { return std::pair{c, x[0]}; };
  expect_error<ShapeError>("scan", {"3 and 4", "float32[4]"}, [&] { lax::scan(pairs, s, Arrays{v, ones({4})}); });
  expect_error<ValueError>("scan", {"no length"}, [&] {
    lax::scan([](const Array& c, none_t) { return std::pair{c, c}; }, s, none, {});
  });
  expect_error<TypeError>("scan", {"float32[]", "float32[2]"}, [&] {
    lax::scan([](const Array&, const Array& x) { return std::pair{ones({2}), x}; }, s, v);
  });
  auto shorter = [](const Arrays& c, const Array& x) { return std::pair{Arrays{c[0]}, x}; };
  expect_error<TypeError>("scan", {"2 arrays", "returns 1"}, [&] { lax::scan(shorter, Arrays{s, s}, v); });
  expect_error<TypeError>("fori_loop", {"float32[]", "int32[]"}, [&] {
    lax::fori_loop(
        0, 2, [](const Array&, const Array& c) { return c.astype(int32); }, s);
  });
  expect_error<TypeError>("while_loop", {"float32[3]", "bool"}, [&] { lax::while_loop(self, self, v); });
  expect_error<TypeError>("cond", {"float32[3]", "scalar"}, [&] { lax::cond(v, self, self, v); });
  auto traced = [](auto fn) { return jit([fn](const Array& p) { return fn(p); })(ones({})); };
  auto cut = [](const Array& x) { return lax::slice(x, {0}, {2}); };
  expect_error<TypeError>("cond", {"float32[3]", "float32[2]"},
                          [&] { traced([&](const Array& p) { return lax::cond(p > 0, self, cut, v); }); });
  expect_error<TypeError>("switch_", {"float32[]", "integer"}, [&] { lax::switch_(s, std::tuple{&self, &self}, v); });
  auto step = [](const Array&, const Array& c) { return c; };
  expect_error<TypeError>("fori_loop", {"float32[3]"}, [&] { lax::fori_loop(0, v, step, s); });
  auto small = [](const Array& c) { return c < 3; };
  expect_error<UnsupportedError>("while_loop", {"max_steps", "jvp"}, [&] {
    grad([&](const Array& x) {
      return lax::while_loop(
          small, [](const Array& c) { return c * 2; }, x);
    })(s);
  });
  expect_error<ValueError>("scan", {"unroll is -1"}, [&] { lax::scan(keep, s, v, {.unroll = -1}); });
  expect_error<ValueError>("scan", {"checkpoint_every is -2"},
                           [&] { lax::scan(keep, s, v, {.checkpoint_every = -2}); });
  expect_error<ValueError>("map", {"batch_size is -1"}, [&] { lax::map(self, v, {.batch_size = -1}); });
  expect_error<IndexError>("associative_scan", {"axis 1", "float32[3]"}, [&] {
    lax::associative_scan([](const Array& a, const Array& b) { return a + b; }, v, {.axis = 1});
  });
}

// Members of a carry have names.
TEST(ErrorsOfControlFlow, NameTheMemberOfTheCarry) {
  struct Body {
    Array position, speed;
  };
  struct World {
    std::vector<Body> bodies;
    int steps = 0;
  };
  const World world{{Body{ones({3}), array(1)}, Body{ones({3}), array(1)}}};
  auto faster = [](const Array&, const World& w) {
    World next = w;
    next.bodies[1].speed = w.bodies[1].speed * 1.5f;
    return next;
  };
  expect_error<TypeError>("fori_loop", {"carry.bodies[1].speed", "int32[]", "float32[]", "astype"},
                          [&] { lax::fori_loop(0, 2, faster, world); });
  auto longer = [](const World& w) {
    World next = w;
    next.bodies[0].position = concatenate({w.bodies[0].position, ones({1})});
    return next;
  };
  auto never = [](const World& w) { return w.bodies[0].speed < 0; };
  expect_error<TypeError>("while_loop", {"carry.bodies[0].position", "float32[3]", "float32[4]"},
                          [&] { lax::while_loop(never, longer, world); });
  auto counted = [](const World& w, none_t) {
    World next = w;
    ++next.steps;
    return std::pair{next, w.bodies[0].speed};
  };
  expect_error<TypeError>("scan", {"steps", "0 and 1"}, [&] { lax::scan(counted, world, none, {.length = 2}); });
}

// Devices that decide differently cannot meet in a collective.
TEST(ErrorsOfControlFlow, DevicesDecideTogether) {
  const ShardMapOptions rows{.mesh = make_mesh({4}, {"x"}), .in_specs = P("x"), .out_specs = P("x")};
  auto mean = [](const Array& c) { return lax::pmean(c, "x") + c; };
  auto alone = [](const Array& c) { return sum(c) < 9; };
  auto together = [](const Array& c) { return lax::psum(sum(c), "x") < 99; };
  expect_error<ValueError>("while_loop", {"'x'", "pmax"}, [&] {
    shard_map([=](const Array& x) { return lax::while_loop(alone, mean, x); }, rows)(ones({8}));
  });
  shard_map([=](const Array& x) { return lax::while_loop(together, mean, x); }, rows)(ones({8}));
  expect_error<ValueError>("cond", {"'x'"}, [&] {
    shard_map([=](const Array& x) { return lax::cond(sum(x) < 9, mean, self, x); }, rows)(ones({8}));
  });
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
