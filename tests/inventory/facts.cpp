// More of rows 2, 9, 10, 12, 14 to 17, 19, 22, 23, 25, 87 and 88: values and texts, recorded from jax 0.10.2 where
// nothing else is said.
#include <cmath>
#include <sstream>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

std::vector<int> ids(const std::vector<Device>& devices) {
  std::vector<int> out;
  for (const Device& d : devices) out.push_back(d.id());
  return out;
}

TEST(row_02_device, IsAValue) {
  std::vector<Device> all = devices();
  EXPECT_EQ(all[0], Device(0));
  EXPECT_NE(all[0], Device(0, "gpu", "H100"));
  EXPECT_EQ(Device(2, "gpu", "H100").str(), "CudaDevice(id=2)");
  EXPECT_EQ(Device(3, "tpu", "TPU v3", {.coords = {1, 0, 0}, .core_on_chip = 1}).str(),
            "TpuDevice(id=3, process_index=0, coords=(1,0,0), core_on_chip=1)");
}

TEST(row_09_shape_reshape_sum, Values) {
  Array x = arange(24.f).reshape(2, 3, 4);
  expect_values(x.sum(1).reshape(-1), {12, 15, 18, 21, 48, 51, 54, 57});
  expect_values(x.sum({0, 2}, true).reshape(-1), {60, 92, 124});
  expect_values(x.sum(-1).reshape(-1), {6, 22, 38, 54, 70, 86});
  EXPECT_EQ(x.reshape(4, -1)[1].to_vector<float>(), (std::vector<float>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(static_cast<int>((arange(4) > 1).sum()), 2);
  expect_values(x.max({0, 1}), {20, 21, 22, 23});
  EXPECT_EQ(x.nbytes(), 96);
  EXPECT_EQ(x.shape(-1), 4);
}

TEST(row_10_operators, Values) {
  expect_values<int>(floor_divide(array({7, -7, 7, -7}), array({2, 2, -2, -2})), {3, -4, -4, 3});
  expect_values<int>(array({7, -7, 7, -7}) % array({2, 2, -2, -2}), {1, 1, -1, -1});
  expect_values(array({7.5f, -7.5f}) % 2, {1.5, 0.5});
  expect_values(1 / array({2.f, 4.f}), {0.5, 0.25});
  expect_values(-array({1.f, -2.f}), {-1, 2});
  Array row = arange(3.f), column = arange(2.f).reshape(2, 1);
  expect_values((row + 10 * column).reshape(-1), {0, 1, 2, 10, 11, 12});
  Array x = arange(3.f);
  Array before = x;
  x += 2;
  x *= array({1.f, 2.f, 3.f});
  expect_values(x, {2, 6, 12});
  expect_values(before, {0, 1, 2});  // arrays are values
  // On cut operands as on whole ones.
  Array a = arange(32.f).reshape(8, 4), cut = device_put(a, NamedSharding(mesh42(), P("x", "y"))),
        across = device_put(a * 2, NamedSharding(mesh42(), P("y", "x")));
  expect_values((cut * across - 1).reshape(-1), (a * (a * 2) - 1).reshape(-1).to_vector<float>());
  expect_values((cut + arange(4.f)).reshape(-1), (a + arange(4.f)).reshape(-1).to_vector<float>());
}

TEST(row_12_print, IsNumpysTextOfAnyArray) {
  EXPECT_EQ(repr(arange(2000.f)),
            "Array([0.000e+00, 1.000e+00, 2.000e+00, ..., 1.997e+03, 1.998e+03,\n       1.999e+03], dtype=float32)");
  EXPECT_EQ(repr(array({{1e-5f, 1.f}, {123456.f, -2.5f}})),
            "Array([[ 1.00000e-05,  1.00000e+00],\n       [ 1.23456e+05, -2.50000e+00]], dtype=float32)");
  EXPECT_EQ(str(array({{1e-5f, 1.f}, {123456.f, -2.5f}})),
            "[[ 1.00000e-05  1.00000e+00]\n [ 1.23456e+05 -2.50000e+00]]");
  EXPECT_EQ(repr(array({1e10f, 1.f})), "Array([1.e+10, 1.e+00], dtype=float32)");
  EXPECT_EQ(repr(array({true, false})), "Array([ True, False], dtype=bool)");
  EXPECT_EQ(repr(array({NAN, INFINITY, -1.f})), "Array([nan, inf, -1.], dtype=float32)");
  EXPECT_EQ(str(arange(30) * 1000),
            "[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000\n 12000 13000 14000 15000 16000 "
            "17000 18000 19000 20000 21000 22000 23000\n 24000 25000 26000 27000 28000 29000]");
  EXPECT_EQ(repr(array(3.f)), "Array(3., dtype=float32)");
  EXPECT_EQ(str(array(3.f)), "3.0");
  EXPECT_EQ(repr(arange(3).astype(bfloat16)), "Array([0, 1, 2], dtype=bfloat16)");
  Array x = arange(16.f).reshape(4, 4);
  EXPECT_EQ(repr(device_put(x, NamedSharding(make_mesh({2, 2}, {"x", "y"}), P("y", "x")))), repr(x));
}

TEST(row_14_committed, DecidesWhoMoves) {
  Array on_2 = device_put(arange(4.f), Device(2)), free = ones({4});
  EXPECT_EQ((on_2 + free).devices(), (std::set<Device>{Device(2)}));
  EXPECT_EQ((free + on_2).devices(), (std::set<Device>{Device(2)}));
  EXPECT_FALSE(jit([](const Array& x) { return x * 2; })(free).committed());
  EXPECT_TRUE(jit([](const Array& x) { return x * 2; })(on_2).committed());
  EXPECT_TRUE(sum(on_2).committed());
  EXPECT_FALSE(free.reshape(2, 2).committed());
  expect_error<DeviceError>([&] { on_2 + device_put(free, Device(3)); }, {"[2]", "[3]"});
}

struct WithX64 {
  WithX64() { enable_x64(true); }
  ~WithX64() { enable_x64(false); }
};

TEST(row_15_host_values, Have64BitsWhenAskedFor) {
  const std::vector<double> third = {1.0 / 3, 1e300};
  expect_values(array(std::vector<double>{0.5, 2}, Shape{2}), {0.5, 2});
  expect_values<int>(array(std::vector<std::int64_t>{-3, 7}, Shape{2}), {-3, 7});
  EXPECT_EQ(array(std::vector<bool>{true, false}, Shape{2}).dtype(), bool_);
  EXPECT_EQ(array(std::vector<std::uint8_t>{200}, Shape{1}).dtype(), uint8);
  {
    WithX64 wide;
    EXPECT_EQ(array(third, Shape{2}).dtype(), float64);
    EXPECT_EQ(array(third, Shape{2}).to_vector<double>(), third);
    EXPECT_EQ(array({1L, 1L << 40}).dtype(), int64);
    EXPECT_EQ((array({1L, 1L << 40}) * 2).to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 1L << 41}));
    EXPECT_EQ(arange(3).dtype(), int64);
    EXPECT_EQ(sin(array(third, Shape{2})).dtype(), float64);
  }
  EXPECT_EQ(arange(3).dtype(), int32);
}

TEST(row_16_mesh, Compares) {
  set_cpu_devices(8);
  std::vector<Device> all = devices();
  Mesh mesh(all, {4, 2}, {"a", "b"});
  EXPECT_EQ(mesh.shape(), (Shape{4, 2}));
  EXPECT_EQ(mesh.str(), "Mesh('a': 4, 'b': 2, axis_types=(Auto, Auto))");
  EXPECT_EQ(mesh, make_mesh({4, 2}, {"a", "b"}));
  EXPECT_NE(mesh, make_mesh({2, 4}, {"a", "b"}));
  EXPECT_NE(mesh, make_mesh({4, 2}, {"b", "a"}));
  EXPECT_NE(mesh, Mesh({all.rbegin(), all.rend()}, {4, 2}, {"a", "b"}));
  EXPECT_EQ(mesh.devices().shape(), (Shape{4, 2}));
  EXPECT_EQ(mesh.axis_index("b"), 1);
  expect_error<ValueError>([&] { mesh.size("c"); }, {"'c'", "'a'", "'b'"});
  expect_error<ValueError>([&] { Mesh(all, {4, 2}, {"a", "a"}); }, {"'a'"});
  expect_error<DeviceError>([&] { Mesh({all[0], all[0]}, "x"); }, {"0"});
  expect_error<ValueError>([&] { Mesh(all, {3, 2}, {"a", "b"}); }, {"8", "6"});
  // The order of the devices is the order of the parts.
  Array x = device_put(arange(4), NamedSharding(Mesh({all[6], all[1], all[4], all[3]}, "x"), P("x")));
  std::vector<int> where;
  for (const Shard& s : x.addressable_shards()) {
    where.push_back(s.device.id());
    expect_values<int>(s.data(), {static_cast<int>(where.size()) - 1});
  }
  EXPECT_EQ(where, (std::vector<int>{6, 1, 4, 3}));
}

TEST(row_17_make_mesh, OverGivenDevices) {
  set_cpu_devices(8);
  std::vector<Device> all = devices();
  EXPECT_EQ(ids(make_mesh({2, 2}, {"x", "y"}, {all.begin() + 3, all.end()}).device_list()),
            (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(ids(make_mesh({8}, {"x"}).device_list()), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  expect_error<DeviceError>([&] { make_mesh({4}, {"x"}, {all.begin(), all.begin() + 2}); }, {"2", "4"});
  expect_error<ValueError>([] { make_mesh({2, 2}, {"x"}); }, {"2", "1"});
}

TEST(row_19_partition_spec, NormalisesItsEntries) {
  EXPECT_EQ(P("x").str(), "P('x',)");
  EXPECT_EQ(P(axes("x", "y"), none).str(), "P(('x', 'y'), None)");
  EXPECT_EQ(P(axes("x"), "y"), P("x", "y"));
  EXPECT_NE(P("x", "y"), P("y", "x"));
  EXPECT_NE(P(axes("x", "y")), P("x", "y"));
}

TEST(row_22_named_sharding, PlacesAndCompares) {
  Mesh mesh = mesh42();
  EXPECT_EQ(NamedSharding(mesh, P("x")), NamedSharding(make_mesh({4, 2}, {"x", "y"}), P("x")));
  EXPECT_NE(NamedSharding(mesh, P("x")), NamedSharding(mesh, P("y")));
  EXPECT_NE(NamedSharding(mesh, P("x")), NamedSharding(line8(), P("x")));
  expect_error<ShardingError>([&] { NamedSharding(mesh, P("x", none, "y")).shard_shape({8, 8}); }, {"2", "3"});
  // Element [i, j] lies where the mesh's coordinates say.
  Array x = device_put(arange(32).reshape(8, 4), NamedSharding(mesh, P("y", "x")));
  for (const Shard& s : x.addressable_shards()) {
    const int row = s.device.id() / 2, column = s.device.id() % 2;
    EXPECT_EQ(s.index[0], (std::pair<std::int64_t, std::int64_t>{4 * column, 4 * column + 4}));
    EXPECT_EQ(s.index[1], (std::pair<std::int64_t, std::int64_t>{row, row + 1}));
    expect_values<int>(s.data().reshape(-1),
                       {16 * column + row, 16 * column + 4 + row, 16 * column + 8 + row, 16 * column + 12 + row});
  }
}

TEST(row_23_positional_sharding, HoldsItsCells) {
  set_cpu_devices(8);
  PositionalSharding s = PositionalSharding(mesh_utils::create_device_mesh({8})).reshape(4, 2);
  auto starts = [](const Sharding& sharding, const Shape& shape) {
    std::vector<std::vector<std::int64_t>> out(8);
    for (const Shard& part : device_put(zeros(shape), sharding).addressable_shards())
      for (auto [start, stop] : part.index) out[static_cast<std::size_t>(part.device.id())].push_back(start);
    return out;
  };
  using Starts = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(starts(s, {4, 2}), (Starts{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}}));
  EXPECT_EQ(starts(s.T(), {2, 4}), (Starts{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}}));
  EXPECT_EQ(starts(s.replicate(0), {4, 2}), (Starts{{0, 0}, {0, 1}, {0, 0}, {0, 1}, {0, 0}, {0, 1}, {0, 0}, {0, 1}}));
  EXPECT_EQ(starts(s.replicate(1), {4, 2}), (Starts{{0, 0}, {0, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}, {3, 0}, {3, 0}}));
  EXPECT_EQ(s.replicate(1, false).shape(), (Shape{4}));
  EXPECT_EQ(s, PositionalSharding(mesh_utils::create_device_mesh({4, 2})));
  EXPECT_NE(s, s.replicate(1));
  // jax 0.4.38: repr(PositionalSharding(devices).reshape(4, 2).replicate(0)).
  EXPECT_NE(s.replicate(0).str().find("[{CPU 0, 2, 4, 6} {CPU 1, 3, 5, 7}]"), std::string::npos)
      << s.replicate(0).str();
  expect_error<ShardingError>([&] { s.reshape(3, 2); }, {"8", "(3, 2)"});
}

TEST(row_25_single_device_sharding, SaysWhere) {
  set_cpu_devices(8);
  Array x = device_put(arange(6).reshape(2, 3), Device(2));
  EXPECT_EQ(x.sharding().str(), "SingleDeviceSharding(device=CpuDevice(id=2), memory_kind=device)");
  EXPECT_EQ(x.sharding().shard_shape({2, 3}), (Shape{2, 3}));
  EXPECT_EQ(x.addressable_shards()[0].index[1], (std::pair<std::int64_t, std::int64_t>{0, 3}));
  EXPECT_NE(SingleDeviceSharding(Device(2)), SingleDeviceSharding(Device(3)));
  expect_values<int>(x.addressable_shards()[0].data().reshape(-1), {0, 1, 2, 3, 4, 5});
}

// The second document's network, trained in JAX as in row_87_training: the loss before and after ten steps, and the
// last bias.
TEST(row_87_training, MakesJaxsSteps) {
  using Params = std::vector<std::pair<Array, Array>>;
  const std::vector<int> sizes{8, 16, 16, 16, 4};
  Params params;
  std::vector<Array> keys = random::split(random::key(0), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    auto [wk, bk] = random::split<2>(keys[i]);
    params.emplace_back(random::normal(wk, {sizes[i], sizes[i + 1]}) / sqrt(Array(sizes[i])),
                        random::normal(bk, {sizes[i + 1]}));
  }
  auto [ik, tk] = random::split<2>(random::key(1));
  std::pair batch{random::normal(ik, {16, 8}), random::normal(tk, {16, 4})};
  auto loss = [](const Params& params, const std::pair<Array, Array>& batch) {
    Array in = batch.first, out;
    for (const auto& [w, b] : params) {
      out = dot(in, w) + b;
      in = maximum(out, 0);
    }
    return mean(sum(square(out - batch.second), -1));
  };
  auto train = [&](Params p, const std::pair<Array, Array>& b) {
    EXPECT_NEAR(static_cast<float>(loss(p, b)), 9.5432767868042f, 1e-5);
    for (int i = 0; i < 10; ++i)
      p = tree::map([](const Array& p, const Array& g) { return p - 1e-2f * g; }, p, jit(grad(loss))(p, b));
    EXPECT_NEAR(static_cast<float>(loss(p, b)), 3.9076192378997803f, 1e-5);
    expect_values(p[3].second, {0.931540012f, 0.210882559f, -0.387976229f, 0.58211273f}, 3e-6);
  };
  train(params, batch);
  Mesh mesh = make_mesh({4, 2}, {"batch", "model"});
  Params placed = device_put(params, NamedSharding(mesh, P()));
  placed[1].first = device_put(placed[1].first, NamedSharding(mesh, P(none, "model")));
  train(placed, device_put(batch, NamedSharding(mesh, P("batch", none))));
}

TEST(row_88_reshape_for_pmap, GivesEachDeviceItsRows) {
  Array parts = arange(48.f).reshape(8, 2, 3);
  expect_values(pmap([](const Array& x) { return x.sum(); })(parts), {15, 51, 87, 123, 159, 195, 231, 267});
  Array means = pmap([](const Array& x) { return lax::pmean(x.sum(0), "batch"); }, {.axis_name = "batch"})(parts);
  EXPECT_EQ(means.shape(), (Shape{8, 3}));
  for (const Shard& s : means.addressable_shards()) expect_values(s.data().reshape(-1), {45, 47, 49});
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
