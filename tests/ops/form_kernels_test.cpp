// Eigenvalues of any matrix, and the forms on the way to them: kernels and the plain evaluations beside them
// (matrix_trials.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/linalg/eigen.hpp"
#include "ops/linalg/forms.hpp"
#include "ops/matrix_trials.hpp"

namespace tutti {
namespace {

using namespace testing;

// The product of the reflections whose vectors stand in the columns of `a` below element (j + 1, j), 1 there.
Mat product_of_reflections(const Mat& a, const Mat& taus) {
  Mat q = eye(a.rows);
  for (std::int64_t j = 0; j < taus.rows; ++j) {
    const Mat v = made(a.rows, 1, [&](auto i, auto) { return i > j + 1 ? a(i, j) : i == j + 1 ? 1. : 0.; });
    const Mat turned = q * v * adjoint(v);
    for (std::size_t i = 0; i < q.data.size(); ++i) q.data[i] -= taus(j, 0) * turned.data[i];
  }
  return q;
}

TEST(FormKernels, Hessenberg) {
  std::mt19937_64 random(10);
  for (const auto& types : stacks(true, false))
    judge_matrices(ops::hessenberg, {.operands = types}, random,
                   [](const Residuals& of, const Values& in, auto k, const Values& out) {
                     const Mat a = matrix(in[0], k), both = matrix(out[0], k);
                     const Mat q = a.rows > 1 ? product_of_reflections(both, matrix(out[1], k, true)) : eye(1);
                     const Mat h = made(a.rows, a.rows, [&](auto i, auto j) { return i <= j + 1 ? both(i, j) : 0.; });
                     of.orthonormal("q^H q = 1", q);
                     of.small("q h q^H = a", q * h * adjoint(q) - a, a.norm());
                   });
}

TEST(FormKernels, Tridiagonal) {
  std::mt19937_64 random(11);
  for (bool lower : {true, false})
    for (const auto& types : stacks(true, false))
      judge_matrices(ops::tridiagonal, {.params = ops::TridiagonalForm{lower}, .operands = types}, random,
                     [&](const Residuals& of, const Values& in, auto k, const Values& out) {
                       const Mat a = matrix(in[0], k), both = matrix(out[0], k), d = matrix(out[1], k, true);
                       const std::int64_t n = a.rows;
                       Mat e(n - 1, 1), taus(n - 1, 1);
                       if (n > 1) e = matrix(out[2], k, true);
                       if (n > 1) taus = matrix(out[3], k, true);
                       // Of the upper triangle reflections begin at the end: counted from there they are as of the
                       // lower.
                       auto at = [&](std::int64_t i) { return lower ? i : n - 1 - i; };
                       const Mat turned = made(n, n, [&](auto i, auto j) { return both(at(i), at(j)); });
                       Mat order = taus;
                       for (std::int64_t i = 0; i + 1 < n; ++i) order(i, 0) = taus(lower ? i : n - 2 - i, 0);
                       const Mat q = product_of_reflections(turned, order);
                       const Mat t = made(n, n, [&](auto i, auto j) {
                         const auto x = at(i), y = at(j);
                         return x == y ? d(x, 0) : std::abs(x - y) == 1 ? e(std::min(x, y), 0) : C(0);
                       });
                       const Mat whole = hermitian(a, lower);
                       of.orthonormal("q^H q = 1", q);
                       of.small("q t q^H = a",
                                q * t * adjoint(q) - made(n, n, [&](auto i, auto j) { return whole(at(i), at(j)); }),
                                whole.norm());
                     });
}

TEST(FormKernels, Schur) {
  std::mt19937_64 random(12);
  for (const auto& types : stacks(true, false)) {
    judge_matrices(ops::schur, {.params = ops::SchurForm{true}, .operands = types}, random,
                   [&](const Residuals& of, const Values& in, auto k, const Values& out) {
                     const Mat a = matrix(in[0], k), t = matrix(out[0], k), q = matrix(out[1], k);
                     of.orthonormal("q^H q = 1", q);
                     of.small("q t q^H = a", q * t * adjoint(q) - a, a.norm());
                     for (std::int64_t j = 0; j < t.cols; ++j)
                       for (std::int64_t i = j + 1; i < t.rows; ++i) {
                         if (t(i, j) == 0.) continue;
                         ASSERT_TRUE(i == j + 1 && !types[0].dtype.is_complex()) << "below the diagonal";
                         // A block of two has complex eigenvalues, and equal numbers on its diagonal.
                         const C half = (t(j, j) - t(i, i)) / 2.;
                         EXPECT_LT((half * half + t(i, j) * t(j, i)).real(), 0);
                         EXPECT_LE(std::abs(half), kTolerance * of.n * of.eps * a.norm());
                         EXPECT_TRUE(i + 1 == t.rows || t(i + 1, i) == 0.) << "two blocks overlap";
                       }
                   });
    // Without vectors the norm and the trace are what is left of a.
    judge_matrices(ops::schur, {.params = ops::SchurForm{false}, .operands = types}, random,
                   [&](const Residuals& of, const Values& in, auto k, const Values& out) {
                     const Mat a = matrix(in[0], k), t = matrix(out[0], k);
                     C sum;
                     for (std::int64_t i = 0; i < t.rows; ++i) sum += t(i, i) - a(i, i);
                     EXPECT_LE(std::abs(sum), kTolerance * of.n * of.eps * a.norm());
                     EXPECT_NEAR(t.norm(), a.norm(), kTolerance * of.n * of.eps * a.norm());
                   });
  }
}

TEST(FormKernels, Eig) {
  std::mt19937_64 random(9);
  for (const auto& types : stacks(true, false)) {
    if (types[0].shape.back() > 20) continue;
    judge_matrices(ops::eig, {.params = ops::EigForm{true, true}, .operands = types}, random,
                   [](const Residuals& of, const Values& in, auto k, const Values& out) {
                     const Mat a = matrix(in[0], k), w = matrix(out[0], k, true), left = matrix(out[1], k),
                               right = matrix(out[2], k);
                     of.small("a v = v w", a * right - right * diagonal(w), a.norm());
                     of.small("u^H a = w u^H", adjoint(left) * a - diagonal(w) * adjoint(left), a.norm());
                     for (const Mat* v : {&left, &right})
                       for (std::int64_t j = 0; j < v->cols; ++j) {
                         double sum = 0;
                         C largest;
                         for (std::int64_t i = 0; i < v->rows; ++i) {
                           sum += std::norm((*v)(i, j));
                           if (std::abs((*v)(i, j)) > std::abs(largest) * (1 + 1e-5)) largest = (*v)(i, j);
                         }
                         EXPECT_NEAR(sum, 1, kTolerance * of.n * of.eps) << "length 1";
                         EXPECT_NEAR(largest.imag(), 0, 1e-4) << "the largest element is real";
                       }
                   });
    // In no order: each of the kernel's has one of eval's near it. Their condition is at most a few hundred here.
    const Answers a = testing::answers(ops::eig, {.params = ops::EigForm{false, false}, .operands = types}, random);
    const std::int64_t n = types[0].shape.back();
    for (std::int64_t k = 0; k < std::ssize(a.fast[0].numbers); ++k) {
      double least = 1e9;
      for (std::int64_t j = k / n * n; j < (k / n + 1) * n; ++j)
        least = std::min(least, std::abs(a.fast[0].numbers[k] - a.plain[0].numbers[j]));
      EXPECT_LE(least, 1000 * n * testing::epsilon(types[0].dtype)) << types[0].str() << " eigenvalue " << k;
    }
  }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
