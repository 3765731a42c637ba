// Large matrices, of which blocks are done on the workers: extents that are no whole blocks, pivots from far below, and
// what has no factor.
#include "linalg/random_matrices.hpp"

namespace tutti::test {
namespace {

TEST(Blocked, FactorsOfLargeMatricesMultiplyBack) {
  WithX64 doubles;
  for (DType dtype : {float32, float64, complex64})
    for (std::int64_t n : {256, 257, 321, 520}) {
      const Array a = positive_matrices({n, n}, dtype), l = linalg::cholesky(a);
      expect_near(matmul(l, turned(l)), a);
      expect_same(triu(l, 1), zeros_like(l));
      for (std::int64_t m : {n, n + 70, std::int64_t{300}}) {
        const Array b = random_matrices({m, n}, dtype, 3);
        const auto [p, lower, upper] = linalg::lu(b);
        expect_near(matmul(p.astype(dtype), matmul(lower, upper)), b, 20 * digits_of(dtype));
        EXPECT_LE(largest(lower), dtype.is_complex() ? 1.4143 : 1);  // by the sum of both parts
      }
    }
}

TEST(Blocked, ABatchHasTheBitsOfItsMatrices) {
  const Array a = positive_matrices({2, 300, 300}, float32);
  const Array factors = lax::linalg::lu(a).lu, l = linalg::cholesky(a);
  for (int k = 0; k < 2; ++k) {
    expect_same(factors(k), lax::linalg::lu(a(k)).lu);
    expect_same(l(k), linalg::cholesky(a(k)));
  }
}

TEST(Blocked, WhatHasNoFactorIsNaNAndPivotsMayBeZero) {
  const Array a = positive_matrices({400, 400}, float32);
  EXPECT_TRUE(isnan(linalg::cholesky(a.at(390, 390).set(-1))(390, 0)).item<bool>());
  const Array b = random_matrices({300, 300}, float32).at(all, 280).set(0);
  const auto out = lax::linalg::lu(b);
  EXPECT_EQ(out.lu(280, 280).item<float>(), 0);
  EXPECT_TRUE(isfinite(out.lu).all().item<bool>());
  const Array x = random_matrices({700, 16}, float64);
  const Array c = random_matrices({700, 700}, float32);
  expect_near(matmul(c, linalg::solve(c, x.astype(float32))), x.astype(float32), 1e-2);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
