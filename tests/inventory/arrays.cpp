// Rows 1 to 15: devices, arrays, transfer.
#include <set>
#include <sstream>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_01_devices, ListsInOrderOfId) {
  Mesh needs_eight = line8();
  std::vector<Device> all = devices();
  ASSERT_GE(all.size(), 8u);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].id(), static_cast<int>(i));
  EXPECT_EQ(local_devices(), all);
  EXPECT_EQ(device_count(), static_cast<int>(all.size()));
  EXPECT_EQ(str(std::vector<Device>(all.begin(), all.begin() + 2)), "[CpuDevice(id=0), CpuDevice(id=1)]");
}

TEST(row_02_device, KnowsIdAndPlatform) {
  Device d = line8().device_list()[3];
  EXPECT_EQ(d.id(), 3);
  EXPECT_EQ(d.platform(), "cpu");
  EXPECT_EQ(d.device_kind(), "cpu");
  EXPECT_EQ(d.process_index(), 0);
  EXPECT_EQ(d.str(), "CpuDevice(id=3)");
}

TEST(row_03_array, HasShapeDtypeShardingAndPrints) {
  Array x = array({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_EQ(x.shape(), (Shape{2, 2}));
  EXPECT_EQ(x.dtype(), float32);
  EXPECT_FALSE(x.committed());
  EXPECT_EQ(repr(x), "Array([[1., 2.],\n       [3., 4.]], dtype=float32)");
  EXPECT_FALSE(Array{}.has_value());
}

TEST(row_04_array_sharding, PrintsSingleDeviceAndNamed) {
  EXPECT_EQ(arange(4).sharding().str(), SingleDeviceSharding(devices()[0]).str());
  Array y = device_put(zeros({8, 4}), NamedSharding(mesh42(), P("x", "y")));
  EXPECT_EQ(y.sharding(), NamedSharding(mesh42(), P("x", "y")));
  EXPECT_EQ(y.sharding().str(),
            "NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), spec=P('x', 'y'), memory_kind=device)");
  EXPECT_EQ(arange(4).sharding().str(), "SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)");
  // It is the array's own, not the default device's, and results have theirs.
  Array z = device_put(arange(4), line8().device_list()[3]);
  EXPECT_EQ(z.sharding(), SingleDeviceSharding(Device(3)));
  EXPECT_EQ((z + 1).sharding(), SingleDeviceSharding(Device(3)));
  EXPECT_EQ(y.sum(0).sharding(), NamedSharding(mesh42(), P("y")));
  PositionalSharding cells(mesh_utils::create_device_mesh({8, 1}));
  EXPECT_EQ(device_put(zeros({8, 4}), cells).sharding(), cells);
  EXPECT_TRUE(y.sharding().is_fully_addressable());
  // What is inside a jit has no sharding yet.
  expect_error<TracerError>([&] { jit([](const Array& x) { return x.sharding().has_value() ? x : x + 1; })(y); },
                            {"float32[8,4]", "inspect_array_sharding"});
}

TEST(row_05_array_devices, AreTheDeviceSet) {
  std::ostringstream out;
  out << arange(4).devices();
  EXPECT_EQ(out.str(), "{CpuDevice(id=0)}");
  Array y = device_put(arange(8), NamedSharding(line8(), P("x")));
  EXPECT_EQ(y.devices(), y.sharding().device_set());
  EXPECT_EQ(y.devices().size(), 8u);
  EXPECT_EQ(device_put(arange(8), Device(3)).devices(), (std::set<Device>{Device(3)}));
  EXPECT_EQ(device_put(arange(4), NamedSharding(Mesh({Device(5), Device(2)}, "x"), P("x"))).devices(),
            (std::set<Device>{Device(2), Device(5)}));
  // A deleted array lies nowhere; how it was laid out is still known.
  Sharding before = y.sharding();
  y.delete_();
  expect_error<DeletedError>([&] { y.devices(); }, {"devices", "int32[8]", "delete_()"});
  expect_error<DeletedError>([&] { y.addressable_shards(); }, {"int32[8]"});
  expect_error<DeletedError>([&] { y.to_vector<int>(); }, {"int32[8]"});
  EXPECT_EQ(y.sharding(), before);
  EXPECT_TRUE(y.is_deleted());
}

TEST(row_06_addressable_shards, InOrderOfTheAssignmentWithReplicas) {
  Array x = arange(16.f).reshape(8, 2);
  auto replicas = [&](const P& spec) {
    std::vector<int> out;
    for (const Shard& s : device_put(x, NamedSharding(mesh42(), spec)).addressable_shards())
      out.push_back(s.replica_id);
    return out;
  };
  EXPECT_EQ(replicas(P("x", "y")), (std::vector<int>(8, 0)));
  EXPECT_EQ(replicas(P("x")), (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(replicas(P("y")), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(replicas(P()), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  std::vector<Shard> shards = device_put(x, NamedSharding(mesh42(), P("x", "y"))).addressable_shards();
  EXPECT_EQ(shards[5].device.id(), 5);
  EXPECT_EQ(shards[5].index[0], (std::pair<std::int64_t, std::int64_t>{4, 6}));
  EXPECT_EQ(shards[5].index[1], (std::pair<std::int64_t, std::int64_t>{1, 2}));
  expect_values(shards[5].data(), {9, 11});
  EXPECT_NE(str(shards[5]).find("device=CpuDevice(id=5)"), std::string::npos) << str(shards[5]);
  EXPECT_NE(str(shards[5]).find("replica_id=0"), std::string::npos);
}

TEST(row_07_block_until_ready, GivesItsArgumentBack) {
  Array x = arange(3.f) + 1;
  EXPECT_EQ(x.block_until_ready().node(), x.node());
  struct State {
    Array w;
    int steps;
  };
  State s = block_until_ready(State{x, 7});
  EXPECT_EQ(s.w.node(), x.node());
  EXPECT_EQ(s.steps, 7);
  x.delete_();
  expect_error<DeletedError>([&] { x.block_until_ready(); }, {"float32[3]"});
}

TEST(row_08_item, ReadsTheOnlyElement) {
  EXPECT_EQ(array({{2.5f}}).item<float>(), 2.5f);
  EXPECT_EQ(static_cast<int>(sum(arange(5))), 10);
  expect_error<TypeError>([] { (void)static_cast<float>(arange(3.f)); }, {"float32[3]"});
  expect_error<ValueError>([] { arange(3.f).item<float>(); }, {"float32[3]", "arrays.cpp:"});
}

TEST(row_09_shape_reshape_sum, MeanWhatNumpyMeans) {
  Array x = arange(24.f).reshape(2, 3, -1);
  EXPECT_EQ(x.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(x.size(), 24);
  EXPECT_EQ(x.ndim(), 3);
  EXPECT_EQ(x.sum(1).shape(), (Shape{2, 4}));
  EXPECT_EQ(x.sum({0, 2}, true).shape(), (Shape{1, 3, 1}));
  expect_values(x.sum(), {276});
  EXPECT_EQ((arange(4) > 1).sum().dtype(), int32);
  EXPECT_EQ(x.astype(int8).sum().dtype(), int32);
  expect_error<ShapeError>([&] { x.reshape(5, 5); }, {"float32[2,3,4]", "5", "arrays.cpp:"});
}

TEST(row_10_operators, BroadcastAndPromote) {
  Array x = arange(3.f), i = arange(3);
  expect_values(2 * x + 1, {1, 3, 5});
  expect_values(x / 2, {0, 0.5, 1});
  expect_values(1 - x, {1, 0, -1});
  EXPECT_EQ((i + 1.5f).dtype(), float32);
  EXPECT_EQ((i + 1).dtype(), int32);
  EXPECT_EQ((i / 2).dtype(), float32);
  EXPECT_EQ((x.astype(bfloat16) * 2.5).dtype(), bfloat16);
  expect_values(power(x, 2), {0, 1, 4});
  expect_values(matmul(arange(6.f).reshape(2, 3), x), {5, 14});
  expect_error<ShapeError>([&] { x + arange(4.f); }, {"float32[3]", "float32[4]"});
}

TEST(row_11_indexing, TakesIntsSlicesAndArrays) {
  Array x = arange(12.f).reshape(3, 4);
  expect_values(x[1], {4, 5, 6, 7});
  expect_values(x[-1], {8, 9, 10, 11});
  expect_values(x(slice(1, 3), 0), {4, 8});
  expect_values(x(all, slice(none, none, 2)), {0, 2, 4, 6, 8, 10});
  expect_values(x(0, array({3, 0})), {3, 0});
  expect_values(x(ellipsis, -1), {3, 7, 11});
  EXPECT_EQ(x(newaxis, 0).shape(), (Shape{1, 4}));
  // The sharding of an integer index: that dim's axis goes, the others stay.
  Array cube = device_put(zeros({4, 4, 2}), NamedSharding(make_mesh({2, 2, 2}, {"a", "b", "c"}), P("a", "b", "c")));
  EXPECT_EQ(cube(all, -1, all).sharding().shard_shape({4, 2}), (Shape{2, 1}));
  EXPECT_EQ(jit([](const Array& x) { return x(all, slice(1, none, 2)); })(cube).sharding().shard_shape({4, 2, 2}),
            (Shape{2, 1, 1}));
}

// What pmap returns has one element per device: each comes out where it lies, uncommitted. Nothing else does, whatever
// its shape.
TEST(row_11_indexing, RowsOfPmapLieOnTheirDevices) {
  auto doubled = pmap([](const Array& v) { return v * 2; });
  Array on_a_mesh =
      device_put(arange(16.f).reshape(8, 2), NamedSharding(make_mesh({4, 2}, {"x", "y"}), P(axes("x", "y"))));
  for (const Array& y : {doubled(arange(16.f).reshape(8, 2)), doubled(on_a_mesh)})
    for (int i : {0, 3, -1}) {
      Device here = devices()[static_cast<std::size_t>(i < 0 ? i + 8 : i)];
      EXPECT_EQ(y[i].sharding(), SingleDeviceSharding(here));
      EXPECT_FALSE(y[i].committed());
      EXPECT_EQ((y[i] + device_put(ones({2}), devices()[5])).devices(), std::set<Device>{devices()[5]});
    }
  Array placed = device_put(arange(16.f).reshape(8, 2), NamedSharding(line8(), P("x")));
  EXPECT_TRUE(placed[3].committed());
  EXPECT_EQ(placed[3].devices().size(), 8u);
  EXPECT_EQ(jit([](const Array& x) { return x[3]; })(placed).sharding(), placed[3].sharding());
  EXPECT_THROW(placed[3] + device_put(ones({2}), devices()[5]), DeviceError);
}

TEST(row_12_print, IsNumpysText) {
  std::ostringstream out;
  out << arange(48.f, 80.f, 4);
  EXPECT_EQ(out.str(), "[48. 52. 56. 60. 64. 68. 72. 76.]");
  EXPECT_EQ(repr(Array(1.5f)), "Array(1.5, dtype=float32, weak_type=True)");
  EXPECT_EQ(repr(zeros({0, 5})), "Array([], shape=(0, 5), dtype=float32)");
  Array y = device_put(arange(8), NamedSharding(line8(), P("x")));
  EXPECT_EQ(str(y), "[0 1 2 3 4 5 6 7]");
}

TEST(row_13_device_put, PlacesTreesAndCommits) {
  struct Layer {
    Array w, b;
  };
  Layer layer{zeros({8, 4}), zeros({4})};
  Layer on_one = device_put(layer, devices()[0]);
  EXPECT_TRUE(on_one.w.committed());
  Layer all = device_put(layer, NamedSharding(mesh42(), P()));
  EXPECT_TRUE(all.b.is_fully_replicated());
  Layer by_leaf = device_put(layer, [](const tree::Path&, const Array& x) -> Sharding {
    return NamedSharding(mesh42(), x.ndim() == 2 ? P("x", "y") : P("y"));
  });
  EXPECT_EQ(by_leaf.b.sharding(), NamedSharding(mesh42(), P("y")));
  Layer by_rule = device_put(layer, mesh42(), {{"w", P(none, "y")}, {"**", P()}});
  EXPECT_EQ(by_rule.w.sharding(), NamedSharding(mesh42(), P(none, "y")));
  expect_error<ShardingError>([&] { device_put(layer.b, NamedSharding(mesh42(), P("x", "y"))); },
                              {"float32[4]", "arrays.cpp:"});
  expect_error<ShardingError>([&] { device_put(layer, NamedSharding(mesh42(), P(P::unconstrained))); },
                              {"UNCONSTRAINED", "w"});
}

TEST(row_13_device_put, WithoutAPlaceLeavesArraysWhereTheyAre) {
  Array x = arange(4.f), y = device_put(x, Device(0));
  EXPECT_EQ(device_put(x).node(), x.node());
  EXPECT_FALSE(device_put(x).committed());
  EXPECT_EQ(device_put(y).node(), y.node());
  EXPECT_FALSE(device_put(2.5f).committed());
}

TEST(row_13_device_put, GivesBackWhatLiesThereAlready) {
  NamedSharding rows(mesh42(), P("x"));
  Array x = arange(8.f), y = device_put(x, rows), again = device_put(y, NamedSharding(mesh42(), P("x")));
  EXPECT_EQ(again.node(), y.node());
  Array on_3 = device_put(x, Device(3));
  EXPECT_EQ(device_put(on_3, SingleDeviceSharding(Device(3))).node(), on_3.node());
  // Committing is a change, and so is another face of the same placement.
  Array here = device_put(x, Device(0));
  EXPECT_NE(here.node(), x.node());
  EXPECT_TRUE(here.committed());
  Array flat = device_put(arange(8.f).reshape(8, 1), rows);
  EXPECT_NE(device_put(flat, NamedSharding(mesh42(), P("x", none))).node(), flat.node());
  // One array: who deletes it deletes it for all. Another placement is another array.
  Array elsewhere = device_put(y, NamedSharding(mesh42(), P("y")));
  y.delete_();
  EXPECT_TRUE(again.is_deleted());
  EXPECT_FALSE(elsewhere.is_deleted());
  expect_values(elsewhere, {0, 1, 2, 3, 4, 5, 6, 7});
  expect_error<DeletedError>([&] { device_put(y, rows); }, {"float32[8]"});
}

TEST(row_13_device_put, TakesAPrefixOfTheTree) {
  struct Layer {
    Array w, b;
  };
  struct Params {
    Layer first, second;
  };
  auto fresh = [] { return Layer{zeros({8, 4}), zeros({4})}; };
  Params params{fresh(), fresh()};
  Sharding rows = NamedSharding(mesh42(), P("x")), all = NamedSharding(mesh42(), P());
  Params put = device_put(params, {{rows, all}, Device(3)});
  EXPECT_EQ(put.first.w.sharding(), rows);
  EXPECT_EQ(put.first.b.sharding(), all);
  EXPECT_EQ(put.second.w.sharding(), SingleDeviceSharding(Device(3)));
  EXPECT_EQ(put.second.b.sharding(), SingleDeviceSharding(Device(3)));
  Params half = device_put(params, {all, none});
  EXPECT_EQ(half.first.b.sharding(), all);
  EXPECT_FALSE(half.second.w.committed());
  auto [u, v] = device_put(std::tuple(zeros({8}), ones({8})), {rows, none});
  EXPECT_EQ(u.sharding(), rows);
  EXPECT_FALSE(v.committed());
  expect_error<ValueError>([&] { device_put(params, {{rows}, all}); }, {"1"});
}

TEST(row_13_device_put, RefusesDevicesThatAreNotThere) {
  set_cpu_devices(8);
  int there = device_count();
  ASSERT_EQ(there, 8);
  Array x = arange(8.f);
  expect_error<DeviceError>([&] { device_put(x, Device(1'000'077)); },
                            {"device_put", "CpuDevice(id=1000077)", "8", "float32[8]", "arrays.cpp:"});
  expect_error<DeviceError>([&] { device_put(x, Device(0, "gpu", "H100")); }, {"CudaDevice(id=0)", "8"});
  NamedSharding beyond(Mesh({Device(0), Device(1'000'077)}, "x"), P("x"));
  expect_error<DeviceError>([&] { device_put(x, beyond); }, {"CpuDevice(id=1000077)"});
  expect_error<DeviceError>([&] { zeros({8}, beyond); }, {"CpuDevice(id=1000077)"});
  expect_error<DeviceError>([&] { with_sharding_constraint(x, beyond); }, {"CpuDevice(id=1000077)"});
  expect_error<DeviceError>([&] { jit([&](const Array& a) { return with_sharding_constraint(a, beyond); })(x); },
                            {"CpuDevice(id=1000077)"});
  auto same = [](const Array& a) { return a; };
  expect_error<DeviceError>([&] { jit(same, {.in_shardings = beyond})(x); }, {"CpuDevice(id=1000077)"});
  expect_error<DeviceError>([&] { jit(same, {.out_shardings = beyond})(x); }, {"CpuDevice(id=1000077)"});
}

// Who computes with a committed argument commits all that it returns; what is handed on, or not computed with, is as it
// came.
TEST(row_14_committed, IsOneForAProgram) {
  Array a = device_put(ones({8, 2}), NamedSharding(line8(), P("x"))), b = ones({2, 3});
  auto [da, db] = jit(grad<0, 1>([](const Array& a, const Array& b) { return sum(matmul(a, b)); }))(a, b);
  EXPECT_TRUE(da.committed() && db.committed());
  auto [same, twice] = jit([](const Array& x, const Array& y) { return std::pair{y, x * 2}; })(a, b);
  EXPECT_FALSE(same.committed());
  EXPECT_TRUE(twice.committed());
  EXPECT_FALSE(jit([](const Array&) { return ones({3}); })(a).committed());
}

TEST(row_14_committed, FollowsTheData) {
  Array free = arange(8.f), put = device_put(free, NamedSharding(line8(), P("x")));
  EXPECT_FALSE(free.committed());
  EXPECT_FALSE((free + 1).committed());
  EXPECT_TRUE((put + 1).committed());
  EXPECT_TRUE((put + free).committed());  // the free one moves
  EXPECT_EQ((put + free).sharding(), put.sharding());
  EXPECT_TRUE(jit([](const Array& x) { return with_sharding_constraint(x, NamedSharding(line8(), P("x"))); })(free)
                  .committed());
}

TEST(row_15_host_values, Lose64BitsUnlessAskedFor) {
  EXPECT_EQ(array(std::vector<double>{1, 2}, Shape{2}).dtype(), float32);
  EXPECT_EQ(array(std::vector<std::int64_t>{1, 2}, Shape{2}).dtype(), int32);
  EXPECT_FALSE(array(std::vector<double>{1, 2}, Shape{2}).committed());
  EXPECT_EQ(array({1.5, 2.5}).dtype(), float32);
  EXPECT_EQ(array({1L, 2L}).dtype(), int32);
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
