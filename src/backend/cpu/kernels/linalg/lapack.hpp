// Dense linear algebra on one row-major matrix: LAPACK behind row-major faces, and plain loops where a matrix is so
// small that a call costs more than its work. T: float, double, std::complex of either. A NaN comes out where LAPACK
// does not converge or finds no factor; nothing throws.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "backend/cpu/kernels/kernels.hpp"
#include "ops/linalg/element.hpp"
#include "ops/linalg/small_solves.hpp"

namespace tutti::kernels {

/// What LAPACK works in, kept from one matrix to the next of the same call.
template <class T> struct Workspace {
  std::vector<T> work, matrix, other;
  std::vector<Real<T>> real;
  std::vector<int> integers;
};

/// Extents up to which matrices are taken into lanes, or by plain loops: a call of LAPACK costs more than their work.
inline constexpr int kSmallMatrix = SmallSolves::most;

/// Which form of a matrix is meant.
enum class Turn { none, transpose, adjoint };

template <class T> struct Lapack {
  /// out (cols x rows) = the transpose of in (rows x cols).
  /// `on_workers`: in pieces, where the caller is not one of many.
  static void transpose(const T* in, std::int64_t rows, std::int64_t cols, T* out, bool on_workers = false);

  /// The lower factor of a Hermitian matrix of which the lower triangle is read; 0 above. NaN in the lower triangle
  /// when the matrix is not positive definite.
  static void cholesky(int n, const T* in, T* out, bool on_workers = false);

  /// b (rows x cols) becomes op(a)^-1 b, or b op(a)^-1 where a is on the right; of a only one triangle is read.
  static void triangular_solve(bool left, bool lower, Turn turn, bool unit, int rows, int cols, const T* a, T* b,
                               bool on_workers = false);

  /// out (m x n) = L below and U on and above the diagonal of the permuted matrix: rows i and pivots[i] were swapped
  /// for i = 0, 1, ... A zero pivot leaves its column as it is.
  static void lu(int m, int n, const T* in, T* out, std::int32_t* pivots, Workspace<T>& w, bool on_workers = false);
  /// b (n x cols) becomes a^-1 b, or with `turn` the inverse of the transpose (adjoint) times b.
  static void lu_solve(int n, int cols, const T* lu, const std::int32_t* pivots, Turn turn, T* b,
                       bool on_workers = false);

  /// q (m x k) and r (k x n) with a = q r, r upper triangular; k = m where `full`, else min(m, n).
  static void qr(int m, int n, bool full, const T* a, T* q, T* r, Workspace<T>& w, bool on_workers = false);
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
