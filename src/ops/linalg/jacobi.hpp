// Singular values and eigenvalues by Jacobi's rotations of two columns at a time: slow, simple, and as accurate as the
// matrix allows.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ops/linalg/dense.hpp"

namespace tutti::ops {

/// The rotation by the smaller angle that makes the Hermitian matrix [[p, x], [conj(x), q]] diagonal. Columns u and v
/// become c u - conj(s) v and s u + c v: a rotation by almost nothing leaves both as they are, signs included.
template <class W> struct Rotation {
  double c;
  W s;

  Rotation(double p, double q, W x) {
    const double size = std::abs(x), theta = (q - p) / (2 * size);
    const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(1., theta));
    c = 1 / std::hypot(1., t);
    s = c * t * (x / size);
  }
  void of_columns(Dense<W>& a, std::int64_t i, std::int64_t j) const {
    for (std::int64_t r = 0; r < a.rows; ++r) {
      const W u = a(r, i), v = a(r, j);
      a(r, i) = c * u - conjugate(s) * v;
      a(r, j) = s * u + c * v;
    }
  }
  /// Of the adjoint.
  void of_rows(Dense<W>& a, std::int64_t i, std::int64_t j) const {
    for (std::int64_t r = 0; r < a.cols; ++r) {
      const W u = a(i, r), v = a(j, r);
      a(i, r) = c * u - s * v;
      a(j, r) = conjugate(s) * u + c * v;
    }
  }
};

inline constexpr int kMostSweeps = 60;  // about ten are enough

/// Those columns of `a`, in this order.
template <class W> Dense<W> chosen_columns(const Dense<W>& a, const std::vector<std::int64_t>& columns) {
  Dense<W> out(a.rows, std::ssize(columns));
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < out.cols; ++j) out(i, j) = a(i, columns[static_cast<std::size_t>(j)]);
  return out;
}

/// The Hermitian matrix of which the lower (upper) triangle is given.
template <class W> Dense<W> hermitian_of(Dense<W> a, bool lower) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    a(i, i) = std::real(a(i, i));
    for (std::int64_t j = 0; j < i; ++j) (lower ? a(j, i) : a(i, j)) = conjugate(lower ? a(i, j) : a(j, i));
  }
  return a;
}

template <class W> struct Eigenvalues {
  std::vector<double> values;  // ascending
  Dense<W> vectors;            // columns
};
/// Rotates pairs of rows and columns until nothing is left beside the diagonal.
template <class W> Eigenvalues<W> eigenvalues_of_hermitian(Dense<W> a) {
  const std::int64_t n = a.rows;
  const double nothing = a.norm() * 0x1p-70;
  Dense<W> v = Dense<W>::identity(n);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i + 1; j < n; ++j) {
        if (std::abs(a(i, j)) <= nothing) continue;
        rotated = true;
        const Rotation<W> by(std::real(a(i, i)), std::real(a(j, j)), a(i, j));
        by.of_columns(a, i, j);
        by.of_rows(a, i, j);
        by.of_columns(v, i, j);
      }
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return std::real(a(i, i)) < std::real(a(j, j)); });
  std::vector<double> values;
  for (std::int64_t i : order) values.push_back(std::real(a(i, i)));
  return {std::move(values), chosen_columns(v, order)};
}

/// u with `cols` orthonormal columns, of which the first `known` are there.
template <class W> Dense<W> completed(const Dense<W>& u, std::int64_t known, std::int64_t cols) {
  Dense<W> out(u.rows, cols);
  for (std::int64_t i = 0; i < u.rows; ++i)
    for (std::int64_t j = 0; j < known; ++j) out(i, j) = u(i, j);
  for (std::int64_t j = known; j < cols; ++j) {
    // The unit vector of which the columns before leave most, made orthogonal to them twice, for the roundings.
    std::int64_t at = 0;
    double least = 2;
    for (std::int64_t i = 0; i < u.rows; ++i) {
      double covered = 0;
      for (std::int64_t k = 0; k < j; ++k) covered += squared(out(i, k));
      if (covered >= least) continue;
      least = covered;
      at = i;
    }
    std::vector<W> x(static_cast<std::size_t>(u.rows));
    x[static_cast<std::size_t>(at)] = 1;
    for (int time = 0; time < 2; ++time)
      for (std::int64_t k = 0; k < j; ++k) {
        W dot{};
        for (std::int64_t i = 0; i < u.rows; ++i) dot += conjugate(out(i, k)) * x[static_cast<std::size_t>(i)];
        for (std::int64_t i = 0; i < u.rows; ++i) x[static_cast<std::size_t>(i)] -= dot * out(i, k);
      }
    double size = 0;
    for (W v : x) size += squared(v);
    for (std::int64_t i = 0; i < u.rows; ++i) out(i, j) = x[static_cast<std::size_t>(i)] / std::sqrt(size);
  }
  return out;
}

template <class W> struct SingularValues {
  std::vector<double> values;  // descending
  Dense<W> left, right;        // columns
};
/// Of a (m x n), m >= n: rotates pairs of columns until all are orthogonal (Hestenes). Their lengths are the singular
/// values, they themselves the left vectors. `full`: left is m x m, else m x n.
template <class W> SingularValues<W> singular_values(Dense<W> a, bool full) {
  constexpr double eps = 0x1p-53;
  const std::int64_t m = a.rows, n = a.cols;
  double scale = 0;
  for (W x : a.data) scale = std::max(scale, std::abs(x));
  if (scale > 0)
    for (W& x : a.data) x /= scale;  // squares neither overflow nor vanish
  Dense<W> v = Dense<W>::identity(n);
  auto dot = [&](std::int64_t i, std::int64_t j) {
    W sum{};
    for (std::int64_t r = 0; r < m; ++r) sum += conjugate(a(r, i)) * a(r, j);
    return sum;
  };
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i + 1; j < n; ++j) {
        const double p = std::real(dot(i, i)), q = std::real(dot(j, j));
        const W x = dot(i, j);
        if (std::abs(x) <= eps * std::sqrt(p * q)) continue;
        rotated = true;
        const Rotation<W> by(p, q, x);
        by.of_columns(a, i, j);
        by.of_columns(v, i, j);
      }
  }
  std::vector<double> sizes;
  for (std::int64_t j = 0; j < n; ++j) sizes.push_back(std::sqrt(std::real(dot(j, j))));
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) { return sizes[i] > sizes[j]; });
  std::vector<double> values;
  Dense<W> u = chosen_columns(a, order);
  std::int64_t known = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const double size = sizes[static_cast<std::size_t>(order[static_cast<std::size_t>(j)])];
    values.push_back(size * scale);
    if (size <= static_cast<double>(m) * eps * sizes[static_cast<std::size_t>(order[0])]) continue;
    ++known;  // of the others what is left is rounding
    for (std::int64_t r = 0; r < m; ++r) u(r, j) /= size;
  }
  return {std::move(values), completed(u, known, full ? m : n), chosen_columns(v, order)};
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
