// device_put inside un-jitted transformations moves, and its transpose moves back.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Sharding over(int first, int count) {
  std::vector<Device> all = devices();
  return NamedSharding(Mesh({all.begin() + first, all.begin() + first + count}, "x"), P("x"));
}

TEST(DevicePut, MovesUnderGradAndBack) {
  set_cpu_devices(8);
  Array w = device_put(arange(8.f), devices()[0]), x = device_put(arange(8.f), over(0, 4)), u = arange(8.f);
  auto loss = [](const Sharding& there) {
    return [=](const Array& v) { return sum(square(device_put(v, there)) * device_put(ones({8}), there)); };
  };
  for (const auto& [v, there] : {std::pair{w, over(0, 4)}, {x, over(4, 4)}, {u, over(0, 8)}}) {
    Array g = grad(loss(there))(v);
    EXPECT_TRUE(allclose(g, 2 * u));
    EXPECT_EQ(g.sharding(), v.sharding());
    EXPECT_EQ(g.committed(), v.committed());
    auto [y, dy] = jvp([&](const Array& a) { return device_put(a, there) * 2; }, std::tuple{v}, std::tuple{v});
    EXPECT_EQ(y.sharding(), there);
    EXPECT_TRUE(allclose(dy, 2 * u));
  }
}
TEST(DevicePut, MovesBatches) {
  set_cpu_devices(8);
  Array w = device_put(ones({2, 8}), devices()[3]);
  Array y = vmap([](const Array& v) { return device_put(v, over(0, 4)) * 2; })(w);
  EXPECT_EQ(y.sharding().shard_shape({2, 8}), (Shape{2, 2}));
  EXPECT_TRUE(allclose(y, 2 * ones({2, 8})));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
