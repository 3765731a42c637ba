// Factors and solutions of one large real matrix: it is cut into strips (strips.hpp), and blocks of them are tasks for
// the workers. T: float or double. What comes out does not depend on `on_workers`, which says whether others help.
#pragma once

#include <cstdint>
#include <functional>

#include "backend/cpu/kernels/linalg/lapack.hpp"

namespace tutti::kernels {

/// `count` reflections of n numbers as LAPACK leaves them: number i of reflection k lies at v[i * row + k * column]; it
/// is 1 for i = k + offset, and 0 before. One stride is 1.
template <class T> struct Reflections {
  int n, count, offset;
  const T* v;
  std::int64_t row, column;
  const T* tau;
};

template <class T> struct StripFactors {
  /// Element (i, j) of the first rows lies at data[i * row + j * column]; the others are 0. One stride
  /// is 1.
  struct Matrix {
    int rows;
    const T* data;
    std::int64_t row, column;
  };

  /// Extents from which on this is faster than the library; unknowns side by side; columns of a tall
  /// matrix; vectors.
  static constexpr int least = 32, least_columns = 8, least_reflections = 192 / sizeof(T), least_vectors = 128;

  /// As Lapack::cholesky. False, and nothing written, where there is no factor.
  static bool cholesky(int n, const T* in, T* out, bool on_workers);
  /// As Lapack::lu.
  static void lu(int m, int n, const T* in, T* out, std::int32_t* pivots, bool on_workers);
  /// As Lapack::triangular_solve.
  static void triangular_solve(bool left, bool lower, Turn turn, bool unit, int rows, int cols, const T* a, T* b,
                               bool on_workers);
  /// As Lapack::qr.
  static void qr(int m, int n, bool full, const T* a, T* q, T* r, bool on_workers);
  /// Of a tall matrix q r: r (n x n), then between(), then out (m x n) = q b, where it is given: q itself is never
  /// made.
  static void around_r(int m, int n, const T* a, T* r, const std::function<void()>& between, const T* b, T* out,
                       bool on_workers);
  /// out (n x cols), or its transpose, = H_0 H_1 ... c.
  static void reflect(const Reflections<T>& h, int cols, Matrix c, T* out, bool out_turned, bool on_workers);
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
