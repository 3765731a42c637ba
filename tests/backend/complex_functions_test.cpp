// The functions of lane/complex_functions.hpp against those of lane/complex_math.hpp: the same values at edges, the
// same bits for every kind of processor and wherever a number stands, and within their units of the functions in long
// double.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lane/complex_functions.hpp"
#include "lane/complex_math.hpp"
#include "lane/side_by_side.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

template <class T> using Complex = std::complex<T>;

template <class T> bool same_number(T x, T y) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y) || (std::isnan(x) && std::isnan(y));
}
template <class T> bool same_complex(Complex<T> x, Complex<T> y) {
  return same_number(x.real(), y.real()) && same_number(x.imag(), y.imag());
}
// A part that is NaN, infinite (where that is not too soon), of one sign, or so small that rounding decides its sign.
template <class T> bool same_class(T got, T want, T whole, long double exact) {
  if (std::isfinite(exact) && !std::isfinite(want))
    return got == want || std::abs(got - exact) <= 1e-6L * std::abs(exact);
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return got == want || std::abs(got) > 1e30;  // it may overflow later
  const T rounding = std::isfinite(whole) ? 8 * std::numeric_limits<T>::epsilon() * std::abs(whole) : T(0);
  if (std::abs(want) <= rounding && std::abs(got) <= rounding && (want != 0 || whole == 0)) return true;
  return std::signbit(got) == std::signbit(want) && std::abs(got - want) <= 1e-4 * std::abs(want) + rounding;
}

template <class T>
void run(const lane::ComplexFunction& f, int kind, const std::vector<Complex<T>>& x, const std::vector<Complex<T>>& y,
         std::int64_t from, std::int64_t n, Complex<T>* out) {
  if constexpr (sizeof(T) == 4)
    f.c64[kind](x.data() + from, y.data() + from, 1, out, n);
  else
    f.c128[kind](x.data() + from, y.data() + from, 1, out, n);
}

// `whole`: units of the larger part; `old`: function of complex_math.hpp.
template <class T, class F>
void check(const std::string& name, const lane::ComplexFunction& f, F old, bool two, double units) {
  SCOPED_TRACE(name + (sizeof(T) == 4 ? " of complex64" : " of complex128"));
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> edges = {0, -T(0), 1, -1, inf, -inf, nan, T(0.5), T(-0.5), 2};
  if (!two) edges.insert(edges.end(), {-2, T(1e-30), T(1e30), 100, -100, T(1e-10), T(3e5)});
  std::vector<Complex<T>> x, y;
  for (T a : edges)
    for (T b : edges)
      for (T c : two ? edges : std::vector<T>{0})
        for (T d : two ? edges : std::vector<T>{0}) {
          x.emplace_back(a, b);
          y.emplace_back(c, d);
        }
  const std::size_t edge_count = x.size();
  std::mt19937 random(3);
  std::normal_distribution<T> normal;
  std::uniform_real_distribution<T> uniform(-1, 1);
  for (int i = 0; i < 4003; ++i) {
    const T size = std::exp2(uniform(random) * (i % 3 == 0 ? 12 : i % 3 == 1 ? 2 : 0)), near = T(1e-3);
    Complex<T> z(normal(random) * size, normal(random) * size);
    if (i % 7 == 0) z = {1 + uniform(random) * near, uniform(random) * near};
    if (i % 11 == 0) z = {uniform(random) * near, 1 + uniform(random) * near};
    x.push_back(z);
    y.emplace_back(normal(random), normal(random));
  }
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<Complex<T>> got(x.size()), other(x.size());
  run(f, 0, x, y, 0, n, got.data());
  for (int kind = 1; kind < (lane::has_avx512() ? 3 : lane::has_avx2() ? 2 : 1); ++kind) {
    run(f, kind, x, y, 0, n, other.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(same_complex(got[i], other[i])) << x[i] << " " << y[i] << ": " << got[i] << " and " << other[i];
  }
  run(f, 0, x, y, 5, 3, other.data());
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(same_complex(got[static_cast<std::size_t>(5 + i)], other[static_cast<std::size_t>(i)]));
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i < edge_count) {
      const Complex<T> want = old(lane::ComplexMath<T>{}, x[i], y[i]);
      const Complex<long double> exact =
          old(lane::ComplexMath<long double>{}, Complex<long double>(x[i]), Complex<long double>(y[i]));
      EXPECT_TRUE(same_class(got[i].real(), want.real(), want.imag(), exact.real()) &&
                  same_class(got[i].imag(), want.imag(), want.real(), exact.imag()))
          << x[i] << " " << y[i] << ": " << got[i] << ", not " << want;
      continue;
    }
    const Complex<long double> want =
        old(lane::ComplexMath<long double>{}, Complex<long double>(x[i]), Complex<long double>(y[i]));
    const long double size = std::abs(want);
    if (!(size > 1e-30L && size < 1e30L)) continue;
    worst = std::max(worst, static_cast<double>(std::abs(Complex<long double>(got[i]) - want) / size /
                                                std::numeric_limits<T>::epsilon()));
  }
  EXPECT_LE(worst, units);
}

}  // namespace

#define OF_ONE(f, single, twice)                                                                       \
  check<float>(                                                                                        \
      #f, lane::complex_##f, [](auto m, auto x, auto) { return decltype(x)(m.f(x)); }, false, single); \
  check<double>(                                                                                       \
      #f, lane::complex_##f, [](auto m, auto x, auto) { return decltype(x)(m.f(x)); }, false, twice)

TEST(complex_functions, agree_with_those_of_single_numbers) {
  OF_ONE(sqrt, 1, 2);
  OF_ONE(rsqrt, 1, 3);
  OF_ONE(exp2, 4, 4000);  // as the angle is multiplied first
  OF_ONE(expm1, 4, 4);
  OF_ONE(log1p, 1, 4);
  OF_ONE(logistic, 2, 100);  // near its poles
  OF_ONE(sinh, 2, 3);
  OF_ONE(cosh, 2, 3);
  OF_ONE(tan, 2, 4);
  OF_ONE(tanh, 2, 4);
  OF_ONE(asin, 1, 3);
  OF_ONE(acos, 1, 3);
  OF_ONE(atan, 1, 3);
  OF_ONE(asinh, 1, 3);
  OF_ONE(acosh, 1, 3);
  OF_ONE(atanh, 1, 3);
  auto pow = [](auto m, auto x, auto y) { return m.pow(x, y); };
  check<float>("pow", lane::complex_pow, pow, true, 1);
  check<double>("pow", lane::complex_pow, pow, true, 60);
  auto mul = [](auto m, auto x, auto y) { return m.mul(x, y); };
  check<float>("mul", lane::complex_mul, mul, true, 2);
  check<double>("mul", lane::complex_mul, mul, true, 2);
}

// One number beside an array, on either side, longer than a piece, and whole powers, which are loops over parts.
TEST(complex_functions, take_a_number_beside_an_array) {
  const int n = 1003;
  std::vector<std::complex<float>> xs;
  for (int i = 0; i < n; ++i) xs.emplace_back(0.01f * static_cast<float>(i) - 3, 1 - 0.003f * static_cast<float>(i));
  const Array x = array(xs, Shape{n});
  const std::complex<float> a(1.5f, -0.25f);
  const auto right = lax::pow(x, array_from_scalar(Scalar(std::complex<double>(a)).to(complex64), false));
  const auto left = lax::pow(array_from_scalar(Scalar(std::complex<double>(a)).to(complex64), false), x);
  const std::vector<std::complex<float>> powers = right.to_vector<std::complex<float>>(),
                                         exponents = left.to_vector<std::complex<float>>(),
                                         thirds = lax::integer_pow(x, 3).to_vector<std::complex<float>>(),
                                         inverse = lax::integer_pow(x, -1).to_vector<std::complex<float>>(),
                                         none = lax::integer_pow(x, 0).to_vector<std::complex<float>>();
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::complex<double> z = xs[k], b = a;
    auto near = [](std::complex<double> got, std::complex<double> want) {
      return std::abs(got - want) <= 1e-6 * std::abs(want);
    };
    EXPECT_TRUE(near(powers[k], std::pow(z, b))) << z;
    EXPECT_TRUE(near(exponents[k], std::pow(b, z))) << z;
    EXPECT_TRUE(near(thirds[k], z * z * z)) << z;
    EXPECT_TRUE(near(inverse[k], 1.0 / z)) << z;
    EXPECT_EQ(none[k], std::complex<float>(1));
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
