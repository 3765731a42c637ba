// inspect_array_sharding and visualize_array_sharding: at once, or once per compilation.
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array rows_on_4x2() {
  return device_put(arange(64.f).reshape(8, 8), NamedSharding(make_mesh({4, 2}, {"x", "y"}), P("x", "y")));
}

struct Seen {
  std::vector<Sharding> list;
  std::function<void(const Sharding&)> callback() {
    return [this](const Sharding& s) { list.push_back(s); };
  }
};

TEST(InspectArraySharding, CallsAtOnceOutsideOfTransformations) {
  Seen seen;
  Array x = rows_on_4x2();
  debug::inspect_array_sharding(std::pair{x, ones({3})}, seen.callback());
  ASSERT_EQ(seen.list.size(), 2u);
  EXPECT_EQ(seen.list[0], x.sharding());
  EXPECT_EQ(seen.list[1], SingleDeviceSharding(devices()[0]));
}

TEST(InspectArraySharding, CallsOncePerCompilation) {
  Seen seen;
  auto f = jit([&](const Array& v) {
    debug::inspect_array_sharding(transpose(v), seen.callback());  // a value that nobody else needs
    return v + 1;
  });
  Array x = rows_on_4x2();
  f(x);
  f(x);
  ASSERT_EQ(seen.list.size(), 1u);
  EXPECT_EQ(seen.list[0].spec(), P("y", "x"));
  f(ones({8, 8}));
  ASSERT_EQ(seen.list.size(), 2u);
  EXPECT_EQ(seen.list[1], SingleDeviceSharding(devices()[0]));
}

TEST(InspectArraySharding, PassesThroughTransformations) {
  Seen seen;
  auto f = [&](const Array& v) {
    Array y = sin(v);
    debug::inspect_array_sharding(y, seen.callback());
    return sum(y * y);
  };
  Array x = rows_on_4x2();
  Array plain = grad([](const Array& v) { return sum(square(sin(v))); })(x);
  EXPECT_TRUE(bool(allclose(grad(f)(x), plain)));
  ASSERT_EQ(seen.list.size(), 1u);
  EXPECT_EQ(seen.list[0], x.sharding());
  EXPECT_TRUE(bool(allclose(jit(grad(f))(x), plain)));
  ASSERT_EQ(seen.list.size(), 2u);
  EXPECT_EQ(seen.list[1], x.sharding());
  vmap(f)(x);
  ASSERT_EQ(seen.list.size(), 3u);
  EXPECT_EQ(seen.list[2], x.sharding());
}

TEST(InspectArraySharding, CostsNothing) {
  Array x = rows_on_4x2();
  Seen seen;
  auto with = jit([&](const Array& v) {
    debug::inspect_array_sharding(v, seen.callback());
    return v + 1;
  });
  EXPECT_NE(with.explain(x).str().find("none"), std::string::npos) << with.explain(x);
}

TEST(InspectArraySharding, RefusesBodiesOfRegions) {
  Seen seen;
  Mesh mesh = make_mesh({8}, "x");
  auto f = shard_map(
      [&](const Array& v) {
        debug::inspect_array_sharding(v, seen.callback());
        return v;
      },
      {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")});
  EXPECT_THROW(f(ones({8})), UnsupportedError);
}

TEST(VisualizeArraySharding, DrawsInsideJit) {
  std::ostringstream out;
  std::streambuf* before = std::cout.rdbuf(out.rdbuf());
  auto f = jit([](const Array& v) {
    Array y = v.sum(0);
    debug::visualize_array_sharding(y, {.use_color = false});
    return y;
  });
  Array x = rows_on_4x2();
  f(x);
  f(x);
  std::cout.rdbuf(before);
  EXPECT_EQ(out.str(), debug::sharding_text({8}, NamedSharding(make_mesh({4, 2}, {"x", "y"}), P("y"))));
  EXPECT_NE(debug::sharding_svg(x).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
