// Arrays put together from blocks, and filled ones, where they belong.
#include <gtest/gtest.h>

#include <random>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// Whatever the layout: blocks of an array make the array again.
TEST(Assemble, BlocksMakeTheArray) {
  Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  Array x = arange(7 * 6 * 3).reshape(7, 6, 3);
  for (const PartitionSpec& spec :
       {P("x", "y"), P("y"), P(none, "x"), P(axes("y", "x")), P(), P(none, none, "y"), P("y", none, "x")}) {
    NamedSharding s(mesh, spec);
    std::vector<Array> blocks;
    for (const auto& [device, index] : s.devices_indices_map(x.shape())) {
      Array block = x(slice(index[0].start, index[0].stop), slice(index[1].start, index[1].stop),
                      slice(index[2].start, index[2].stop));
      blocks.insert(blocks.begin(), device_put(block, device));  // in any order
    }
    Array y = make_array_from_single_device_arrays(x.shape(), s, blocks);
    EXPECT_EQ(y.to_vector<int>(), x.to_vector<int>()) << spec;
    EXPECT_EQ(y.sharding(), s);
    EXPECT_TRUE(y.committed());
    int calls = 0;
    Array z = make_array_from_callback(x.shape(), s, [&](const ShardIndex& i) {
      ++calls;
      return x(slice(i[0].start, i[0].stop), slice(i[1].start, i[1].stop), slice(i[2].start, i[2].stop));
    });
    EXPECT_EQ(z.to_vector<int>(), x.to_vector<int>()) << spec;
    EXPECT_LE(calls, 8);
  }
  Array scalar = make_array_from_callback({}, NamedSharding(mesh, P()), [](const ShardIndex&) { return array(3); });
  EXPECT_EQ(scalar.item<int>(), 3);
}

TEST(Assemble, RefusesWhatDoesNotFit) {
  NamedSharding s(make_mesh({4}, "x"), P("x"));
  auto on = [](int device, Array x) { return device_put(x, Device(device)); };
  std::vector<Array> good = {on(0, ones({2})), on(1, ones({2})), on(2, ones({2})), on(3, ones({2}))};
  EXPECT_NO_THROW(make_array_from_single_device_arrays({8}, s, good));
  std::vector<Array> bad = good;
  bad[2] = on(2, ones({2}, int32));
  EXPECT_THROW(make_array_from_single_device_arrays({8}, s, bad), TypeError);
  bad[2] = on(2, ones({3}));
  EXPECT_THROW(make_array_from_single_device_arrays({8}, s, bad), ShardingError);
  bad[2] = device_put(ones({2}), s);
  EXPECT_THROW(make_array_from_single_device_arrays({8}, s, bad), DeviceError);
}

TEST(Filled, LieWhereTheyAreAskedFor) {
  NamedSharding s(make_mesh({8}, "x"), P("x"));
  for (const Array& x : {zeros({8, 2}, s), ones({8, 2}, s, int32), full({8, 2}, 2.5, s), zeros_like(ones({8, 2}, s))}) {
    EXPECT_EQ(x.sharding(), s);
    EXPECT_TRUE(x.committed());
  }
  EXPECT_EQ(ones({8}, s, int32).dtype(), int32);
}

TEST(Diag, GoesBothWays) {
  Array m = arange(12).reshape(3, 4);
  for (int k = -3; k <= 4; ++k) {
    std::vector<int> want;
    for (int i = 0; i < 3; ++i)
      if (i + k >= 0 && i + k < 4) want.push_back(i * 4 + i + k);
    EXPECT_EQ(diag(m, k).to_vector<int>(), want) << k;
    Array v = arange(1, 4), square = diag(v, k);
    EXPECT_EQ(square.shape(), (Shape{3 + std::abs(k), 3 + std::abs(k)}));
    EXPECT_EQ(diag(square, k).to_vector<int>(), v.to_vector<int>()) << k;
    EXPECT_EQ(square.sum().item<int>(), 6);
  }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
