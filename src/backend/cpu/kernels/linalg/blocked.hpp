// Factors of one large complex matrix, block by block: the library's kernels on blocks, and the workers of the process
// on many blocks at a time.
#pragma once

#include <cstdint>

namespace tutti::kernels {

/// T: std::complex of float or double. What comes out does not depend on `on_workers`, which says whether others
/// help.
template <class T> struct Blocked {
  /// Extents from which on blocks are faster than one call.
  static constexpr int least = 256;

  /// The lower factor of a row-major matrix of which the lower triangle is read, in place; what is above is lost. False
  /// when the matrix is not positive definite.
  static bool cholesky(int n, T* a, bool on_workers);
  /// Of a matrix (m x n) that lies column by column: as Lapack::lu.
  static void lu(int m, int n, T* a, std::int32_t* pivots, bool on_workers);
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
