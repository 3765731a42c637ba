// Complex numbers of both precisions. Values and signs are JAX's.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using C = std::complex<double>;

class WithX64 {
 public:
  WithX64() { enable_x64(true); }
  ~WithX64() { enable_x64(false); }
};

void expect_near(const Array& x, const std::vector<C>& want, double tolerance) {
  const std::vector<C> got = x.to_vector<C>();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - want[i]), tolerance * std::max(1., std::abs(want[i]))) << i << ": " << got[i];
}

TEST(Complex128, IsADtypeLikeOthers) {
  EXPECT_EQ(array({C(1, 2)}).dtype(), complex64);  // without x64
  const WithX64 x64;
  const Array z = array({C(1, 2), C(-.5, .25)});
  EXPECT_EQ(z.dtype(), complex128);
  EXPECT_EQ((z.astype(complex64) * array(1.)).dtype(), complex128);
  EXPECT_EQ((z * array(1.f)).dtype(), complex128);
  EXPECT_EQ((z.astype(complex64) * array(1.f)).dtype(), complex64);
  EXPECT_EQ(real(z).dtype(), float64);
  std::ostringstream text;
  text << z;
  EXPECT_EQ(text.str(), "[ 1. +2.j   -0.5+0.25j]");
  EXPECT_EQ(z.nbytes(), 32);
  expect_near(exp(z), {C(-1.13120438375681, 2.47172667200482), C(0.58767509, 0.15005809)}, 1e-8);
  expect_near(matmul(z, z), {C(-2.8125, 3.75)}, 1e-15);
  expect_near(cumprod(z), {C(1, 2), C(-1, -.75)}, 1e-15);
  expect_near(sum(z), {C(.5, 2.25)}, 1e-15);
  expect_near(flip(concatenate({z, z(slice(0, 1))})), {C(1, 2), C(-.5, .25), C(1, 2)}, 0);
  expect_near(jit([](const Array& v) { return transpose(reshape(v, {2, 1})) * conj(v); })(z), {C(5), C(.3125)}, 1e-15);
  expect_near(vmap([](const Array& v) { return v * v; })(z), {C(-3, 4), C(.1875, -.25)}, 1e-15);
  expect_near(lax::scan(
                  [](const Array& c, const Array& v) {
                    return std::pair{c * v, c};
                  },
                  array(C(1)), z)
                  .first,
              {C(-1, -.75)}, 1e-15);
  expect_near(linalg::eigvals(array({{0., 1.}, {-2., .5}})), {C(.25, 1.391941090707505), C(.25, -1.391941090707505)},
              1e-14);
  expect_near(fft::fft(array({1., 2., 4.})), {C(7), C(-2, std::sqrt(3.)), C(-2, -std::sqrt(3.))}, 1e-14);
  expect_near(linalg::solve(array({{C(2, 1), C(0, 1)}, {C(1), C(3)}}), array({C(1), C(2)})),
              {C(.35, -.45), C(.55, .15)}, 1e-14);
}

TEST(Complex, FunctionsHaveDerivatives) {
  const Array z = array({std::complex<float>(.5f, -.3f), std::complex<float>(-.2f, .8f)});
  struct Case {
    const char* name;
    Array (*f)(const In&);
    C (*want)(const C&);
  };
  const Case cases[] = {{"sin", sin, std::sin},           {"cos", cos, std::cos},
                        {"tan", tan, std::tan},           {"sinh", sinh, std::sinh},
                        {"cosh", cosh, std::cosh},        {"tanh", tanh, std::tanh},
                        {"arcsin", arcsin, std::asin},    {"arccos", arccos, std::acos},
                        {"arctan", arctan, std::atan},    {"arcsinh", arcsinh, std::asinh},
                        {"arctanh", arctanh, std::atanh}, {"log", log, std::log},
                        {"sqrt", sqrt, std::sqrt},        {"exp", exp, std::exp}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::vector<C> at = z.to_vector<C>();
    expect_near(c.f(z), {c.want(at[0]), c.want(at[1])}, 1e-6);
    auto slope = [&](C x) { return (c.want(x + 1e-6) - c.want(x - 1e-6)) / 2e-6; };
    auto total = [&](const Array& v) { return sum(c.f(v)); };
    expect_near(grad(total, {.holomorphic = true})(z), {slope(at[0]), slope(at[1])}, 1e-5);
  }
  expect_near(log1p(z), {std::log(1. + z.to_vector<C>()[0]), std::log(1. + z.to_vector<C>()[1])}, 1e-6);
  expect_near(power(z, z),
              {std::pow(z.to_vector<C>()[0], z.to_vector<C>()[0]), std::pow(z.to_vector<C>()[1], z.to_vector<C>()[1])},
              1e-6);
}

TEST(Complex, EdgesAreXlas) {
  auto parts = [](const Array& z) {
    const C c = z.to_vector<C>()[0];
    return std::pair{std::copysign(1., c.real()), std::copysign(1., c.imag())};
  };
  const Array below = array({std::complex<float>(-1.f, -0.f)});
  EXPECT_EQ(sqrt(below).to_vector<C>()[0], C(0, 1));  // the cut is reached from above
  EXPECT_EQ(parts(exp(array({std::complex<float>(1.f, -0.f)}))).second, 1);
  EXPECT_EQ(parts(reciprocal(below)).second, -1);
  EXPECT_EQ(abs(array({std::complex<float>(3, 4)})).item<float>(), 5);
  EXPECT_EQ(abs(array({std::complex<float>(3, 4)})).dtype(), float32);
  // |z| has the derivative 0 at 0.
  const Array at_zero = grad([](const Array& z) { return sum(abs(z)); })(array({std::complex<float>(0, 0)}));
  EXPECT_EQ(at_zero.to_vector<C>()[0], C(0));
  EXPECT_FALSE(isfinite(array({std::complex<float>(0, INFINITY)})).item<bool>());
}

// Values of jax.numpy.
TEST(Complex, RoundsComparesAndOrders) {
  const Array z = array({C(1.26, -2.75), C(1.26, -3), C(-.5, 9)}).astype(complex64);
  expect_near(round(z, 1), {C(1.3, -2.8), C(1.3, -3), C(-.5, 9)}, 1e-6);
  expect_near(round(z), {C(1, -3), C(1, -3), C(0, 9)}, 0);
  EXPECT_TRUE(all(isclose(z, z + 1e-7f)).item<bool>());
  EXPECT_FALSE(any(isclose(z, z + array(C(0, .1)).astype(complex64))).item<bool>());
  EXPECT_EQ(argsort(z).to_vector<int>(), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(argsort(z, 0, true).to_vector<int>(), (std::vector<int>{0, 1, 2}));
}

using Cf = std::complex<float>;
const Cf kNan(NAN, 0);

void expect_same(const Array& x, const std::vector<C>& want) { expect_near(x, want, 0); }

// By real part, then imaginary part; of two of which one is NaN the second. Values of jax.numpy and jax.lax.
TEST(Complex, HaveExtrema) {
  const Array z = array({Cf(1, 2), Cf(1, -1), Cf(0, 3), Cf(-1, 0), Cf(1, 2)});
  const Array w = array({Cf(1, 1), Cf(2, -5), Cf(0, 3), Cf(-1, 2), Cf(1, 2)});
  const std::vector<C> larger{C(1, 2), C(2, -5), C(0, 3), C(-1, 2), C(1, 2)};
  expect_same(maximum(z, w), larger);
  expect_same(minimum(z, w), {C(1, 1), C(1, -1), C(0, 3), C(-1, 0), C(1, 2)});
  expect_same(jit([](const Array& x, const Array& y) { return maximum(x, y) * 2; })(z, w),
              (2 * array(larger)).to_vector<C>());
  expect_same(maximum(array({kNan}), array({Cf(0, 1)})), {C(0, 1)});
  EXPECT_TRUE(std::isnan(maximum(array({Cf(0, 1)}), array({kNan})).item<Cf>().real()));
  expect_same(fmax(array({Cf(0, 1), kNan}), array({kNan, Cf(0, 1)})), {C(0, 1), C(0, 1)});
  EXPECT_EQ((z < w).to_vector<bool>(), (std::vector<bool>{false, true, false, true, false}));
  EXPECT_EQ((z >= w).to_vector<bool>(), (std::vector<bool>{true, false, true, false, true}));

  expect_same(max(z), {C(1, 2)});
  expect_same(min(stack({z, w}), 0), {C(1, 1), C(1, -1), C(0, 3), C(-1, 0), C(1, 2)});
  expect_same(ptp(z), {C(2, 2)});
  expect_same(lax::cummax(z(slice(1, 4)), 0), {C(1, -1), C(1, -1), C(1, -1)});
  expect_same(lax::cummin(z, 0), {C(1, 2), C(1, -1), C(0, 3), C(-1, 0), C(-1, 0)});
  expect_same(lax::clamp(z, w, w), larger);
  expect_same(lax::reduce_window(z, lax::WindowReduction::max, {.window_dimensions = {2}}),
              {C(1, 2), C(1, -1), C(0, 3), C(1, 2)});
  expect_same(vmap([](const Array& x) { return lax::pmax(x, "i"); }, {.axis_name = "i"})(z),
              std::vector<C>(5, C(1, 2)));
  const Array ids = array({0, 0, 1, 1, 1});
  expect_same(segment_max(z, ids, 3)(slice(0, 2)), {C(1, 2), C(1, 2)});
  expect_same(z.at(array({0, 0, 1})).min(array({Cf(3, 1), Cf(0, 1), Cf(1, -3)})),
              {C(0, 1), C(1, -3), C(0, 3), C(-1, 0), C(1, 2)});
  expect_same(unique(z), {C(-1, 0), C(0, 3), C(1, -1), C(1, 2)});
  EXPECT_EQ(lexsort({z}).to_vector<int>(), (std::vector<int>{3, 2, 1, 0, 4}));
  const auto [keys, values] = lax::sort_key_val(z, arange(5));
  expect_same(keys, {C(-1, 0), C(0, 3), C(1, -1), C(1, 2), C(1, 2)});
  EXPECT_EQ(values.to_vector<int>(), (std::vector<int>{3, 2, 1, 0, 4}));
  expect_same(nan_to_num(array({Cf(NAN, 1), Cf(2, NAN)})), {C(0, 1), C(2, 0)});
  EXPECT_THROW(clip(z, 0, 1), ValueError);
  EXPECT_THROW(lax::lt(z, w), TypeError);
}

TEST(Complex, ExtremaShareTheirDerivative) {
  const Array z = array({Cf(1, 2), Cf(1, -1), Cf(0, 3), Cf(-1, 0), Cf(1, 2)});
  const Array w = array({Cf(1, 1), Cf(2, -5), Cf(0, 3), Cf(-1, 2), Cf(1, 2)});
  auto slope = [&](auto f) { return grad([&](const Array& x) { return sum(real(f(x))); })(z); };
  expect_same(slope([](const Array& x) { return max(x); }), {C(.5), C(0), C(0), C(0), C(.5)});
  expect_same(slope([&](const Array& x) { return maximum(x, w); }), {C(1), C(0), C(.5), C(0), C(.5)});
  expect_same(slope([](const Array& x) { return lax::cummax(x, 0); }), {C(4.5), C(0), C(0), C(0), C(.5)});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
