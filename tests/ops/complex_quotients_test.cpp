// Quotients of complex numbers over the whole range: users-3, 5. What is compared with is the C library's quotient,
// which follows Annex G, and long double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

template <class T> using Numbers = std::vector<std::complex<T>>;
template <class T> Array array_of(const Numbers<T>& z) {
  return array(z).astype(sizeof(T) == 4 ? complex64 : complex128);
}
template <class T> Numbers<T> numbers_in(const Array& z) { return z.to_vector<std::complex<T>>(); }

template <class T> std::vector<T> unusual() {
  using L = std::numeric_limits<T>;
  return {0,
          T(-0.0),
          1,
          -2,
          T(0.3),
          L::infinity(),
          -L::infinity(),
          L::max(),
          -L::max() / 2,
          L::min(),
          L::denorm_min(),
          -3 * L::denorm_min(),
          L::quiet_NaN()};
}
// All pairs of operands with unusual parts.
template <class T> std::pair<Numbers<T>, Numbers<T>> unusual_operands() {
  std::pair<Numbers<T>, Numbers<T>> out;
  const std::vector<T> parts = unusual<T>();
  for (T a : parts)
    for (T b : parts)
      for (T c : parts)
        for (T d : parts) {
          out.first.emplace_back(a, b);
          out.second.emplace_back(c, d);
        }
  return out;
}

bool any_infinite(auto z) { return std::isinf(z.real()) || std::isinf(z.imag()); }
bool any_nan(auto z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

// Both are zero, infinite, not a number; or close, in multiples of the distance of numbers of that size.
template <class T> testing::AssertionResult alike(std::complex<T> z, std::complex<long double> right, double ulps) {
  auto fails = [&] { return testing::AssertionFailure() << z << " where " << right << " is right"; };
  if (any_infinite(right)) return any_infinite(z) ? testing::AssertionSuccess() : fails();
  if (any_nan(right)) return any_nan(z) ? testing::AssertionSuccess() : fails();
  if (std::abs(right) > std::numeric_limits<T>::max() / 2) return testing::AssertionSuccess();  // a part may overflow
  const long double size = std::max<long double>(std::abs(right), std::numeric_limits<T>::min());
  const long double off = std::abs(std::complex<long double>(z) - right);
  return off <= ulps * std::numeric_limits<T>::epsilon() * size ? testing::AssertionSuccess() : fails();
}

template <class T> void expect_quotients(const Numbers<T>& x, const Numbers<T>& y) {
  const Array z = array_of(x), w = array_of(y);
  const Numbers<T> found = numbers_in<T>(jit([](const Array& z, const Array& w) { return lax::div(z, w); })(z, w));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(alike(found[i], std::complex<long double>(x[i]) / std::complex<long double>(y[i]), 4))
        << x[i] << " / " << y[i];
}

template <class T> std::complex<T> drawn(std::mt19937_64& random, int exponents) {
  const int e = std::uniform_int_distribution<int>(-exponents, exponents)(random);
  std::normal_distribution<double> normal;
  return {static_cast<T>(std::ldexp(normal(random), e)), static_cast<T>(std::ldexp(normal(random), e))};
}

}  // namespace

TEST(ComplexQuotients, OfUnusualNumbers) {
  enable_x64(true);
  const auto [x, y] = unusual_operands<float>();
  expect_quotients(x, y);
  const auto [z, w] = unusual_operands<double>();
  expect_quotients(z, w);
  enable_x64(false);
}

TEST(ComplexQuotients, OverTheWholeRange) {
  enable_x64(true);
  std::mt19937_64 random(28);
  Numbers<float> x, y;
  Numbers<double> z, w;
  for (int i = 0; i < 20'000; ++i) {
    x.push_back(drawn<float>(random, 126));
    y.push_back(drawn<float>(random, 126));
    z.push_back(drawn<double>(random, 1020));
    w.push_back(drawn<double>(random, 1020));
  }
  expect_quotients(x, y);
  expect_quotients(z, w);
  enable_x64(false);
}

// The branch is taken for whole vectors: what lies beside an unusual number has the bits that it has without it.
TEST(ComplexQuotients, NeighboursOfUnusualNumbersKeepTheirBits) {
  enable_x64(true);
  for (DType part : {float32, float64})
    for (std::int64_t n : {1, 7, 16, 33, 1000, 70'000}) {
      SCOPED_TRACE(n);
      const Array re = random::normal(random::key(0), {n}, part), im = random::normal(random::key(1), {n}, part);
      const Array z = lax::complex(re, im), w = lax::complex(im, re), one = ones_like(z);
      const auto divide = jit([](const Array& z, const Array& w) {
        return stack({z / w, reciprocal(w),
                      lax::fori_loop(
                          0, 3, [&](const Array&, const Array& c) { return c / w; }, z)});
      });
      const Array is_unusual = random::bernoulli(random::key(2), 0.1, {n});
      const Array some = divide(z, where(is_unusual, zeros_like(w), w)), none = divide(z, w);
      EXPECT_TRUE(array_equal(where(is_unusual, one, some), where(is_unusual, one, none)));
      const Array sums = jit([](const Array& z, const Array& w) { return sum(abs(z / w), 0); })(z, w);
      EXPECT_TRUE(allclose(sums, sum(abs(none[0]), 0)));
    }
  enable_x64(false);
}

TEST(ComplexQuotients, OfSmallIntegersAreExact) {
  enable_x64(true);
  for (DType part : {float32, float64}) {
    const Array re = random::randint(random::key(0), {5000}, -99, 99).astype(part),
                im = random::randint(random::key(1), {5000}, -99, 99).astype(part),
                c = random::randint(random::key(2), {5000}, 1, 99).astype(part),
                d = random::randint(random::key(3), {5000}, -99, 99).astype(part);
    const Array z = lax::complex(re, im), w = lax::complex(c, d);
    EXPECT_TRUE(array_equal(jit([](const Array& z, const Array& w) { return z * w / w; })(z, w), z));
    EXPECT_TRUE(array_equal(jit([](const Array& z, const Array& c) { return z * c / c; })(z, c), z));
    EXPECT_TRUE(array_equal(jit([](const Array& w) { return w / w; })(w), ones_like(w)));
  }
  enable_x64(false);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
