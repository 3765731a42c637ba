// Convolutions by tiles against the meaning of the operation. Operands are small integers, so that sums are exact in
// every order.
#include <gtest/gtest.h>

#include "run/pool.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Form {
  const char* name;
  Shape x, w;
  lax::ConvOptions o;
};

const lax::ConvDims kLast{"NHWC", "HWIO", "NHWC"}, kLine{"NWC", "WIO", "NWC"};

// Each fills vectors in another way, or is cut in another way.
std::vector<Form> forms() {
  using P = std::vector<std::pair<std::int64_t, std::int64_t>>;
  return {
      {"out features", {3, 20, 18, 24}, {3, 3, 24, 70}, {.padding = "SAME", .dimension_numbers = kLast}},
      {"features first", {3, 24, 20, 18}, {70, 24, 3, 3}, {.window_strides = {2, 1}, .padding = "SAME"}},
      {"a stem", {2, 3, 37, 41}, {33, 3, 7, 7}, {.window_strides = {2, 2}, .padding = 3}},
      {"examples together", {20, 5, 5, 200}, {3, 3, 200, 80}, {.padding = "SAME", .dimension_numbers = kLast}},
      {"one by one", {2, 9, 9, 32}, {1, 1, 32, 48}, {.window_strides = {2, 2}, .dimension_numbers = kLast}},
      {"depthwise",
       {2, 19, 23, 70},
       {3, 5, 1, 70},
       {.padding = "SAME", .dimension_numbers = kLast, .feature_group_count = 70}},
      {"depthwise, first", {2, 35, 19, 23}, {70, 1, 3, 3}, {.window_strides = {2, 1}, .feature_group_count = 35}},
      {"groups", {2, 64, 13, 11}, {96, 8, 3, 3}, {.padding = "SAME", .feature_group_count = 8}},
      {"large groups", {2, 9, 8, 64}, {3, 3, 32, 80}, {.dimension_numbers = kLast, .feature_group_count = 2}},
      {"groups of examples", {6, 4, 10, 9}, {12, 4, 3, 3}, {.padding = 1, .batch_group_count = 3}},
      {"one long line", {1, 1, 5000}, {1, 1, 200}, {.padding = P{{100, 99}}}},
      {"lines, apart",
       {3, 2000, 20},
       {2, 20, 40},
       {.padding = P{{64, 0}}, .rhs_dilation = {64}, .dimension_numbers = kLine}},
      {"towards few", {2, 40, 41, 64}, {3, 3, 64, 2}, {.padding = "SAME", .dimension_numbers = kLast}},
      {"from few", {2, 30, 31, 3}, {5, 4, 3, 32}, {.window_strides = {2, 2}, .padding = 2, .dimension_numbers = kLast}},
      {"gaps", {2, 11, 12, 40}, {4, 3, 40, 20}, {.padding = 2, .lhs_dilation = {3, 2}, .dimension_numbers = kLast}},
      {"gaps alone", {2, 3, 5}, {4, 3, 1}, {.lhs_dilation = {4}}},
      {"three dims", {2, 6, 9, 10, 11}, {20, 6, 3, 2, 3}, {.window_strides = {1, 2, 1}, .padding = "SAME"}},
      {"cut off", {2, 8, 30, 30}, {20, 8, 3, 3}, {.padding = P{{-2, 1}, {3, -4}}}},
  };
}

Array integers(const Shape& shape, int seed) {
  return random::randint(random::key(seed), shape, -3, 4).astype(float32);
}

// Result, and both gradients for integer cotangents.
struct All {
  Array y, dx, dw;
};
All all_of(const Form& f, DType dtype, const char* backend = "cpu") {
  config::backend(backend);
  const Array x = integers(f.x, 1).astype(dtype), w = integers(f.w, 2).astype(dtype);
  auto conv = [&](const Array& x, const Array& w) { return lax::conv_general_dilated(x, w, f.o); };
  auto [y, back] = vjp(conv, x, w);
  auto [dx, dw] = back(integers(y.shape(), 3).astype(dtype));
  config::backend("cpu");
  return {y, dx, dw};
}
void expect_equal(const All& a, const All& b) {
  EXPECT_TRUE(bool(array_equal(a.y, b.y)));
  EXPECT_TRUE(bool(array_equal(a.dx, b.dx)));
  EXPECT_TRUE(bool(array_equal(a.dw, b.dw)));
}

TEST(ConvolutionTiles, SayWhatTheOperationMeans) {
  for (const Form& f : forms()) {
    SCOPED_TRACE(f.name);
    expect_equal(all_of(f, float32), all_of(f, float32, "reference"));
  }
}

TEST(ConvolutionTiles, TakeDoubles) {
  enable_x64(true);
  for (const Form& f : {forms()[0], forms()[5], forms()[10], forms()[13]}) {
    SCOPED_TRACE(f.name);
    const All got = all_of(f, float64), want = all_of(f, float32);
    EXPECT_EQ(got.y.dtype(), float64);
    expect_equal(got, {want.y.astype(float64), want.dx.astype(float64), want.dw.astype(float64)});
  }
  enable_x64(false);
}

TEST(ConvolutionTiles, GiveTheSameBitsOnAnyThreads) {
  const Array x = random::normal(random::key(1), {8, 32, 32, 16}), w = random::normal(random::key(2), {3, 3, 16, 24});
  auto loss = [](const Array& w, const Array& x) {
    return sum(sin(lax::conv_general_dilated(x, w, {.padding = "SAME", .dimension_numbers = kLast})));
  };
  std::vector<std::tuple<Array, Array>> of;
  for (int threads : {1, 2, 3, 7, 16}) {
    set_num_threads(threads);
    of.push_back(grad<0, 1>(loss)(w, x));
  }
  set_num_threads(default_num_threads());
  for (const auto& [dw, dx] : of) {
    EXPECT_TRUE(bool(array_equal(dw, std::get<0>(of[0]))));
    EXPECT_TRUE(bool(array_equal(dx, std::get<1>(of[0]))));
  }
}

TEST(ConvolutionTiles, KeepInfinitiesApart) {
  Array x = zeros({1, 8, 8, 32}).at(0, 2, 2, 0).set(INFINITY);
  const Array y = lax::conv_general_dilated(x, ones({3, 3, 32, 64}), {.padding = "SAME", .dimension_numbers = kLast});
  EXPECT_EQ(sum(isinf(y)).item<int>(), 9 * 64);
  EXPECT_EQ(sum(isnan(y)).item<int>(), 0);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
