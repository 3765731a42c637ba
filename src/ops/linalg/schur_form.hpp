// Hessenberg and Schur forms by reflections, and eigenvectors from these.
#pragma once

#include <vector>

#include "ops/linalg/dense.hpp"

namespace tutti::ops {

/// One column after the other of a becomes zero below the subdiagonal; called(j, reflection) for each.
template <class W, class F> void reduce_to_hessenberg(Dense<W>& a, F&& called) {
  for (std::int64_t j = 0; j + 1 < a.rows; ++j) {
    const Reflection<W> h(part_of_column(a, j + 1, a.rows, j));
    h.from_left(a, j + 1, j, true);
    h.from_right(a, j + 1);
    called(j, h);
  }
}

/// a = q t q^H, t upper triangular; of real a with blocks of 2 x 2 on the diagonal for complex eigenvalues.
template <class W> struct SchurOf {
  Dense<W> t, q;

  /// t is to be set to a.
  explicit SchurOf(std::int64_t n) : t(n, n), q(Dense<W>::identity(n)) {}

  /// Francis' algorithm: a step turns the first column of a polynomial of t, whose roots are the eigenvalues of the
  /// last block (a complex one; of a real matrix both), into the first unit vector, and makes t Hessenberg again. So
  /// the last subdiagonal converges to zero, and the rest goes on without it. False where it does not.
  bool run() {
    reduce_to_hessenberg(t, [&](std::int64_t j, const Reflection<W>& h) { h.from_right(q, j + 1); });
    for (std::int64_t j = 0; j < t.rows; ++j)
      for (std::int64_t i = j + 2; i < t.rows; ++i) t(i, j) = 0;
    constexpr int kMost = 300;
    std::int64_t last = t.rows - 1;
    for (int steps = 0; last > 0;) {
      std::int64_t first = last;
      while (first > 0 && !is_zero(first)) --first;
      if (first > 0) t(first, first - 1) = 0;
      if (last - first + 1 <= block) {
        if (last > first) standardise(first);
        last = first - 1;
        steps = 0;
      } else if (++steps > kMost) {
        return false;
      } else {
        step(first, last, steps % 10 == 0);
      }
    }
    return true;
  }

  /// Columns of length 1 whose largest element is real. t is triangular.
  Dense<W> right_vectors() const {
    Dense<W> out(t.rows, t.rows);
    for (std::int64_t k = 0; k < t.rows; ++k) {  // (t - t_kk) y = 0, y_k = 1, from the row above k upwards
      std::vector<W> y(static_cast<std::size_t>(t.rows));
      y[k] = 1;
      for (std::int64_t i = k; i-- > 0;) {
        for (std::int64_t j = i + 1; j <= k; ++j) y[i] -= t(i, j) * y[j];
        y[i] /= apart(t(i, i) - t(k, k));
      }
      put(y, k, out);
    }
    return out;
  }
  /// The same of y^H t = t_kk y^H, from the row below k downwards.
  Dense<W> left_vectors() const {
    Dense<W> out(t.rows, t.rows);
    for (std::int64_t k = 0; k < t.rows; ++k) {
      std::vector<W> y(static_cast<std::size_t>(t.rows));
      y[k] = 1;
      for (std::int64_t i = k + 1; i < t.rows; ++i) {
        for (std::int64_t j = k; j < i; ++j) y[i] -= conjugate(t(j, i)) * y[j];
        y[i] /= conjugate(apart(t(i, i) - t(k, k)));
      }
      put(y, k, out);
    }
    return out;
  }

 private:
  static constexpr std::int64_t block = is_complex<W> ? 1 : 2;  // the largest that stays on the diagonal

  bool is_zero(std::int64_t i) const {
    const double size = std::abs(t(i, i)) + std::abs(t(i - 1, i - 1));
    return std::abs(t(i, i - 1)) <= 0x1p-53 * (size > 0 ? size : t.norm());
  }

  // Rows and columns from `at` on are turned by h.
  void turn(std::int64_t at, const Reflection<W>& h) {
    h.from_left(t, at, 0, true);
    h.from_right(t, at);
    h.from_right(q, at);
  }

  void step(std::int64_t first, std::int64_t last, bool other) {
    turn(first, Reflection<W>(shifted(first, last, other)));
    // A bulge below the subdiagonal goes down, and out.
    for (std::int64_t j = first; j + 1 < last; ++j) {
      const std::int64_t end = std::min(j + 2 + block, last + 1);
      turn(j + 1, Reflection<W>(part_of_column(t, j + 1, end, j)));
      for (std::int64_t i = j + 2; i < end; ++i) t(i, j) = 0;
    }
  }

  // What is not zero of the first column of t - s, or of (t - s)(t - conj(s)), in rows from `first` on. `other`: a
  // shift that has nothing to do with t, which leads out of circles.
  std::vector<W> shifted(std::int64_t first, std::int64_t last, bool other) const {
    const W a = t(last - 1, last - 1), b = t(last - 1, last), c = t(last, last - 1), d = t(last, last);
    if constexpr (is_complex<W>) {
      const W half = (a - d) / 2., root = std::sqrt(half * half + b * c), mean = (a + d) / 2.;
      W shift = std::abs(mean + root - d) < std::abs(mean - root - d) ? mean + root : mean - root;
      if (other) shift = d + std::abs(c);
      return {t(first, first) - shift, t(first + 1, first)};
    } else {
      W sum = a + d, product = a * d - b * c;
      if (other) {
        const double size = std::abs(c) + std::abs(t(last - 1, last - 2));
        sum = 1.5 * size;
        product = size * size;
      }
      const W x = t(first, first), y = t(first, first + 1), z = t(first + 1, first), w = t(first + 1, first + 1);
      return {x * x + y * z - sum * x + product, z * (x + w - sum), z * t(first + 2, first + 1)};
    }
  }

  // Turns a real block of two: real eigenvalues to its diagonal, of complex ones the diagonal to equal numbers.
  void standardise(std::int64_t i) {
    if constexpr (!is_complex<W>) {
      const double a = t(i, i), b = t(i, i + 1), c = t(i + 1, i), d = t(i + 1, i + 1), half = (a - d) / 2;
      const double inside = half * half + b * c;
      double angle = std::atan2(-half, (b + c) / 2) / 2;
      if (inside >= 0) {  // to the eigenvector of the eigenvalue that is farther from d
        const double root = half < 0 ? -std::sqrt(inside) : std::sqrt(inside);
        angle = std::atan2(c, half + root);
      }
      const double cosine = std::cos(angle), sine = std::sin(angle);
      for (std::int64_t j = 0; j < t.cols; ++j) {
        const double x = t(i, j), y = t(i + 1, j);
        t(i, j) = cosine * x + sine * y;
        t(i + 1, j) = cosine * y - sine * x;
      }
      for (Dense<W>* m : {&t, &q})
        for (std::int64_t j = 0; j < t.rows; ++j) {
          const double x = (*m)(j, i), y = (*m)(j, i + 1);
          (*m)(j, i) = cosine * x + sine * y;
          (*m)(j, i + 1) = cosine * y - sine * x;
        }
      if (inside >= 0) t(i + 1, i) = 0;
    }
  }

  // Of equal eigenvalues the difference is a rounding.
  W apart(W difference) const {
    const double least = 0x1p-53 * t.norm();
    if (std::abs(difference) < least) return least;
    return difference == W{} ? W(1) : difference;
  }

  // q y as column k.
  void put(const std::vector<W>& y, std::int64_t k, Dense<W>& out) const {
    std::vector<W> x(y.size());
    W largest{};
    double size = 0;
    for (std::int64_t i = 0; i < t.rows; ++i) {
      for (std::int64_t j = 0; j < t.rows; ++j) x[i] += q(i, j) * y[j];
      size += squared(x[i]);
      if (std::abs(x[i]) > std::abs(largest)) largest = x[i];
    }
    const W by = conjugate(largest) / std::abs(largest) / std::sqrt(size);
    for (std::int64_t i = 0; i < t.rows; ++i) out(i, k) = x[i] * by;
  }
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
