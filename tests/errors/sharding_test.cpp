// Errors of devices, meshes, specs and shardings.
#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// Devices are never fewer than here: all binaries of a test share their number.
constexpr std::int64_t kVast = std::int64_t{1} << 62;

TEST(ErrorsOfDevices, NumbersAndGrids) {
  expect_error<ValueError>("set_cpu_devices", {"0 devices", "from 1 to"}, [] { set_cpu_devices(0); });
  expect_error<ValueError>("set_cpu_devices", {"-2147483648"},
                           [] { set_cpu_devices(std::numeric_limits<int>::min()); });
  expect_error<ValueError>("set_cpu_devices", {"2147483647"}, [] { set_cpu_devices(std::numeric_limits<int>::max()); });
  std::vector<Device> two = {Device(0), Device(1)};
  expect_error<ValueError>("DeviceGrid", {"2 devices", "(3,)"}, [&] { DeviceGrid(two, {3}); });
  expect_error<ValueError>("DeviceGrid", {"size 0", "(2, 0)"}, [&] { DeviceGrid(two, {2, 0}); });
  expect_error<DeviceError>("DeviceGrid", {"simulated"}, [&] { DeviceGrid(two, {kVast, kVast}); });
  expect_error<ValueError>("DeviceGrid", {"(5,)"}, [&] { DeviceGrid(two, {2}).reshape({5}); });
  expect_error<DeviceError>("mesh_utils::create_device_mesh", {"2", "(3, 1)", "must equal"}, [&] {
    mesh_utils::create_device_mesh({3, 1}, two);
  });
  expect_error<ValueError>("mesh_utils::create_device_mesh", {"size -1"},
                           [&] { mesh_utils::create_device_mesh({-1}); });
  expect_error<DeviceError>("mesh_utils::create_device_mesh", {"simulated"}, [&] {
    mesh_utils::create_device_mesh({kVast, 4});
  });
}

TEST(ErrorsOfMeshes, Construction) {
  std::vector<Device> two = {Device(0), Device(1)};
  expect_error<ValueError>("make_mesh (Mesh)", {"2 dims (4, 2)", "1 axis name", "('x',)"}, [] {
    make_mesh({4, 2}, "x");
  });
  expect_error<ValueError>("make_mesh", {"size 0", "(0, 2)"}, [] { make_mesh({0, 2}, {"x", "y"}); });
  expect_error<ValueError>("make_mesh", {"size -4"}, [] { make_mesh({-4}, "x"); });
  expect_error<DeviceError>("make_mesh", {"more than the 1000000"}, [] { make_mesh({kVast, kVast}, {"x", "y"}); });
  expect_error<ValueError>("make_mesh (Mesh)", {"'x' comes twice", "('x', 'x')"}, [] {
    make_mesh({2, 2}, {"x", "x"});
  });
  expect_error<ValueError>("make_mesh (Mesh)", {"axis 1", "empty name"}, [] { make_mesh({2, 2}, {"x", ""}); });
  expect_error<DeviceError>("make_mesh", {"(3,)", "needs 3", "2 were given", "CpuDevice(id=1)"},
                            [&] { make_mesh({3}, "x", two); });
  expect_error<ValueError>("Mesh (make_mesh)", {"size 0"}, [] { Mesh({{"x", 0}}); });
  expect_error<ValueError>("Mesh", {"2 devices", "(3,)", "needs 3"}, [&] { Mesh(two, {3}, "x"); });
  expect_error<ValueError>("Mesh", {"1 dim (2,)", "2 axis names"}, [&] { Mesh(two, {"x", "y"}); });
  expect_error<DeviceError>("Mesh", {"CpuDevice(id=0) comes twice"}, [] { Mesh({Device(0), Device(0)}, "x"); });
  expect_error<ValueError>("Mesh", {"size 0"}, [] { Mesh(std::vector<Device>(), "x"); });
  expect_error<ValueError>("Mesh", {"0 devices"}, [] { Mesh(DeviceGrid(), Names()); });
}

TEST(ErrorsOfMeshes, Lookups) {
  Mesh mesh = grid();
  expect_error<ValueError>("Mesh::size", {"no axis 'z'", "('x', 'y')", "'x': 4"}, [&] { (void)mesh.size("z"); });
  Mesh taken = std::move(mesh), none;
  expect_error<ValueError>("Mesh::shape", {"empty"}, [&] { (void)mesh.shape(); });
  expect_error<ValueError>("Mesh::size", {"empty"}, [&] { (void)none.size(); });
  expect_error<ValueError>("Mesh::axis_index", {"empty"}, [&] { (void)none.size("x"); });
  expect_error<ValueError>("Mesh::axis_names", {"empty"}, [&] { (void)none.axis_names(); });
  expect_error<ValueError>("Mesh::device_list", {"empty"}, [&] { (void)none.device_list(); });
  expect_error<ValueError>("Mesh::devices", {"empty"}, [&] { (void)none.devices(); });
}

TEST(ErrorsOfShardings, Construction) {
  expect_error<ShardingError>("NamedSharding", {"'z'", "P('z', 'x')", "('x', 'y')"},
                              [] { NamedSharding(grid(), P("z", "x")); });
  expect_error<ShardingError>("NamedSharding", {"P('x', 'x')", "duplicate", "'x'"},
                              [] { NamedSharding(grid(), P("x", "x")); });
  expect_error<ShardingError>("NamedSharding", {"P(('x', 'x'),)", "duplicate"},
                              [] { NamedSharding(grid(), P(axes("x", "x"))); });
  expect_error<ShardingError>("NamedSharding", {"''"}, [] { NamedSharding(grid(), P("")); });
  expect_error<ValueError>("NamedSharding", {"mesh", "P('x',)", "empty"}, [] { NamedSharding(Mesh(), P("x")); });
}

TEST(ErrorsOfShardings, Lookups) {
  NamedSharding named(grid(), P("x", "y"));
  expect_error<ShardingError>("Sharding::shard_shape", {"P('x', 'y')", "rank at least 2", "(8,)", "rank 1"},
                              [&] { named.shard_shape({8}); });
  expect_error<ShardingError>("Sharding::shard_shape", {"P()", "()"}, [&] { named.shard_shape({}); });
  expect_error<ShapeError>("Sharding::shard_shape", {"(-8, 2)", "negative"}, [&] { named.shard_shape({-8, 2}); });
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(named.shard_shape({most, 1}), (Shape{most / 4 + 1, 1})) << "no error, and no overflow";
  expect_error<ShardingError>("Sharding::devices_indices_map", {"rank 1"}, [&] { named.devices_indices_map({8}); });
  Sharding single = SingleDeviceSharding(Device(0)), none;
  expect_error<ValueError>("Sharding::mesh", {"SingleDeviceSharding", "no mesh"}, [&] { (void)single.mesh(); });
  expect_error<ValueError>("Sharding::spec", {"SingleDeviceSharding", "no spec"}, [&] { (void)single.spec(); });
  expect_error<ValueError>("Sharding::device_list", {"empty"}, [&] { (void)none.device_list(); });
  expect_error<ValueError>("Sharding::device_set", {"empty"}, [&] { (void)none.device_set(); });
  expect_error<ValueError>("Sharding::kind", {"empty"}, [&] { (void)none.kind(); });
  expect_error<ValueError>("Sharding::num_devices", {"empty"}, [&] { (void)none.num_devices(); });
  expect_error<ValueError>("Sharding::shard_shape", {"empty"}, [&] { (void)none.shard_shape({4}); });
  expect_error<ValueError>("Sharding::memory_kind", {"empty"}, [&] { (void)none.memory_kind(); });
  expect_error<ValueError>("Sharding::with_memory_kind", {"empty"}, [&] { (void)none.with_memory_kind("device"); });
  expect_error<ValueError>("Sharding::is_fully_replicated", {"empty"}, [&] { (void)none.is_fully_replicated(); });
  EXPECT_EQ(none.str(), "Sharding()");
  EXPECT_TRUE(none == Sharding() && none.hash() == 0 && !none.is_equivalent_to(single, 1));
}

TEST(ErrorsOfShardings, Positional) {
  PositionalSharding cells(mesh_utils::create_device_mesh({4}, {Device(0), Device(1), Device(2), Device(3)}));
  expect_error<ShardingError>("PositionalSharding::reshape", {"4 cells", "(4,)", "(3, 1)"},
                              [&] { cells.reshape(3, 1); });
  expect_error<ShardingError>("PositionalSharding::reshape", {"(-1, -1)"}, [&] { cells.reshape(-1, -1); });
  expect_error<ShardingError>("PositionalSharding::reshape", {"(0, -1)"}, [&] { cells.reshape({0, -1}); });
  expect_error<ShardingError>("PositionalSharding::reshape", {"-1"}, [&] { cells.reshape(kVast, kVast, -1); });
  expect_error<ShardingError>("PositionalSharding::reshape", {"()"}, [&] { cells.reshape(Shape{}); });
  expect_error<ShardingError>("PositionalSharding::transpose", {"(0, 0)", "2 dims", "(2, 2)"}, [&] {
    cells.reshape(2, 2).transpose({0, 0});
  });
  expect_error<ShardingError>("PositionalSharding::replicate", {"no axis 3", "(4,)"}, [&] { cells.replicate(3); });
  expect_error<ShardingError>("PositionalSharding::replicate", {"-2147483648"},
                              [&] { cells.replicate(std::numeric_limits<int>::min()); });
  expect_error<ShardingError>("Sharding::shard_shape", {"PositionalSharding", "rank 1", "(4, 4)", "rank 2"}, [&] {
    cells.shard_shape({4, 4});
  });
  expect_error<ValueError>("PositionalSharding", {"no devices"}, [] { PositionalSharding(std::vector<Device>()); });
  expect_error<DeviceError>("PositionalSharding", {"CpuDevice(id=0) comes twice"}, [] {
    PositionalSharding({Device(0), Device(0)});
  });
  PositionalSharding taken = std::move(cells);
  expect_error<ValueError>("PositionalSharding::reshape", {"empty"}, [&] { cells.reshape(4); });
  expect_error<ValueError>("PositionalSharding::shape", {"empty"}, [&] { (void)cells.shape(); });
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
