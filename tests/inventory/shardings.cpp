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
  EXPECT_EQ(grid.flat(), devices());
  expect_error<DeviceError>([] { mesh_utils::create_device_mesh({2, 2}); }, {"8", "4"});
}

// The grid of described devices, in the order of the topology: the ids.
std::vector<int> order(const DeviceGrid& grid) {
  std::vector<int> out;
  for (const Device& d : grid.flat()) out.push_back(d.id());
  return out;
}

// A box of TPU chips.
std::vector<Device> tpus(const char* kind, std::array<int, 3> box, int cores = 1, int slices = 1) {
  std::vector<Device> out;
  for (int slice = 0; slice < slices; ++slice)
    for (int z = 0; z < box[2]; ++z)
      for (int y = 0; y < box[1]; ++y)
        for (int x = 0; x < box[0]; ++x)
          for (int core = 0; core < cores; ++core)
            out.push_back(Device(static_cast<int>(out.size()), "tpu", kind,
                                 {.coords = {x, y, z}, .core_on_chip = core, .slice_index = slices > 1 ? slice : -1}));
  return out;
}

// More in tests/mesh/topology.cpp, which has 334 orders recorded from JAX.
TEST(row_18_create_device_mesh, OrdersByTopology) {
  using mesh_utils::create_device_mesh;
  // The document's own picture: a board of 8 cores is a ring.
  EXPECT_EQ(order(create_device_mesh({2, 4}, tpus("TPU v3", {2, 2, 1}, 2))),
            (std::vector<int>{0, 1, 2, 3, 6, 7, 4, 5}));
  EXPECT_EQ(order(make_mesh({4, 2}, {"x", "y"}, tpus("TPU v2", {2, 2, 1}, 2)).devices()),
            (std::vector<int>{0, 1, 2, 3, 6, 7, 4, 5}));
  EXPECT_EQ(order(create_device_mesh({2, 8}, tpus("TPU v3", {4, 2, 1}, 2))),
            (std::vector<int>{0, 1, 2, 3, 6, 7, 4, 5, 8, 9, 10, 11, 14, 15, 12, 13}));
  EXPECT_EQ(order(create_device_mesh({2, 2}, tpus("TPU v5 lite", {2, 2, 1}))), (std::vector<int>{0, 1, 3, 2}));
  EXPECT_EQ(order(create_device_mesh({4, 2}, tpus("TPU v4", {2, 4, 1}))), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(order(create_device_mesh({2, 4}, tpus("TPU v4", {2, 4, 1}))), (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7}));
  std::vector<Device> gpus{Device(3, "gpu", "H100"), Device(0, "gpu", "H100"), Device(2, "gpu", "H100"),
                           Device(1, "gpu", "H100")};
  EXPECT_EQ(order(create_device_mesh({2, 2}, gpus)), (std::vector<int>{0, 1, 2, 3}));
  // CPU devices of one process come as given: another order is another mesh.
  EXPECT_EQ(order(create_device_mesh({2, 2}, {Device(3), Device(0), Device(2), Device(1)})),
            (std::vector<int>{3, 0, 2, 1}));
}

TEST(row_18_create_device_mesh, TakesTheOptions) {
  using mesh_utils::create_device_mesh;
  std::vector<Device> square = tpus("TPU v4", {4, 4, 1});
  expect_error<UnsupportedError>(
      [&] {
        create_device_mesh({2, 8}, square);
      },
      {"(2, 8)", "(4, 4, 1)", "allow_split_physical_axes"});
  EXPECT_EQ(order(create_device_mesh({2, 8}, square, {.allow_split_physical_axes = true})),
            (std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15}));
  std::vector<Device> cube = tpus("TPU v4", {4, 4, 4});
  std::vector<int> plain = order(create_device_mesh({16, 4}, cube)),
                   boxes = order(create_device_mesh({16, 4}, cube, {.contiguous_submeshes = true}));
  EXPECT_NE(plain, boxes);
  expect_error<DeviceError>(
      [&] {
        create_device_mesh({4, 16}, cube, {.contiguous_submeshes = true});
      },
      {"(4, 16)", "(4, 4, 4)", "(16, 4)"});
  cube.pop_back();
  expect_error<DeviceError>([&] { create_device_mesh({7, 9}, cube); }, {"63", "(4, 4, 4)"});
}

TEST(row_18_create_device_mesh, JoinsSlicesAndProcesses) {
  using mesh_utils::create_hybrid_device_mesh;
  std::vector<Device> two = tpus("TPU v4", {2, 2, 1}, 1, 2);
  DeviceGrid rows = create_hybrid_device_mesh({2, 2}, {2, 1}, two),
             columns = create_hybrid_device_mesh({2, 2}, {1, 2}, two);
  EXPECT_EQ(rows.shape(), (Shape{4, 2}));
  EXPECT_EQ(order(rows), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(columns.shape(), (Shape{2, 4}));
  EXPECT_EQ(order(columns), (std::vector<int>{0, 1, 4, 5, 2, 3, 6, 7}));
  expect_error<DeviceError>([&] { create_hybrid_device_mesh({2, 2}, {3, 1}, two); }, {"2 slices", "(3, 1)"});
  expect_error<DeviceError>(
      [&] {
        create_hybrid_device_mesh({4}, {1}, tpus("TPU v4", {2, 2, 1}));
      },
      {"slice", "process_is_granule"});
  expect_error<DeviceError>([&] { make_mesh({8}, {"x"}, two); }, {"slices", "create_hybrid_device_mesh"});
  EXPECT_EQ(order(create_hybrid_device_mesh({2, 2}, {1, 1}, tpus("TPU v4", {2, 2, 1}), {.process_is_granule = true})),
            (std::vector<int>{0, 1, 2, 3}));
  // Of several processes each holds a box: here of 2 by 2.
  std::vector<Device> hosts;
  for (int i = 0; i < 12; ++i) hosts.push_back(Device(i, "cpu", "cpu", {.process_index = i / 4}));
  EXPECT_EQ(order(mesh_utils::create_device_mesh({2, 6}, hosts)),
            (std::vector<int>{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11}));
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
    for (const Shard& s : device_put(arange(8), NamedSharding(mesh42(), spec)).addressable_shards())
      out.push_back(s.index[0].first);
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

TEST(row_22_named_sharding, LeavesDimsOpenInConstraintsOnly) {
  NamedSharding open(mesh42(), P("y", P::unconstrained));
  Array x = device_put(zeros({8, 4}), NamedSharding(mesh42(), P(none, "x")));
  auto same = [](const Array& a) { return a + 1; };
  EXPECT_EQ(jit([&](const Array& a) { return with_sharding_constraint(a, open); })(x).sharding(),
            NamedSharding(mesh42(), P("y", "x")));
  expect_error<ShardingError>([&] { jit(same, {.out_shardings = open})(x); }, {"out_shardings", "UNCONSTRAINED"});
  expect_error<ShardingError>([&] { jit(same, {.in_shardings = open})(x); }, {"in_shardings", "UNCONSTRAINED"});
  expect_error<ShardingError>([&] { device_put(x, open); }, {"device_put", "UNCONSTRAINED"});
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
  EXPECT_EQ(f(x).sharding(), x.sharding());  // "shardings match: True"
  Sharding one = NamedSharding(make_mesh({1}, {"x"}), P("x"));
  EXPECT_TRUE(one.is_equivalent_to(SingleDeviceSharding(devices()[0]), 1));
  EXPECT_FALSE(one == SingleDeviceSharding(devices()[0]));
  EXPECT_TRUE(NamedSharding(mesh, P(axes("x", "y"))).is_equivalent_to(NamedSharding(line8(), P("x")), 1));
}

// There are several ways to write one placement; results keep the one that came in, so that loops trace once.
TEST(row_26_sharding_equality, ResultsAreWrittenAsTheirArguments) {
  Mesh mesh = mesh42(), thin = make_mesh({8, 1}, {"x", "y"}), one = make_mesh({1, 1}, {"x", "y"});
  for (const Sharding& s : std::vector<Sharding>{
           NamedSharding(mesh, P("x", none)), NamedSharding(mesh, P(axes("x", "y"), none)),
           NamedSharding(thin, P("x", "y")), NamedSharding(one, P("x", "y")), NamedSharding(mesh, P(none, none))}) {
    SCOPED_TRACE(s.str());
    Array x = device_put(ones({8, 8}), s);
    auto f = jit([](const Array& x) { return 2 * sin(x) + 1; });
    EXPECT_EQ(sin(x).sharding(), s);
    Array y = x;
    for (int i = 0; i < 3; ++i) y = f(y);
    EXPECT_EQ(y.sharding(), s);
    EXPECT_EQ(f.cache_size(), 1u);
    EXPECT_EQ(jit([&](const Array& v) { return with_sharding_constraint(v * 2, s); })(ones({8, 8})).sharding(), s);
  }
}

TEST(row_27_create_mesh, IsMakeMesh) {
  // The documents name it in a comment only; make_mesh is the function.
  EXPECT_EQ(make_mesh({4, 2}, {"x", "y"}), Mesh({{"x", 4}, {"y", 2}}));
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
