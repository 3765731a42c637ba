// Dtypes, options and values of numpy, lax, nn and special functions where they are easily got wrong: values are JAX's.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Z = std::complex<double>;
using F = std::vector<float>;
using I = std::vector<std::int64_t>;
F reals(const Array& x) { return x.astype(float32).to_vector<float>(); }
I whole(const Array& x) { return x.astype(int32).to_vector<std::int64_t>(); }

class SixtyFour {
 public:
  SixtyFour() { enable_x64(true); }
  ~SixtyFour() { enable_x64(false); }
};

TEST(Values, PaddingOfComplex128IsWhole) {
  SixtyFour x64;
  const Array x = array(std::vector<Z>{{1, 2}, {3, 4}}, {2});
  const Array y = lax::pad(x, Array(Z(5, -6)), {{2, 1, 1}});
  EXPECT_EQ(y.to_vector<Z>(), (std::vector<Z>{{5, -6}, {5, -6}, {1, 2}, {5, -6}, {3, 4}, {5, -6}}));
  // The derivative pads; ct * f'(x) of x0, x0 x1, x0 x1 x2.
  auto [p, pull] = vjp([](const Array& v) { return cumprod(v); }, array(std::vector<Z>{{1, 1}, {2, 0}, {0, 3}}, {3}));
  const auto g = std::get<0>(pull(array(std::vector<Z>{{1, 0}, {0, 1}, {1, 0}}, {3}))).to_vector<Z>();
  EXPECT_EQ(g[0], Z(1, 8));
  EXPECT_EQ(g[1], Z(-4, 4));
  EXPECT_EQ(g[2], Z(2, 2));
}

TEST(Values, OfSmallFloats) {
  for (DType d : {float16, bfloat16}) {
    const Array x = array({-1.5f, 2.f}).astype(d);
    EXPECT_EQ(copysign(x, -x).dtype(), d);
    EXPECT_EQ(reals(copysign(x, array({1.f, -1.f}).astype(d))), F({1.5f, -2.f}));
    EXPECT_EQ(reals(modf(x).first), F({-0.5f, 0.f}));
    EXPECT_EQ(reals(modf(x).second), F({-1.f, 2.f}));
    EXPECT_EQ(spacing(x).dtype(), d);
    EXPECT_EQ(quantile(x, array({0.5f})).dtype(), d);
  }
  EXPECT_EQ(reals(modf(array({INFINITY, -INFINITY})).first), F({0.f, -0.f}));
}

TEST(Values, IntegersOf32BitsStayFloat32UnderX64) {
  SixtyFour x64;
  const Array small = array({1, 2, 3}).astype(int32), large = small.astype(int64);
  EXPECT_EQ(quantile(small, 0.5).dtype(), float32);
  EXPECT_EQ(nanmean(small).dtype(), float32);
  EXPECT_EQ(special::gammainc(small, small).dtype(), float32);
  EXPECT_EQ(special::i1e(small).dtype(), float32);
  EXPECT_EQ(special::i1e(large).dtype(), float64);
  EXPECT_EQ(nn::gelu(small).dtype(), float32);
  EXPECT_EQ(nn::gelu(large).dtype(), float64);
  EXPECT_EQ(nn::softmax(large).dtype(), float64);
  EXPECT_EQ(sort_complex(large).dtype(), complex128);
  EXPECT_EQ(copysign(small > 1, small).dtype(), float32);
  for (const Array& i : nonzero(large)) EXPECT_EQ(i.dtype(), int64);
  EXPECT_EQ(argwhere(large).dtype(), int64);
  EXPECT_EQ(indices({2, 3}).dtype(), int64);
  EXPECT_EQ(fft::fftfreq(4).dtype(), float64);
  EXPECT_EQ(tri(2).dtype(), float32);
  EXPECT_EQ(argpartition(small, 1).dtype(), int32);
}

TEST(Values, ReductionsOfNothingAndTheirStart) {
  EXPECT_TRUE(std::isnan(var(array({1.f}), {}, false, 1).item<float>()));
  EXPECT_TRUE(std::isnan(var(array({1.f, 2.f}), {}, false, 3).item<float>()));
  EXPECT_TRUE(std::isnan(std_with(array({1.f, 2.f}), {.where = array({true, false}), .ddof = 1}).item<float>()));
  EXPECT_EQ(max_with(array({1, 2}), {.initial = 2.5}).dtype(), int32);
  EXPECT_EQ(prod_with(array({1, 2}), {.initial = 2.5}).item<int>(), 4);
  EXPECT_EQ(sum_with(array({true, true}), {.initial = 2.5}).item<int>(), 4);
}

TEST(Values, UpdatesAreComputedInTheCommonDtype) {
  const Array x = array({7, 2});
  EXPECT_EQ(whole(x.at(0).mul(1.5)), I({10, 2}));
  EXPECT_EQ(whole(x.at(array({0, 0})).add(1.5)), I({10, 2}));
  EXPECT_EQ(whole(x.at(0).set(1.5)), I({1, 2}));
  EXPECT_EQ(x.at(0).mul(1.5).dtype(), int32);
  // A place that is not there, where the mode says what becomes of it.
  EXPECT_EQ(whole(x.at(5).set(1, AtMode::drop)), I({7, 2}));
  EXPECT_EQ(whole(x.at(5).set(1, AtMode::clip)), I({7, 1}));
  EXPECT_EQ(x.at(5).get(AtMode::clip).item<int>(), 2);
  EXPECT_EQ(whole(ones({2, 3}, int32).at({-1, 7}).get(AtMode::fill, Array(9))), I({9}));
  EXPECT_THROW(x.at(5).set(1), IndexError);
  EXPECT_EQ(whole(put(x, array({-1, 5}), array({3, 4}))), I({3, 4}));
}

TEST(Values, OfEmptyResults) {
  EXPECT_EQ(segment_sum(ones({3, 2}), array({0, 1, 2}), 0).shape(), Shape({0, 2}));
  EXPECT_EQ(unique(array({1, 2}), {.size = 0}).shape(), Shape({0}));
  EXPECT_EQ(unique_all(array({1, 2}), {.size = 0}).counts.shape(), Shape({0}));
  EXPECT_EQ(fft::fft(zeros({4, 0})).shape(), Shape({4, 0}));
  EXPECT_EQ(trim_zeros(array({{0, 0, 0}, {0, 1, 0}})).shape(), Shape({1, 1}));
  auto picked = [](const Array& x) { return sum(take_along_axis(x, zeros({0, 1}, int32), 1)); };
  EXPECT_EQ(grad(picked)(zeros({0, 2})).shape(), Shape({0, 2}));
}

TEST(Values, ComplexNumbersAreSearchedAsTheyAreSorted) {
  using C = std::complex<float>;
  const Array x = array(std::vector<C>{{1, 2}, {0, 5}, {1, 2}, {1, -1}}, {4});
  EXPECT_EQ(whole(searchsorted(sort(x), array(std::vector<C>{{1, 0}, {1, 2}, {9, 0}}, {3}))), I({2, 2, 4}));
  EXPECT_EQ(whole(searchsorted(sort(x), array(std::vector<C>{{1, 2}}, {1}), {.right = true})), I({4}));
  EXPECT_EQ(whole(isin(x, array(std::vector<C>{{1, 2}}, {1}))), I({1, 0, 1, 0}));
  EXPECT_EQ(setdiff1d(x, array(std::vector<C>{{1, 2}}, {1})).size(), 2);
}

TEST(Values, FilledSetsTakeTheCommonDtype) {
  const Array x = array({1, 2, 3});
  EXPECT_EQ(reals(intersect1d(x, array({2}), {.size = 2, .fill_value = 2.5})), F({2.f, 2.5f}));
  EXPECT_EQ(reals(flatnonzero(array({0, 1}), {.size = 2, .fill_value = 2.5})), F({1.f, 2.5f}));
  EXPECT_EQ(whole(intersect1d(array({5, -3, 4}), array({4, -3}), {.size = 4})), I({-3, 4, -3, -3}));
  EXPECT_EQ(whole(intersect1d(x, array({7}), {.size = 2})), I({0, 0}));
  EXPECT_EQ(whole(setxor1d(x, array({2, 3, 9}), {.size = 4})), I({1, 9, 1, 1}));
  EXPECT_EQ(whole(setdiff1d(zeros({0}, int32), x, {.size = 2})), I({0, 0}));
  EXPECT_EQ(whole(intersect1d(zeros({0}, int32), x, {.size = 2, .fill_value = 7})), I({7, 7}));
  EXPECT_EQ(setxor1d(array({NAN, 1.f}), array({1.f, 2.f})).size(), 2);
}

// Values from JAX: sums are kept in the preferred dtype, or in a wider one that the elements have.
TEST(Values, EinsumInAPreferredDtype) {
  const Array b = array({{true, true}, {false, true}}), i = array({{1, 2}, {3, 4}});
  EXPECT_EQ(einsum("ii->i", {b}).to_vector<bool>(), (std::vector<bool>{true, true}));
  EXPECT_EQ(einsum("ij->j", {b}).dtype(), bool_);
  EXPECT_EQ(reals(einsum("ij->j", {b}, float32)), F({1, 2}));
  EXPECT_EQ(reals(einsum("ii->i", {i}, float32)), F({1, 4}));
  EXPECT_EQ(einsum("ij->", {i}, float32).dtype(), float32);
  EXPECT_EQ(whole(einsum("ij->i", {array({{1.5f, 1.5f}})}, int32)), I({3}));
  const Array z = array(std::vector<std::complex<float>>{{1, 2}, {3, -1}}, {2});
  EXPECT_EQ(reals(einsum("i,i->i", {z, z}, float32)), F({-3, 8}));
  EXPECT_EQ(lax::dot_general(z, z, {.lhs_contract = {0}, .rhs_contract = {0}}, float32).item<float>(), 5);
  const Array x = array({1.f, 2.f});
  EXPECT_EQ(lax::dot_general(x, x, {.lhs_contract = {0}, .rhs_contract = {0}}, complex64).item<std::complex<float>>(),
            std::complex<float>(5, 0));
}

TEST(Values, ToeplitzOfStacks) {
  const Array t = linalg::toeplitz(array({1.f, 2.f, 3.f}), array({{9.f, 4.f}, {9.f, 5.f}}));
  EXPECT_EQ(reals(t), F({1, 4, 2, 1, 3, 2, 1, 5, 2, 1, 3, 2}));
  EXPECT_EQ(t.shape(), Shape({2, 3, 2}));
}

TEST(Values, PowersOfIntegersInLax) {
  EXPECT_EQ(reals(lax::pow(array({2.f, -0.f, 0.f, -2.f}), array({-1, -1, 0, 3}))), F({.5f, -INFINITY, 1, -8}));
  EXPECT_EQ(lax::pow(ones({2}, bfloat16), ones({2}, uint8)).dtype(), bfloat16);
  EXPECT_THROW(lax::pow(array({2}), array({3.f})), TypeError);
}

TEST(Values, OfLax) {
  EXPECT_EQ(lax::clamp(Array(3.f), array({0.f, 5.f}), Array(1.f)).to_vector<float>(), F({1.f, 1.f}));
  EXPECT_TRUE(isnan(lax::clamp(array({NAN}), array({0.f}), array({1.f}))).item<bool>());
  EXPECT_THROW(gcd(Array(1.5f), 2), ValueError);
  EXPECT_EQ(lax::add(array({{1}, {2}}), array({{10, 20}})).shape(), Shape({2, 2}));
  EXPECT_THROW(lax::add(ones({2}), ones({3})), ShapeError);
  EXPECT_THROW(lax::add(ones({1}), ones({2, 3})), ShapeError);
  EXPECT_EQ(lax::conj(array({1.f})).dtype(), complex64);
  EXPECT_EQ(lax::collapse(ones({2, 3}), 1, 5).shape(), Shape({2, 3}));
  EXPECT_THROW(lax::slice_in_dim(ones({3}), 0, 4), Error);
  auto wrong = [](const Array& x, const Array& y) { return sum(x + y); };
  EXPECT_THROW(lax::associative_scan(wrong, ones({5})), ShapeError);
}

TEST(Values, OfComplexFunctions) {
  using C = std::complex<float>;
  const Array z = array(std::vector<C>{{0.5f, 1.5f}}, {1});
  const C s = sinc(z).to_vector<C>()[0], w = std::sin(float(M_PI) * C(0.5f, 1.5f)) / (float(M_PI) * C(0.5f, 1.5f));
  EXPECT_NEAR(std::abs(s - w), 0, 1e-4);
  const C sum = logaddexp(z, 2 * z).to_vector<C>()[0], exact = std::log(std::exp(C(0.5f, 1.5f)) + std::exp(C(1, 3)));
  EXPECT_NEAR(std::abs(sum - exact), 0, 1e-5);
  EXPECT_EQ(rint(z).to_vector<C>()[0], C(0, 2));
  EXPECT_NEAR(std::abs(atan2(z, z).to_vector<C>()[0] - C(float(M_PI) / 4, 0)), 0, 1e-6);
  EXPECT_THROW(isneginf(z), ValueError);
  EXPECT_THROW(signbit(z), ValueError);
}

TEST(Values, RunningProductsKeepSmallIntegers) {
  const Array x = array({2, 3}).astype(int8);
  EXPECT_EQ(cumulative_prod(x, {.include_initial = true}).dtype(), int8);
  EXPECT_EQ(cumulative_prod(array({true})).dtype(), int32);
  EXPECT_EQ(cumulative_sum(x).dtype(), int32);
}

TEST(Values, AnglesOfIntegers) {
  SixtyFour on;
  EXPECT_EQ(angle(array({-1, 1}).astype(int8)).dtype(), float64);
}

TEST(Values, WeakFloatsOfIntegers) {
  for (const Array& y :
       {nn::relu6(array({7})), nn::elu(array({-1})), nn::celu(array({-1})), nn::sparse_plus(array({1}))})
    EXPECT_TRUE(y.weak_type() && y.dtype() == float32);
  EXPECT_FALSE(heaviside(array({true}), 0.5).weak_type());
  EXPECT_LT(special::beta(Array(-2.5f), 3.f).item<float>(), 0);
}

TEST(Values, BetaWhereOneNumberIsLarge) {
  const Array y = special::betaln(array({2.5f, 12.f, 1e5f, 0.5f}), array({1e10f, 15.f, 2e5f, 11.f}));
  const F got = y.to_vector<float>(), want = {-57.279945f, -18.568173f, -190958.89f, -0.61522296f};
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-6f * std::abs(want[i])) << i;
  const Array g = grad([](const Array& a) { return special::betaln(a, 1e10f); })(Array(2.5f));
  EXPECT_NEAR(g.item<float>(), -22.32269f, 1e-4f);  // digamma(a) - log(a + b)
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
