// Many small matrices side by side, one in each lane of a vector: each step of a factorization is one instruction for
// all of them. What comes out of a matrix does not depend on its neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/cpu/kernels/linalg/lapack.hpp"
#include "ops/linalg/small_solves.hpp"

namespace tutti::kernels {

/// T: float or double. Matrices are row-major and lie one behind the other; calls take at most `lanes` of them.
template <class T> class SmallMatrices {
 public:
  static constexpr std::int64_t lanes = 64 / sizeof(T);

  static bool takes(std::int64_t n, std::int64_t count) { return SmallSolves::takes(n, count, sizeof(T)); }
  static bool solves(std::int64_t n, std::int64_t cols, std::int64_t count) {
    return SmallSolves::takes(n, cols, count, sizeof(T));
  }

  /// The factors of m x n matrices as Lapack::lu gives them; row i of the factors is row permutation[i] of the matrix.
  void lu(std::int64_t count, int m, int n, const T* a, T* factors, std::int32_t* pivots, std::int32_t* permutation);
  /// Lower factors, as Lapack::cholesky gives them. Only lower triangles are read.
  void cholesky(std::int64_t count, int n, const T* a, T* factors);
  /// x = op(a)^-1 b, or b op(a)^-1 where a is on the right; b and x are rows x cols, and may be the same.
  void triangular_solve(std::int64_t count, bool left, bool lower, Turn turn, bool unit, int rows, int cols, const T* a,
                        const T* b, T* x);
  /// x = a^-1 b by factors and pivots of lu, or with `transposed` the inverse of the transpose times b.
  void lu_solve(std::int64_t count, int n, int cols, const T* factors, const std::int32_t* pivots, bool transposed,
                const T* b, T* x);
  /// x = a^-1 b, with the bits of lu and lu_solve.
  void solve(std::int64_t count, int n, int cols, const T* a, const T* b, T* x);

 private:
  /// Room for so many vectors, aligned.
  void* space(std::int64_t vectors);
  T* rows(std::int64_t numbers);

  std::vector<std::byte> space_;
  std::vector<T> rows_;
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
