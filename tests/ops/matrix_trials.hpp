// Kernels of linear algebra and the plain evaluations beside them: each is held to the equations that define the
// factors, whose phases are free, and what is unique is compared. Residuals are measured against the norm of the
// matrix: kTolerance * n * epsilon of it, n the larger extent, is what backward stable algorithms leave whatever the
// condition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/kernel_trials.hpp"

namespace tutti::testing {

using C = std::complex<double>;
using Values = std::vector<Value>;

inline constexpr double kTolerance = 30;

struct Mat {
  std::int64_t rows, cols;
  std::vector<C> data;
  Mat(std::int64_t r, std::int64_t c) : rows(r), cols(c), data(static_cast<std::size_t>(r * c)) {}
  C& operator()(std::int64_t i, std::int64_t j) { return data[static_cast<std::size_t>(i * cols + j)]; }
  C operator()(std::int64_t i, std::int64_t j) const { return data[static_cast<std::size_t>(i * cols + j)]; }
  double norm() const {
    double sum = 0;
    for (C z : data) sum += std::norm(z);
    return std::sqrt(sum);
  }
};
inline Mat operator*(const Mat& a, const Mat& b) {
  Mat out(a.rows, b.cols);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.cols; ++k)
      for (std::int64_t j = 0; j < b.cols; ++j) out(i, j) += a(i, k) * b(k, j);
  return out;
}
inline Mat operator-(Mat a, const Mat& b) {
  for (std::size_t i = 0; i < a.data.size(); ++i) a.data[i] -= b.data[i];
  return a;
}
inline Mat adjoint(const Mat& a) {
  Mat out(a.cols, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) out(j, i) = std::conj(a(i, j));
  return out;
}
template <class F> Mat made(std::int64_t rows, std::int64_t cols, F f) {
  Mat out(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) out(i, j) = f(i, j);
  return out;
}
inline Mat eye(std::int64_t n) {
  return made(n, n, [](auto i, auto j) { return i == j ? 1. : 0.; });
}
/// Matrix k of a stack, of the last two dims; a vector is a column.
inline Mat matrix(const Value& v, std::int64_t k, bool vector = false) {
  const Shape& s = v.type.shape;
  Mat out(vector ? s.back() : s[s.ndim() - 2], vector ? 1 : s.back());
  std::copy_n(v.numbers.begin() + k * out.rows * out.cols, out.rows * out.cols, out.data.begin());
  return out;
}
inline Mat diagonal(const Mat& d) {
  return made(d.rows, d.rows, [&](auto i, auto j) { return i == j ? d(i, 0) : 0.; });
}
inline Mat hermitian(const Mat& a, bool lower) {
  return made(a.rows, a.rows, [&](auto i, auto j) {
    return i == j ? C(a(i, i).real()) : (i > j) == lower ? a(i, j) : std::conj(a(j, i));
  });
}

// Residuals of one matrix and its factors.
struct Residuals {
  double eps, n;
  void small(const char* what, const Mat& left, double scale) const {
    EXPECT_LE(left.norm(), kTolerance * n * eps * scale) << what;
  }
  void orthonormal(const char* what, const Mat& q) const { small(what, adjoint(q) * q - eye(q.cols), std::sqrt(n)); }
};

/// Stacks of matrices m x n: one, several, none; of an extent that fills no vector, and of blocks.
inline std::vector<std::vector<Type>> stacks(bool square, bool large) {
  std::vector<std::vector<Type>> out;
  for (DType d : {float32, float64, complex64, complex128}) {
    for (std::int64_t n : {1, 2, 3, 7, 16, 17, 33}) {
      out.push_back({typed(d, {2, n, n})});
      if (!square) out.push_back({typed(d, {n + 3, n})});
      if (!square) out.push_back({typed(d, {n, 2 * n + 1})});
    }
    out.push_back({typed(d, {70, 5, 5})});
    out.push_back({typed(d, {0, 3, 3})});
    if (large && !d.is_complex()) out.push_back({typed(d, {131, 131})});
    if (large && !square && !d.is_complex()) out.push_back({typed(d, {200, 67})});
  }
  return out;
}

/// judge(residuals, matrices of the operand, k, results) for what eval made and for what the kernel made.
template <class Judge> void judge_matrices(const Op& op, const Trial& trial, std::mt19937_64& random, Judge judge) {
  SCOPED_TRACE(op.name + trial.params.str() + " " + trial.operands[0].str());
  const Answers a = testing::answers(op, trial, random);
  const Shape& s = a.in[0].type.shape;
  const std::int64_t size = s[s.ndim() - 2] * s.back();
  const Residuals of{testing::epsilon(a.in[0].type.dtype), static_cast<double>(std::max(s[s.ndim() - 2], s.back()))};
  for (std::int64_t k = 0; size > 0 && k < s.num_elements() / size; ++k) {
    {
      SCOPED_TRACE("eval");
      judge(of, a.in, k, a.plain);
    }
    SCOPED_TRACE("the kernel");
    judge(of, a.in, k, a.fast);
  }
}
/// Numbers that are unique and well conditioned: epsilons of the largest.
inline void expect_equal(const Answers& a, std::size_t result, double factor = kTolerance) {
  double largest = 0;
  for (C z : a.plain[result].numbers) largest = std::max(largest, std::abs(z));
  const double n = static_cast<double>(std::max<std::int64_t>(1, a.in[0].type.shape.back()));
  expect_near(a.fast[result], a.plain[result], factor * n, largest);
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
