// Functions whose results are exact: common divisors, powers of integers, exponents of floats.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

struct WithX64 {
  WithX64() { enable_x64(true); }
  ~WithX64() { enable_x64(false); }
};
Shape length(std::size_t n) { return Shape{static_cast<std::int64_t>(n)}; }

template <class T> T power_of(T x, T n) {
  using U = std::make_unsigned_t<T>;
  if (n < T(0)) return x == T(1) ? T(1) : x == T(-1) ? T(n & 1 ? -1 : 1) : T(0);
  std::uint64_t y = 1, base = static_cast<U>(x);
  for (std::uint64_t k = static_cast<U>(n); k > 0; k >>= 1, base *= base)
    if (k & 1) y *= base;
  return static_cast<T>(y);
}

template <class T> void check_integers() {
  using U = std::make_unsigned_t<T>;
  std::mt19937_64 random(3);
  std::vector<T> xs{0, 0, 7, std::numeric_limits<T>::max(), std::numeric_limits<T>::max(), 1}, ys{0, 6, 0, 0, 1, 1};
  for (int i = 0; i < 4000; ++i) {
    const int shift = static_cast<int>(random() % (8 * sizeof(T)));
    xs.push_back(static_cast<T>(static_cast<T>(random()) >> shift));
    ys.push_back(static_cast<T>(static_cast<T>(random()) >> (i % 3 ? 0 : shift)));
  }
  const Array x = array(xs, length(xs.size())), y = array(ys, length(ys.size()));
  const std::vector<T> divisors = gcd(x, y).template to_vector<T>(), powers = lax::pow(x, y).template to_vector<T>();
  auto size = [](T v) { return v < T(0) ? U(0) - static_cast<U>(v) : static_cast<U>(v); };
  for (std::size_t i = 0; i < xs.size(); ++i) {
    ASSERT_EQ(divisors[i], static_cast<T>(std::gcd(std::uint64_t{static_cast<U>(size(xs[i]))},
                                                   std::uint64_t{static_cast<U>(size(ys[i]))})))
        << +xs[i] << ' ' << +ys[i];
    ASSERT_EQ(powers[i], power_of(xs[i], ys[i])) << +xs[i] << ' ' << +ys[i];
  }
}

template <class T, class Bits> void check_exponents() {
  std::mt19937_64 random(4);
  std::vector<T> xs{T(0),
                    T(-0.),
                    T(1),
                    T(-0.5),
                    std::numeric_limits<T>::denorm_min(),
                    std::numeric_limits<T>::max(),
                    std::numeric_limits<T>::infinity()};
  while (xs.size() < 5000) {
    const Bits bits = static_cast<Bits>(random());
    T x;
    std::memcpy(&x, &bits, sizeof x);
    if (xs.size() % 4 == 0) x = std::fmod(x, std::numeric_limits<T>::min());  // subnormal
    if (x == x) xs.push_back(x);
  }
  std::vector<int> by;
  const int most = std::numeric_limits<T>::max_exponent * 2 + 100;
  for (std::size_t i = 0; i < xs.size(); ++i) by.push_back(static_cast<int>(random() % (2 * most)) - most);
  const Array x = array(xs, length(xs.size()));
  const auto [fraction, exponent] = frexp(x);
  const std::vector<T> f = fraction.template to_vector<T>(),
                       scaled = ldexp(x, array(by, length(by.size()))).template to_vector<T>();
  const std::vector<int> e = exponent.template to_vector<int>();
  for (std::size_t i = 0; i < xs.size(); ++i) {
    int want = 0;
    const T part = std::frexp(xs[i], &want);
    ASSERT_EQ(f[i], part) << xs[i];
    ASSERT_EQ(std::signbit(f[i]), std::signbit(part)) << xs[i];
    if (std::isfinite(xs[i])) {
      ASSERT_EQ(e[i], want) << xs[i];
    }
    ASSERT_EQ(scaled[i], std::ldexp(xs[i], by[i])) << xs[i] << " by " << by[i];
  }
}

}  // namespace

TEST(Exact, DivisorsAndPowersOfIntegers) {
  WithX64 x64;
  check_integers<std::int8_t>();
  check_integers<std::uint8_t>();
  check_integers<std::int16_t>();
  check_integers<std::uint16_t>();
  check_integers<std::int32_t>();
  check_integers<std::uint32_t>();
  check_integers<std::int64_t>();
  check_integers<std::uint64_t>();
  EXPECT_EQ(gcd(array({6, 7}).astype(int4), array({4, 7}).astype(int4)).astype(int32).to_vector<int>(),
            (std::vector<int>{2, 7}));
}

TEST(Exact, ExponentsOfFloats) {
  check_exponents<float, std::uint32_t>();
  WithX64 x64;
  check_exponents<double, std::uint64_t>();
}

TEST(Exact, FractionsHaveADerivative) {
  auto fraction = [](const Array& x) { return frexp(x).first.sum(); };
  EXPECT_EQ(grad(fraction)(array({6.f, -0.75f, 0.f, 1e-3f})).to_vector<float>(),
            (std::vector<float>{0.125f, 1.f, 1.f, 512.f}));
  auto scaled = [](const Array& x) { return ldexp(x, 3).sum(); };
  EXPECT_EQ(grad(scaled)(array({6.f, -0.75f})).to_vector<float>(), (std::vector<float>{8.f, 8.f}));
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
