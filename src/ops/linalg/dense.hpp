// Matrices as the plain evaluations of linear algebra hold them, one at a time and in float64 (complex128): of a
// float32 operand the results are rounded once. Every function is the textbook's algorithm, in loops over elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/op.hpp"
#include "ops/linalg/element.hpp"

namespace tutti::ops {

template <class T> using Precise = std::conditional_t<is_complex<T>, std::complex<double>, double>;

inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }
/// |x|^2.
inline double squared(double x) { return x * x; }
inline double squared(std::complex<double> x) { return std::norm(x); }

/// W: double or std::complex<double>.
template <class W> struct Dense {
  std::int64_t rows = 0, cols = 0;
  std::vector<W> data;

  Dense(std::int64_t rows, std::int64_t cols) : rows(rows), cols(cols), data(static_cast<std::size_t>(rows * cols)) {}
  static Dense identity(std::int64_t n) {
    Dense out(n, n);
    for (std::int64_t i = 0; i < n; ++i) out(i, i) = 1;
    return out;
  }
  W& operator()(std::int64_t i, std::int64_t j) { return data[static_cast<std::size_t>(i * cols + j)]; }
  W operator()(std::int64_t i, std::int64_t j) const { return data[static_cast<std::size_t>(i * cols + j)]; }
  bool finite() const {
    return std::all_of(data.begin(), data.end(), [](W x) { return std::isfinite(std::abs(x)); });
  }
  /// The root of the sum of the squares.
  double norm() const {
    double sum = 0;
    for (W x : data) sum += squared(x);
    return std::sqrt(sum);
  }
};

template <class W> Dense<W> transpose_of(const Dense<W>& a) {
  Dense<W> out(a.cols, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) out(j, i) = a(i, j);
  return out;
}
template <class W> Dense<W> conjugate_of(Dense<W> a) {
  for (W& x : a.data) x = conjugate(x);
  return a;
}
template <class W> Dense<W> adjoint_of(const Dense<W>& a) { return conjugate_of(transpose_of(a)); }

/// Matrix (rows x cols) number k of a stack whose elements are T.
template <class T>
Dense<Precise<T>> read_matrix(const HostView& x, std::int64_t k, std::int64_t rows, std::int64_t cols) {
  Dense<Precise<T>> out(rows, cols);
  std::copy_n(x.as<const T>() + k * rows * cols, rows * cols, out.data.begin());
  return out;
}
/// Number k of the last two dims of x.
template <class T> Dense<Precise<T>> read_matrix(const HostView& x, std::int64_t k) {
  const Shape& s = x.type.shape;
  return read_matrix<T>(x, k, s[s.ndim() - 2], s.back());
}
/// Rounds `values` to part k of x, which has as many elements.
template <class T, class W> void write_values(const std::vector<W>& values, const HostView& x, std::int64_t k) {
  T* to = x.as<T>() + k * static_cast<std::int64_t>(values.size());
  std::transform(values.begin(), values.end(), to, [](W v) { return static_cast<T>(v); });
}
/// `count` NaN as part k of x.
template <class T> void write_nan(const HostView& x, std::int64_t k, std::int64_t count) {
  std::fill_n(x.as<T>() + k * count, count, T(std::numeric_limits<Real<T>>::quiet_NaN()));
}

/// h = 1 - tau v v^H, v[0] = 1, whose adjoint turns a vector into (beta, 0, 0, ...), beta real: h^H x = beta e_0.
/// Source: LAPACK's larfg.
template <class W> struct Reflection {
  std::vector<W> v;
  W tau{};
  double beta = 0;

  explicit Reflection(std::vector<W> x) : v(std::move(x)), beta(v.empty() ? 0 : std::real(v[0])) {
    if (v.empty()) return;
    double rest = 0;
    for (std::size_t i = 1; i < v.size(); ++i) rest += squared(v[i]);
    const W first = std::exchange(v[0], W(1));
    if (rest == 0 && std::imag(first) == 0) return;  // nothing to turn: tau is 0
    beta = std::copysign(std::sqrt(squared(first) + rest), -std::real(first));
    tau = (W(beta) - first) / beta;
    for (std::size_t i = 1; i < v.size(); ++i) v[i] /= first - W(beta);
  }
  /// Rows from `row` on of a, in columns from `col` on, become h a, or h^H a.
  void from_left(Dense<W>& a, std::int64_t row, std::int64_t col, bool adjoint) const {
    const auto n = static_cast<std::int64_t>(v.size());
    for (std::int64_t j = col; j < a.cols; ++j) {
      W dot{};
      for (std::int64_t i = 0; i < n; ++i) dot += conjugate(v[i]) * a(row + i, j);
      dot *= adjoint ? conjugate(tau) : tau;
      for (std::int64_t i = 0; i < n; ++i) a(row + i, j) -= v[i] * dot;
    }
  }
  /// Columns from `col` on of a become a h.
  void from_right(Dense<W>& a, std::int64_t col) const {
    const auto n = static_cast<std::int64_t>(v.size());
    for (std::int64_t i = 0; i < a.rows; ++i) {
      W dot{};
      for (std::int64_t j = 0; j < n; ++j) dot += a(i, col + j) * v[j];
      dot *= tau;
      for (std::int64_t j = 0; j < n; ++j) a(i, col + j) -= dot * conjugate(v[j]);
    }
  }
};

/// The part of column j of a from row i to row `end`.
template <class W> std::vector<W> part_of_column(const Dense<W>& a, std::int64_t i, std::int64_t end, std::int64_t j) {
  std::vector<W> out;
  for (; i < end; ++i) out.push_back(a(i, j));
  return out;
}

/// Gaussian elimination with partial pivoting, in place: rows i and pivots[i] are swapped for i = 0, 1, ...; then a
/// holds l below the diagonal and u on and above it. A pivot of 0 leaves its column as it is.
template <class W> std::vector<std::int64_t> factor_lu(Dense<W>& a) {
  auto size = [](W x) { return std::abs(std::real(x)) + std::abs(std::imag(x)); };
  std::vector<std::int64_t> pivots;
  for (std::int64_t k = 0; k < std::min(a.rows, a.cols); ++k) {
    std::int64_t at = k;
    for (std::int64_t i = k + 1; i < a.rows; ++i)
      if (size(a(i, k)) > size(a(at, k))) at = i;
    pivots.push_back(at);
    for (std::int64_t j = 0; j < a.cols && at != k; ++j) std::swap(a(k, j), a(at, j));
    if (a(k, k) == W{}) continue;
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (std::int64_t j = k + 1; j < a.cols; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return pivots;
}

/// x with a x = b, in place of b; a is lower or upper triangular, or has ones on its diagonal (`unit`). Only that
/// triangle of a is read.
template <class W> void substitute(const Dense<W>& a, bool lower, bool unit, Dense<W>& b) {
  const std::int64_t n = a.rows;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = lower ? step : n - 1 - step;
    for (std::int64_t c = 0; c < b.cols; ++c) {
      for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) b(i, c) -= a(i, j) * b(j, c);
      if (!unit) b(i, c) /= a(i, i);
    }
  }
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
