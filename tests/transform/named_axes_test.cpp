// Collectives under vmap(axis_name): alone, nested, and differentiated.
#include <gtest/gtest.h>

#include "trace/trace.hpp"
#include "tutti/lax/collectives.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti {
namespace {

Array numbers(const std::vector<float>& v) { return array(v, Shape{static_cast<std::int64_t>(v.size())}); }
void expect_values(const Array& x, const std::vector<float>& want) {
  std::vector<float> got = x.astype(float32).to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5) << "element " << i;
}
const VmapOptions over_i{.in_axes = 0, .out_axes = 0, .axis_name = "i"};

TEST(NamedAxes, Sums) {
  Array x = numbers({1, 2, 3, 4});
  expect_values(vmap([](const Array& x) { return x / lax::psum(x, "i"); }, over_i)(x), {0.1f, 0.2f, 0.3f, 0.4f});
  expect_values(vmap([](const Array& x) { return x + lax::pmax(x, "i"); }, over_i)(x), {5, 6, 7, 8});
  expect_values(vmap([](const Array& x) { return x + lax::pmean(x, "i"); }, over_i)(x), {3.5, 4.5, 5.5, 6.5});
}

TEST(NamedAxes, WhatIsNotMapped) {
  Array x = numbers({1, 2, 3, 4});
  expect_values(vmap([](const Array& x) { return x * 0 + lax::psum(array(2.f), "i"); }, over_i)(x), {8, 8, 8, 8});
  expect_values(vmap([](const Array&) { return lax::axis_index("i"); }, over_i)(x), {0, 1, 2, 3});
  expect_values(vmap([](const Array& x) { return x * static_cast<float>(lax::axis_size("i")); }, over_i)(x),
                {4, 8, 12, 16});
  EXPECT_THROW(vmap([](const Array& x) { return lax::psum(x, "j"); }, over_i)(x), NameError);
  EXPECT_THROW(lax::psum(x, "i"), NameError);
}

TEST(NamedAxes, Nested) {
  Array x = array(std::vector<float>{1, 2, 3, 4, 5, 6}, Shape{2, 3});
  auto inner = [](auto f) { return vmap(f, {.axis_name = "j"}); };
  auto outer = [](auto f) { return vmap(f, {.axis_name = "i"}); };
  expect_values(outer(inner([](const Array& x) { return lax::psum(x, "i"); }))(x), {5, 7, 9, 5, 7, 9});
  expect_values(outer(inner([](const Array& x) { return lax::psum(x, "j"); }))(x), {6, 6, 6, 15, 15, 15});
  expect_values(outer(inner([](const Array& x) { return lax::psum(x, {"i", "j"}); }))(x), {21, 21, 21, 21, 21, 21});
}

// A vmap over an axis of the same name hides that of a shard_map around it, types included.
TEST(NamedAxes, TheInnermostBinderSaysWhetherAnAxisIsTyped) {
  auto region = std::make_shared<Trace>(Trace::Mode::staged, "shard_map", Loc{});
  region->axes = {{"i", 4}};
  region->typed_axes = {"i"};
  TraceScope in_region(region);
  EXPECT_TRUE(axis_is_typed("i"));
  auto mapped = std::make_shared<Trace>(Trace::Mode::open, "vmap", Loc{});
  mapped->axes = {{"i", 3}, {"j", 2}};
  TraceScope in_vmap(mapped);
  EXPECT_FALSE(axis_is_typed("i"));
  EXPECT_FALSE(axis_is_typed("j"));
  EXPECT_FALSE(axis_is_typed("k"));
  EXPECT_EQ(bound_axis_size("i"), 3);
}

TEST(NamedAxes, Differentiated) {
  Array x = numbers({1, 2, 3, 4});
  // Inside: each gradient is of the sum over all of what its number does.
  auto f = [](const Array& x) { return x * lax::psum(x, "i"); };
  Array outside = grad([&](const Array& x) { return sum(vmap(f, over_i)(x)); })(x);  // d/dx (sum x)^2
  expect_values(outside, {20, 20, 20, 20});
  Array jitted =
      jit([&](const Array& x) { return grad([&](const Array& x) { return sum(vmap(f, over_i)(x)); })(x); })(x);
  expect_values(jitted, {20, 20, 20, 20});
  Array forward =
      jvp([&](const Array& x) { return vmap(f, over_i)(x); }, std::tuple{x}, std::tuple{numbers({1, 0, 0, 0})}).second;
  expect_values(forward, {11, 2, 3, 4});
  // JAX: psum transposes to psum where axes are not tracked (vmap): the cotangents are summed.
  Array inside = vmap(grad([](const Array& x) { return lax::psum(x * x, "i"); }), over_i)(x);
  expect_values(inside, {8, 16, 24, 32});
}

TEST(NamedAxes, UnderJit) {
  Array x = numbers({1, 2, 3, 4});
  expect_values(
      jit([](const Array& x) { return vmap([](const Array& x) { return x - lax::pmean(x, "i"); }, over_i)(x); })(x),
      {-1.5, -0.5, 0.5, 1.5});
  expect_values(vmap(jit([](const Array& x) { return x - lax::pmean(x, "i"); }), over_i)(x), {-1.5, -0.5, 0.5, 1.5});
}

TEST(NamedAxes, OneJitUnderAxesOfTwoSizes) {
  // The axis is bound outside an unnamed vmap, where its size is no part of any argument's type.
  auto f = jit([](const Array& x) { return x * lax::axis_size("i"); });
  auto rows = [&](const Array& x) { return vmap([&](const Array& row) { return vmap(f)(row); }, over_i)(x); };
  expect_values(rows(ones({2, 3})), std::vector<float>(6, 2));
  expect_values(rows(ones({4, 3})), std::vector<float>(12, 4));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
