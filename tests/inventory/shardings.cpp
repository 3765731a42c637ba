// Rows 16 to 27: meshes and shardings.
#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_16_mesh, IsAGridWithNames) {
  Mesh needs_eight = mesh42();
  std::vector<Device> all = devices();
  Mesh mesh(std::vector<Device>(all.begin(), all.begin() + 8), {4, 2}, {"a", "b"});
  EXPECT_EQ(mesh.size(), 8);
  EXPECT_EQ(mesh.size("a"), 4);
  EXPECT_EQ(mesh.axis_names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(mesh.device_list()[5].id(), 5);
  Mesh line({all.begin(), all.begin() + 4}, "x");
  EXPECT_EQ(line.axis_names(), (std::vector<std::string>{"x"}));
  expect_error<ValueError>([&] { Mesh({all.begin(), all.begin() + 8}, {4, 2}, {"a"}); }, {"2", "1"});
}

TEST(row_17_make_mesh, TakesTheFirstDevices) {
  Mesh mesh = make_mesh({2, 2}, {"x", "y"});
  EXPECT_EQ(str(mesh.device_list()), "[CpuDevice(id=0), CpuDevice(id=1), CpuDevice(id=2), CpuDevice(id=3)]");
  set_cpu_devices(8);
  expect_error<DeviceError>([] { make_mesh({4, 4}, {"x", "y"}); }, {"8", "16"});
}

TEST(row_18_create_device_mesh, UsesAllDevices) {
  set_cpu_devices(8);
  DeviceGrid grid = mesh_utils::create_device_mesh({2, 4});
  EXPECT_EQ(grid.shape(), (Shape{2, 4}));
  EXPECT_EQ(grid.size(), 8);
  expect_error<DeviceError>([] { mesh_utils::create_device_mesh({2, 2}); }, {"8", "4"});
}

TEST(row_19_partition_spec, PrintsAndCompares) {
  EXPECT_EQ(P("x", "y").str(), "P('x', 'y')");
  EXPECT_EQ(P(none, "y").str(), "P(None, 'y')");
  EXPECT_EQ(P().str(), "P()");
  EXPECT_EQ(P("x", "y"), PartitionSpec("x", "y"));
  EXPECT_NE(P("x"), P("x", none));
}

TEST(row_20_trailing_none, IsTheSameLayout) {
  Sharding a = NamedSharding(mesh42(), P("x")), b = NamedSharding(mesh42(), P("x", none));
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(a.is_equivalent_to(b, 2));
  EXPECT_EQ(a.shard_shape({8, 6}), b.shard_shape({8, 6}));
}

TEST(row_21_tuple_of_axes, FirstNameIsMajor) {
  auto order = [](const P& spec) {
    std::vector<std::int64_t> out;
    for (const Shard& s : device_put(arange(8), NamedSharding(mesh42(), spec)).addressable_shards()) out.push_back(s.index[0].first);
    return out;
  };
  EXPECT_EQ(order(P(axes("x", "y"))), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(order(P(axes("y", "x"))), (std::vector<std::int64_t>{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(row_22_named_sharding, RefusesUnknownAndDoubledAxes) {
  NamedSharding s(mesh42(), P("x", "y"));
  EXPECT_EQ(s.shard_shape({8, 4}), (Shape{2, 2}));
  EXPECT_FALSE(s.is_fully_replicated());
  EXPECT_TRUE(NamedSharding(mesh42(), P()).is_fully_replicated());
  expect_error<ShardingError>([] { NamedSharding(mesh42(), P("z")); }, {"'z'", "'x'", "'y'"});
  expect_error<ShardingError>([] { NamedSharding(mesh42(), P("x", "x")); }, {"'x'"});
}

TEST(row_23_positional_sharding, ReshapesReplicatesTransposes) {
  set_cpu_devices(8);
  PositionalSharding s(mesh_utils::create_device_mesh({8}));
  EXPECT_EQ(s.shape(), (Shape{8}));
  EXPECT_EQ(s.reshape(8, 1).shape(), (Shape{8, 1}));
  EXPECT_EQ(s.reshape(4, 2).T().shape(), (Shape{2, 4}));
  EXPECT_EQ(s.reshape(4, 2).replicate(0).shape(), (Shape{1, 2}));
  EXPECT_EQ(s.reshape(4, 2).ndim(), 2);
  Array x = device_put(zeros({16, 3}), s.reshape(8, 1));
  EXPECT_EQ(x.addressable_shards()[7].index[0], (std::pair<std::int64_t, std::int64_t>{14, 16}));
  expect_error<ShardingError>([&] { device_put(zeros({16}), s.reshape(8, 1)); }, {"PositionalSharding", "float32[16]"});
}

TEST(row_24_replicate, IsOneCellWithAllDevices) {
  set_cpu_devices(8);
  PositionalSharding all = PositionalSharding(mesh_utils::create_device_mesh({8, 1})).replicate();
  EXPECT_EQ(all.shape(), (Shape{1, 1}));
  EXPECT_TRUE(all.is_fully_replicated());
  // Fully replicated it fits arrays of any rank: biases too.
  EXPECT_TRUE(device_put(zeros({3}), all).is_fully_replicated());
  EXPECT_TRUE(device_put(zeros({3, 4, 5}), all).is_fully_replicated());
  // What a step returns lies, and is said to lie, as what it was given: the next step needs no new program.
  auto step = jit([&](const Array& b) { return shard(b + 1, all); });
  Array b = step(device_put(zeros({3}), all));
  EXPECT_EQ(b.sharding(), all) << b.sharding();
  step(b);
  EXPECT_EQ(step.cache_size(), 1u);
}

TEST(row_25_single_device_sharding, HoldsTheWholeArray) {
  Array x = device_put(arange(8), SingleDeviceSharding(line8().device_list()[2]));
  ASSERT_EQ(x.addressable_shards().size(), 1u);
  EXPECT_EQ(x.addressable_shards()[0].device.id(), 2);
  EXPECT_EQ(x.addressable_shards()[0].data().size(), 8);
}

TEST(row_26_sharding_equality, BothMeanings) {
  Mesh mesh = mesh42();
  auto f = jit([](const Array& x) { return 2 * sin(x) + 1; });
  Array x = device_put(zeros({8, 4}), NamedSharding(mesh, P("x", "y")));
  EXPECT_EQ(f(x).sharding(), x.sharding());   // "shardings match: True"
  Sharding one = NamedSharding(make_mesh({1}, {"x"}), P("x"));
  EXPECT_TRUE(one.is_equivalent_to(SingleDeviceSharding(devices()[0]), 1));
  EXPECT_FALSE(one == SingleDeviceSharding(devices()[0]));
  EXPECT_TRUE(NamedSharding(mesh, P(axes("x", "y"))).is_equivalent_to(NamedSharding(line8(), P("x")), 1));
}

TEST(row_27_create_mesh, IsMakeMesh) {
  // The documents name it in a comment only; make_mesh is the function.
  EXPECT_EQ(make_mesh({4, 2}, {"x", "y"}), Mesh({{"x", 4}, {"y", 2}}));
}

}  // namespace
}  // namespace tutti::inventory
