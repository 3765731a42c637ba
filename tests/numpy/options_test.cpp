// Options of NumPy's functions; values are JAX's (0.10.2).
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;
const float no_number = std::numeric_limits<float>::quiet_NaN();
Floats as_floats(const Array& x) { return x.astype(float32).to_vector<float>(); }
Integers as_integers(const Array& x) { return x.astype(int32).to_vector<std::int64_t>(); }
// Within 4 units; NaN is NaN.
void expect_floats(const Array& x, const Floats& want) {
  const Floats got = as_floats(x);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    else
      EXPECT_FLOAT_EQ(got[i], want[i]) << i;
  }
}

TEST(Options, OfReductionsWithoutNaN) {
  const Array x = array({{1.f, no_number, 3.f}, {no_number, no_number, no_number}, {4.f, -2.f, no_number}});
  const Array m = array({{true, true, false}, {true, false, true}, {false, true, true}});
  expect_floats(nansum_with(x, {.axes = 1, .initial = 10.f, .where = m}), {11, 10, 8});
  expect_floats(nanprod_with(x, {.axes = 1, .initial = 2.f, .where = m}), {2, 2, -4});
  expect_floats(nanmax_with(x, {.axes = 1, .initial = -5.f, .where = m}), {1, -5, -2});
  expect_floats(nanmin_with(x, {.axes = 1, .initial = 5.f, .where = m}), {1, 5, -2});
  expect_floats(nanmax(x, 1), {3, no_number, 4});
  EXPECT_THROW(nanmax_with(x, {.where = m}), ValueError);
  expect_floats(nanmean_with(x, {.axes = 1, .where = m}), {1, no_number, -2});
  const Array half = nanmean_with(x, {.axes = 0, .dtype = float16});
  EXPECT_EQ(half.dtype(), float16);
  expect_floats(half, {2.5f, -2, 3});
  expect_floats(nanvar_with(x, {.axes = 0, .ddof = 1}), {4.5f, no_number, no_number});
  expect_floats(nanvar_with(x, {.axes = 1, .where = m}), {0, no_number, 0});
  const Array known = nanvar_with(x, {.axes = 1, .keepdims = true, .mean = ones({3, 1})});
  EXPECT_EQ(known.shape(), (Shape{3, 1}));
  expect_floats(known, {2, no_number, 9});
  expect_floats(nanstd_with(x, {.axes = 0}), {1.5f, 0, 0});
}

TEST(Options, OfReductions) {
  const Array x = arange(6.f).reshape({2, 3}), center = array({{1.f}, {2.f}});
  expect_floats(var_with(x, {.axes = 1, .mean = center}), {0.6666666865348816f, 4.666666507720947f});
  expect_floats(std_with(x, {.axes = 1, .mean = center}), {0.8164966106414795f, 2.1602468490600586f});
  const Array bytes = array({100, 100, 100}).astype(int8);
  EXPECT_EQ(sum_with(bytes, {.dtype = int8}).dtype(), int8);
  EXPECT_EQ(as_integers(sum_with(bytes, {.promote_integers = false})), Integers{44});
  EXPECT_EQ(as_integers(prod_with(bytes, {.dtype = int16})), Integers{16960});
  const Array unlike = array({1.f, no_number});
  EXPECT_FALSE(array_equal(unlike, unlike).item<bool>());
  EXPECT_TRUE(array_equal(unlike, unlike, true).item<bool>());
  EXPECT_EQ(trace(eye(3, int8), 0, 0, 1, float32).dtype(), float32);
  EXPECT_EQ(trace(eye(3, int8)).dtype(), int32);
}

TEST(Options, OfGridsAndLikes) {
  expect_floats(logspace(array({0.f, 1.f}), 2, {.n = 3, .axis = 1}), {1, 10, 100, 10, 31.62277603149414f, 100});
  const Array powers = logspace(0, 2, {.n = 3, .dtype = int32}, 2);
  EXPECT_EQ(powers.dtype(), int32);
  EXPECT_EQ(as_integers(powers), (Integers{1, 2, 4}));
  const Array g = geomspace(array({1.f, 2.f}), array({16.f, 32.f}), {.n = 3, .axis = -1});
  EXPECT_EQ(g.shape(), (Shape{2, 3}));
  EXPECT_LT(max(abs(g / array({{1.f, 4.f, 16.f}, {2.f, 8.f, 32.f}}) - 1)).item<float>(), 1e-6f);
  EXPECT_EQ(geomspace(1, 8, {.n = 4, .dtype = int32}).dtype(), int32);
  EXPECT_EQ(fft::fftfreq(4, 1, float16).dtype(), float16);
  EXPECT_EQ(fft::rfftfreq(4, 1, float16).dtype(), float16);
  const Array x = ones({2, 3}, int8);
  EXPECT_EQ(zeros_like(x, {4}).shape(), Shape{4});
  EXPECT_EQ(zeros_like(x, {4}).dtype(), int8);
  EXPECT_EQ(ones_like(x, {2, 2}, float32).dtype(), float32);
  EXPECT_EQ(as_integers(full_like(x, 7, {2})), (Integers{7, 7}));
}

TEST(Options, OfChoosing) {
  const Array y = array({{10.f, 20.f, 30.f}, {40.f, 50.f, 60.f}});
  expect_floats(take_along_axis(y, array({{0, 5}, {-1, -4}}), -1, TakeMode::fill, 7.f), {10, 7, 60, 7});
  expect_floats(take_along_axis(y, array({4, 1}), none), {50, 20});
  EXPECT_THROW(take_along_axis(y, array({{4, 1}}), none), ShapeError);
  const Array a = zeros({4, 5}).at(slice(1, 3), slice(1, 4)).set(1);
  EXPECT_EQ(trim_zeros(a, "fb", 0).shape(), (Shape{2, 5}));
  EXPECT_EQ(trim_zeros(a, "b", 1).shape(), (Shape{4, 4}));
  EXPECT_EQ(trim_zeros(a, "").shape(), (Shape{4, 5}));
  expect_floats(linalg::tensorsolve(eye(6).reshape({2, 6, 3}), arange(6.f).reshape({2, 3}), {1}), {0, 3, 1, 4, 2, 5});
}

TEST(Options, WeightsOfQuantiles) {
  const Array w = array({1.f, 0.f, 2.f, 3.f, 1.f}), v = array({3.f, 1.f, 4.f, 1.f, 5.f});
  const QuantileOptions weighted = {.method = QuantileMethod::inverted_cdf, .weights = w};
  expect_floats(quantile(v, array({0.f, .25f, .5f, .9f, 1.f}), weighted), {1, 1, 3, 5, 5});
  expect_floats(percentile(v, 50, weighted), {3});
  const Array rows = array({{3.f, 1.f, no_number, 1.f, 5.f}, {1.f, 2.f, 3.f, 4.f, 5.f}});
  QuantileOptions along = weighted;
  along.axes = 1;
  expect_floats(quantile(rows, .5f, along), {no_number, 4});
  expect_floats(nanquantile(rows, array({.3f, .6f}), along), {1, 3, 1, 4});
  along.keepdims = true;
  EXPECT_EQ(nanquantile(rows, .5f, along).shape(), (Shape{2, 1}));
  expect_floats(quantile(v, .5f, {.method = QuantileMethod::inverted_cdf, .weights = w - 1.5f}), {no_number});
  EXPECT_THROW(quantile(v, .5f, {.weights = w}), ValueError);
  EXPECT_THROW(quantile(rows, .5f, {.axes = 0, .method = QuantileMethod::inverted_cdf, .weights = w}), ValueError);
}

TEST(Options, OfLogarithmsOfSums) {
  const Array x = array({{1.f, 2.f, 3.f}, {-1.f, 0.f, 5.f}}), b = array({1.f, -2.f, 0.f});
  const Array m = array({{true, false, true}, {false, false, false}});
  const float infinity = std::numeric_limits<float>::infinity();
  expect_floats(nn::logsumexp(x, 1, false, {}, m), {3.1269280910491943f, -infinity});
  expect_floats(nn::logsumexp(x, 1, false, b), {no_number, no_number});
  const auto [size, sign] = nn::logsumexp_with_sign(x, 1, false, b);
  expect_floats(size, {2.489880084991455f, 0.48988014459609985f});
  expect_floats(sign, {-1, -1});
  const auto [kept, one] = nn::logsumexp_with_sign(x, 1, true, {}, m);
  EXPECT_EQ(kept.shape(), (Shape{2, 1}));
  expect_floats(one, {1, 0});
  const Array slope = grad([&](const Array& v) { return nn::logsumexp(v, 1, false, {}, m).index({0}); })(x);
  expect_floats(slope, {0.11920291185379028f, 0, 0.8807970285415649f, 0, 0, 0});
  using C = std::complex<float>;
  const C z = nn::logsumexp(array(std::vector<C>{{1, 3}, {2, 3.1f}, {.5f, -2}}, {3})).item<C>();
  EXPECT_LT(std::abs(z - C(2.378636f, -3.0666087f)), 1e-6f);
}

TEST(Options, OfStandardize) {
  const Array x = array({{1.f, 2.f, 3.f}, {-1.f, 0.f, 5.f}});
  const Array m = array({{true, false, true}, {true, true, false}});
  const Array masked = nn::standardize(x, {.axes = 1, .where = m});
  const Array want = array({{-1.f, 0.f, 1.f}, {-1.f, 1.f, 11.f}});
  EXPECT_LT(max(abs(masked - want)).item<float>(), 3e-4f);
  const Array known = nn::standardize(x, {.axes = 0, .mean = ones({1, 3}), .variance = full({1, 3}, 4.f)});
  EXPECT_LT(max(abs(known - (x - 1) / 2)).item<float>(), 1e-5f);
  const Array stable = nn::standardize(x + 1e4f, {.stable = true}), fast = nn::standardize(x);
  EXPECT_LT(max(abs(stable - fast)).item<float>(), 1e-3f);
}

TEST(Options, IntegersOf64BitsAreFloat64InLinearAlgebra) {
  enable_x64(true);
  const Array a = array({{2, 1}, {1, 3}}).astype(int64);
  EXPECT_EQ(a.dtype(), int64);
  for (const Array& y : {linalg::det(a), linalg::inv(a), linalg::solve(a, a.index({0})), linalg::cholesky(a),
                         linalg::eigh(a).w, linalg::norm(a), linalg::pinv(a)})
    EXPECT_EQ(y.dtype(), float64);
  EXPECT_EQ(linalg::det(a.astype(int32)).dtype(), float32);
  enable_x64(false);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
