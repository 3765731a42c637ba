// Errors of where arrays lie: device_put, constraints, blocks, jit's shardings, donation and compiled calls.
#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Params {
  Array w, b;
};
NamedSharding rows() { return NamedSharding(grid(), P("x", none)); }
Array same(const Array& x) { return x * 1; }

TEST(ErrorsOfPlacement, DevicePut) {
  Array v = ones({8}), m = ones({8, 4});
  expect_error<ShardingError>("device_put", {"P('x', None)", "rank at least 2", "float32[8]", "rank 1"},
                              [&] { device_put(v, rows()); });
  expect_error<ShardingError>("device_put", {"b (float32[4])", "'x': 4, 'y': 2"}, [] {
    device_put(Params{ones({8, 4}), ones({4})}, rows());
  });
  expect_error<ShardingError>("device_put", {"float32[]", "P()."}, [&] { device_put(1.0f, rows()); });
  expect_error<ShardingError>("device_put", {"float32[8,4]", "empty"}, [&] { device_put(m, Sharding()); });
  expect_error<ShardingError>("device_put", {"w (float32[8,4])", "empty"}, [&] {
    device_put(Params{m, v}, [](auto&, auto&) { return Sharding(); });
  });
  expect_error<ShardingError>("device_put", {"UNCONSTRAINED", "float32[8,4]"},
                              [&] { device_put(m, NamedSharding(grid(), P(P::unconstrained))); });
  expect_error<ShardingError>("NamedSharding", {"'z'", "('x', 'y')"}, [&] {
    device_put(Params{m, v}, grid(), {{"w", P("z")}});
  });
  expect_error<ShardingError>("device_put", {"PositionalSharding", "rank 1", "float32[8,4]"},
                              [&] { device_put(m, PositionalSharding(devices())); });
  expect_error<ShardingError>("zeros (device_put)", {"float32[8]", "rank 1"}, [] { zeros({8}, rows()); });
  expect_error<ShardingError>("full (device_put)", {"float32[8]", "empty"}, [] { full({8}, 1.0f, Sharding()); });
  expect_error<ValueError>("device_put", {"empty"}, [] { device_put(Array(), rows()); });
}

TEST(ErrorsOfPlacement, Constraints) {
  Array v = ones({8});
  expect_error<ShardingError>("with_sharding_constraint", {"rank at least 2", "float32[8]"},
                              [&] { with_sharding_constraint(v, rows()); });
  expect_error<ShardingError>("with_sharding_constraint", {"b (float32[8])"}, [&] {
    with_sharding_constraint(Params{ones({8, 4}), v}, rows());
  });
  expect_error<ShardingError>("with_sharding_constraint", {"float32[8]", "empty"},
                              [&] { with_sharding_constraint(v, Sharding()); });
  expect_error<ShardingError>("with_sharding_constraint", {"float32[8]"},
                              [&] { jit([](const Array& x) { return shard(x, rows()); })(v); });
}

TEST(ErrorsOfPlacement, Blocks) {
  NamedSharding s(make_mesh({2}, "x"), P("x"));
  Array one = device_put(ones({4}), Device(0)), two = device_put(ones({4}), Device(1)),
        far = device_put(ones({4}), Device(5));
  auto make = [](const Shape& shape, const Sharding& sharding, const std::vector<Array>& blocks,
                 Loc loc = Loc::current()) {
    return make_array_from_single_device_arrays(shape, sharding, blocks, loc);
  };
  const std::string what = "make_array_from_single_device_arrays";
  expect_error<ShardingError>(what, {"1 blocks", "2 devices", "P('x',)"}, [&] { make({8}, s, {one}); });
  expect_error<DeviceError>(what, {"different devices", "[0, 0]"}, [&] { make({8}, s, {one, one}); });
  expect_error<DeviceError>(what, {"{0, 1}", "{0, 5}"}, [&] { make({8}, s, {one, far}); });
  expect_error<ShardingError>(what, {"(4,)", "(5,)", "CpuDevice(id=0)"}, [&] { make({10}, s, {one, two}); });
  expect_error<TypeError>(what, {"CpuDevice(id=1)", "int32[4]", "float32"}, [&] {
    make({8}, s, {one, device_put(zeros({4}, int32), Device(1))});
  });
  expect_error<DeviceError>(what, {"2 devices", "float32[4]"}, [&] { make({8}, s, {one, device_put(ones({4}), s)}); });
  expect_error<ValueError>(what, {"block 1", "empty"}, [&] { make({8}, s, {one, Array()}); });
  expect_error<ValueError>(what, {"sharding", "(8,)", "empty"}, [&] { make({8}, Sharding(), {one}); });
  expect_error<ShardingError>(what, {"rank"}, [&] { make({}, s, {one, two}); });
  auto block = [](const ShardIndex&) { return ones({3}); };
  expect_error<ShardingError>("make_array_from_callback", {"(3,)", "(4,)"},
                              [&] { make_array_from_callback({8}, s, block); });
  expect_error<ValueError>("make_array_from_callback", {"empty"},
                           [&] { make_array_from_callback({8}, s, [](const ShardIndex&) { return Array(); }); });
  expect_error<ShapeError>("make_array_from_callback", {"(-8,)"}, [&] { make_array_from_callback({-8}, s, block); });
}

TEST(ErrorsOfPlacement, JitShardings) {
  Array v = ones({8}), m = device_put(ones({8, 4}), rows());
  auto pair = [](const Array& x) { return std::pair{x, x}; };
  expect_error<ValueError>("jit", {"in_shardings", "2 entries for 1 arguments"}, [&] {
    jit(same, {.in_shardings = {rows(), rows()}})(m);
  });
  expect_error<ValueError>("jit", {"out_shardings", "1 entries for 2 arrays"},
                           [&] { jit(pair, {.out_shardings = {{rows()}}})(m); });
  expect_error<ShardingError>("jit", {"arg0, in in_shardings", "(8,)"},
                              [&] { jit(same, {.in_shardings = rows()})(v); });
  expect_error<ShardingError>("jit", {"result 0, in out_shardings", "(8,)"},
                              [&] { jit(same, {.out_shardings = rows()})(v); });
  NamedSharding columns(grid(), P(none, "y"));
  expect_error<ShardingError>("jit", {"arg0", "float32[8,4]", "P(None, 'y')", "P('x', None)"},
                              [&] { jit(same, {.in_shardings = columns})(m); });
}

TEST(ErrorsOfPlacement, Donation) {
  Array v = ones({8}), w = ones({2, 3});
  auto add = [](const Array& x, const Array& y) { return x + y; };
  expect_error<ValueError>("jit", {"argument 2", "call has 1"}, [&] { jit(same, {.donate_argnums = {2}})(v); });
  expect_error<ValueError>("jit", {"argument -3"}, [&] { jit(same, {.donate_argnums = {-3}})(v); });
  expect_error<ValueError>("jit", {"-2147483648"},
                           [&] { jit(same, {.donate_argnums = {std::numeric_limits<int>::min()}})(v); });
  expect_error<ValueError>("jit", {"arg0", "float32[8]", "donated and also given as arg1"},
                           [&] { jit(add, {.donate_argnums = {0}})(v, v); });
  const Loc donated = Loc::current();
  jit(same, {.donate_argnums = {0}})(w);
  const std::string where = "placement_test.cpp:" + std::to_string(donated.line + 1);
  expect_error<DeletedError>("add", {"float32[2,3]", "donation as arg0 to jit", where}, [&] { w + 1; });
  expect_error<DeletedError>("jit", {"arg0", "float32[2,3]"}, [&] { jit(same)(w); });
  expect_error<DeletedError>("device_put", {"float32[2,3]"}, [&] { device_put(w, Device(0)); });
}

TEST(ErrorsOfPlacement, CompiledCalls) {
  auto f = jit(same);
  Array v = ones({8});
  auto compiled = f.lower(v).compile();
  expect_error<TypeError>("compiled call", {"arg0", "float32[9]", "float32[8]", "jitted at placement_test.cpp"},
                          [&] { compiled(ones({9})); });
  expect_error<TypeError>("compiled call", {"int32[8]", "float32[8]"}, [&] { compiled(zeros({8}, int32)); });
  expect_error<ShardingError>("compiled call", {"arg0", "float32[8]", "P('x',)"},
                              [&] { compiled(device_put(v, NamedSharding(grid(), P("x")))); });
  expect_error<TypeError>("compiled call", {"differ"}, [&] { compiled(Array()); });
  expect_error<TracerError>("compiled call", {"arg0", "recorded"},
                            [&] { jit([&](const Array& x) { return compiled(x); })(v); });
}

// The documents' words, and their last line.
TEST(ErrorsOfPlacement, DevicesThatDoNotGoTogether) {
  Array a = device_put(ones({8}), NamedSharding(make_mesh({2}, "x"), P("x"))), b = device_put(ones({8}), Device(3));
  try {
    a + b;
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& e) {
    std::string text = e.what();
    EXPECT_EQ(text.find("Received incompatible devices for jitted computation. Got argument x1 of add with shape "
                        "float32[8] and device ids [0, 1]"),
              0u)
        << text;
    EXPECT_NE(text.find("device_put"), text.npos) << text;
  }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
