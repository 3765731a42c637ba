// Kernels of linear algebra and the plain evaluations beside them (matrix_trials.hpp): factors, solutions, and what is
// made of Hermitian matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/linalg/cholesky.hpp"
#include "ops/linalg/determinant.hpp"
#include "ops/linalg/direct_solve.hpp"
#include "ops/linalg/eigen.hpp"
#include "ops/linalg/lu.hpp"
#include "ops/linalg/qr.hpp"
#include "ops/linalg/solve.hpp"
#include "ops/linalg/svd.hpp"
#include "ops/linalg/triangular_solve.hpp"
#include "ops/matrix_trials.hpp"

namespace tutti {
namespace {

using namespace testing;

// --- preparations: matrices far from singular, Hermitian and positive ones
void dominant(Values& in) {
  const Shape& s = in[0].type.shape;
  const std::int64_t n = s.back();
  for (std::int64_t i = 0; i < std::ssize(in[0].numbers); ++i)
    if (i % (n * n) % (n + 1) == 0) in[0].numbers[i] += in[0].numbers[i].real() < 0 ? -2. * n : 2. * n;
}
void positive(Values& in) {
  const std::int64_t n = in[0].type.shape.back(), count = n ? std::ssize(in[0].numbers) / (n * n) : 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const Mat x = matrix(in[0], k), a = x * adjoint(x);
    for (std::int64_t i = 0; i < n * n; ++i) in[0].numbers[k * n * n + i] = a.data[i] + (i % (n + 1) == 0 ? n : 0.);
  }
}

TEST(MatrixKernels, Cholesky) {
  std::mt19937_64 random(1);
  for (const auto& types : stacks(true, true)) {
    const Trial trial{.operands = types, .prepare = positive};
    judge_matrices(ops::cholesky, trial, random, [](const Residuals& of, const Values& in, auto k, const Values& out) {
      const Mat a = hermitian(matrix(in[0], k), true), l = matrix(out[0], k);
      of.small("l l^H = a", l * adjoint(l) - a, a.norm());
      for (std::int64_t i = 0; i < l.rows; ++i)
        for (std::int64_t j = i + 1; j < l.cols; ++j) ASSERT_EQ(l(i, j), 0.);
    });
    expect_equal(testing::answers(ops::cholesky, trial, random), 0);
  }
  // Most have no factor, and both say so by the same NaN.
  expect_equal(testing::answers(ops::cholesky, {.operands = {typed(float32, {40, 3, 3})}}, random), 0, 1e4);
}

TEST(MatrixKernels, Lu) {
  std::mt19937_64 random(2);
  for (const auto& types : stacks(false, true))
    judge_matrices(ops::lu, {.operands = types}, random,
                   [](const Residuals& of, const Values& in, auto k, const Values& out) {
                     const Mat a = matrix(in[0], k), f = matrix(out[0], k), pivots = matrix(out[1], k, true),
                               order = matrix(out[2], k, true);
                     const std::int64_t steps = std::min(a.rows, a.cols);
                     const Mat l = made(a.rows, steps, [&](auto i, auto j) { return i > j ? f(i, j) : i == j; }),
                               u = made(steps, a.cols, [&](auto i, auto j) { return i <= j ? f(i, j) : 0.; });
                     std::vector<std::int64_t> rows(static_cast<std::size_t>(a.rows));
                     std::iota(rows.begin(), rows.end(), 0);
                     for (std::int64_t i = 0; i < steps; ++i)
                       std::swap(rows[i], rows[static_cast<std::int64_t>(pivots(i, 0).real())]);
                     for (std::int64_t i = 0; i < a.rows; ++i) ASSERT_EQ(order(i, 0).real(), rows[i]);
                     of.small("l u = p a", l * u - made(a.rows, a.cols, [&](auto i, auto j) { return a(rows[i], j); }),
                              l.norm() * u.norm());
                     for (C z : l.data) ASSERT_LE(std::abs(z), std::sqrt(2) + 1e-5) << "pivots are the largest";
                   });
}

TEST(MatrixKernels, Qr) {
  std::mt19937_64 random(3);
  for (bool full : {false, true})
    for (const auto& types : stacks(false, true))
      judge_matrices(ops::qr, {.params = ops::QrForm{full}, .operands = types}, random,
                     [](const Residuals& of, const Values& in, auto k, const Values& out) {
                       const Mat a = matrix(in[0], k), q = matrix(out[0], k), r = matrix(out[1], k);
                       of.orthonormal("q^H q = 1", q);
                       of.small("q r = a", q * r - a, a.norm());
                       for (std::int64_t i = 0; i < r.rows; ++i)
                         for (std::int64_t j = 0; j < std::min(i, r.cols); ++j) ASSERT_EQ(r(i, j), 0.);
                     });
  // With reflections of one convention the factors are unique: those of a well conditioned matrix are compared.
  for (const auto& types : stacks(true, true)) {
    const Answers a =
        testing::answers(ops::qr, {.params = ops::QrForm{true}, .operands = types, .prepare = dominant}, random);
    expect_equal(a, 0, 100);
    expect_equal(a, 1, 100);
  }
}

TEST(MatrixKernels, TriangularSolve) {
  std::mt19937_64 random(4);
  for (const auto& types : stacks(true, true))
    for (int form = 0; form < 32; ++form) {
      const ops::Triangular p{(form & 1) != 0, (form & 2) != 0, (form & 4) != 0, (form & 8) != 0, (form & 16) != 0};
      if (p.conjugate && !types[0].dtype.is_complex()) continue;
      Type b = types[0];
      b.shape[b.ndim() - (p.left ? 1 : 2)] = form % 3 == 0 ? 1 : 9;
      // Ones on the diagonal: small numbers beside them.
      const double size = p.unit ? 0.5 / static_cast<double>(types[0].shape.back()) : 2;
      const Answers a =
          testing::answers(ops::triangular_solve, {p, {types[0], b}, -size, size, p.unit ? nullptr : dominant}, random);
      SCOPED_TRACE(a.trial.params.str() + types[0].str());
      expect_equal(a, 0);
    }
}

TEST(MatrixKernels, Solves) {
  std::mt19937_64 random(5);
  for (const auto& types : stacks(true, true))
    for (std::int64_t cols : {1, 5, 40}) {
      SCOPED_TRACE(types[0].str() + " " + std::to_string(cols));
      Type b = types[0];
      b.shape[b.ndim() - 1] = cols;
      const bool is_small = !b.dtype.is_complex() && types[0].shape.back() <= 16 && cols <= 32;
      if (is_small)
        expect_equal(testing::answers(ops::direct_solve, {{}, {types[0], b}, -2, 2, dominant}, random), 0, 100);
      // Factors of eval's, with which both solve.
      const Answers factors = testing::answers(ops::lu, {.operands = types, .prepare = dominant}, random);
      for (bool transposed : {false, true})
        expect_equal(testing::answers(ops::solve,
                                      {ops::Solve{transposed},
                                       {types[0], types[0], factors.plain[1].type, b},
                                       -2,
                                       2,
                                       [&](Values& in) {
                                         in[0] = factors.in[0];
                                         in[1] = factors.plain[0];
                                         in[2] = factors.plain[1];
                                       }},
                                      random),
                     0, 100);
    }
}

TEST(MatrixKernels, Determinants) {
  std::mt19937_64 random(6);
  for (const auto& types : stacks(true, false)) {
    SCOPED_TRACE(types[0].str());
    const bool fits = types[0].shape.back() < 20;  // else it overflows
    const Trial trial{.operands = types, .prepare = dominant};
    if (fits) expect_equal(testing::answers(ops::det, trial, random), 0);
    const Answers a = testing::answers(ops::slogdet, trial, random);
    expect_equal(a, 0);
    expect_equal(a, 1);
  }
  const Trial zeros{.operands = {typed(float32, {2, 3, 3})}, .lo = 0, .hi = 0};
  expect_equal(testing::answers(ops::det, zeros, random), 0);
  expect_equal(testing::answers(ops::slogdet, zeros, random), 1);
}

TEST(MatrixKernels, Svd) {
  std::mt19937_64 random(7);
  for (bool full : {false, true})
    for (const auto& types : stacks(false, true)) {
      const Trial trial{.params = ops::SvdForm{true, full}, .operands = types};
      judge_matrices(ops::svd, trial, random, [](const Residuals& of, const Values& in, auto k, const Values& out) {
        const Mat a = matrix(in[0], k), s = matrix(out[0], k, true), u = matrix(out[1], k), vh = matrix(out[2], k);
        of.orthonormal("u^H u = 1", u);
        of.orthonormal("v^H v = 1", adjoint(vh));
        of.small(
            "u s vh = a",
            u * made(u.cols, vh.rows, [&](auto i, auto j) { return i == j && i < s.rows ? s(i, 0) : 0.; }) * vh - a,
            a.norm());
        for (std::int64_t i = 1; i < s.rows; ++i) ASSERT_LE(s(i, 0).real(), s(i - 1, 0).real());
      });
      expect_equal(testing::answers(ops::svd, trial, random), 0);
      if (!full) expect_equal(testing::answers(ops::svd, {ops::SvdForm{false, false}, types}, random), 0);
    }
}

TEST(MatrixKernels, Eigh) {
  std::mt19937_64 random(8);
  for (bool lower : {false, true})
    for (const auto& types : stacks(true, true)) {
      const Trial trial{.params = ops::EighForm{true, lower}, .operands = types};
      judge_matrices(ops::eigh, trial, random, [&](const Residuals& of, const Values& in, auto k, const Values& out) {
        const Mat a = hermitian(matrix(in[0], k), lower), w = matrix(out[0], k, true), v = matrix(out[1], k);
        of.orthonormal("v^H v = 1", v);
        of.small("a v = v w", a * v - v * diagonal(w), a.norm());
        for (std::int64_t i = 1; i < w.rows; ++i) ASSERT_LE(w(i - 1, 0).real(), w(i, 0).real());
      });
      expect_equal(testing::answers(ops::eigh, trial, random), 0);
      expect_equal(testing::answers(ops::eigh, {ops::EighForm{false, lower}, types}, random), 0);
    }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
