// Random matrices, and what the tests compare them by.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include <tutti/tutti.hpp>

namespace tutti::test {

/// Doubles stay doubles while one lives.
struct WithX64 {
  WithX64() { enable_x64(true); }
  ~WithX64() { enable_x64(false); }
};

inline Array random_matrices(const Shape& shape, DType dtype, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  auto numbers = [&] {
    std::vector<double> v(static_cast<std::size_t>(shape.num_elements()));
    for (double& x : v) x = uniform(random);
    return v;
  };
  if (!dtype.is_complex()) return array(numbers(), shape).astype(dtype);
  const std::vector<double> re = numbers(), im = numbers();
  std::vector<std::complex<float>> z;
  for (std::size_t i = 0; i < re.size(); ++i) z.emplace_back(static_cast<float>(re[i]), static_cast<float>(im[i]));
  return array(z, shape).astype(dtype);
}
inline Array turned(const Array& x) { return conj(swapaxes(x, -1, -2)); }
inline Array identity_of(const Array& x) { return eye(x.shape().back(), x.dtype()); }
/// Hermitian with eigenvalues of 1 and more.
inline Array positive_matrices(const Shape& shape, DType dtype, unsigned seed = 1) {
  const Array a = random_matrices(shape, dtype, seed);
  return matmul(a, turned(a)) + identity_of(a);
}

inline double digits_of(DType dtype) { return dtype == float64 ? 1e-12 : 2e-5; }
inline double largest(const Array& x) { return x.size() ? abs(x).max().astype(float32).item<double>() : 0; }
/// Equal up to rounding, relative to the largest element.
inline void expect_near(const Array& got, const Array& want, double tolerance = 0) {
  ASSERT_EQ(got.shape(), want.shape());
  ASSERT_EQ(got.dtype(), want.dtype());
  const double bound = (tolerance > 0 ? tolerance : digits_of(got.dtype())) * (1 + largest(want));
  EXPECT_LE(largest(got - want), bound);
  EXPECT_EQ(largest(got - want), largest(got - want)) << "NaN";
}
/// The same bits.
inline void expect_same(const Array& got, const Array& want) {
  ASSERT_EQ(got.shape(), want.shape());
  EXPECT_TRUE(array_equal(got, want).item<bool>()) << "differ by " << largest(got - want);
}

/// The derivative of the scalar function f at x along t, by both modes, against a central difference in float64.
template <class F> void expect_derivative(F f, const Array& x, double tolerance = 1e-6) {
  const Array t = random_matrices(x.shape(), float64, 77);
  const double h = 1e-5;
  const double difference = ((f(x + h * t) - f(x - h * t)) / (2 * h)).template item<double>();
  const double forward = jvp(f, std::tuple{x}, std::tuple{t}).second.template item<double>();
  const double backward = (grad(f)(x) * t).sum().template item<double>();
  EXPECT_NEAR(forward, difference, tolerance * (1 + std::abs(difference)));
  EXPECT_NEAR(backward, forward, 1e-9 * (1 + std::abs(forward)));
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
