// Kernels on blocks of matrices in strips (strips.hpp), on one thread. Each element is the sum of its products in
// order, by fused multiply-add where the processor has it: tiles and vectors of any size give the same bits.
#pragma once

#include <cstdint>

#include "backend/cpu/kernels/linalg/strips.hpp"

namespace tutti::kernels {

/// Element (i, k) lies at data[i * row + k * column].
template <class T> struct Factor {
  const T* data;
  std::int64_t row, column;
};

/// T: float or double. Pointers without strides are to rows of a strip.
template <class T> struct Tiles {
  static constexpr int width = Strips<T>::width;

  /// c (rows x columns) = a (rows x k) b (k x columns). Rows are whole tiles; columns up to a whole vector.
  static void product(int rows, int k, Factor<T> a, const T* b, T* c, int columns = width);
  /// c -= a b
  static void subtract_product(int rows, int k, Factor<T> a, const T* b, T* c, int columns = width);
  /// x (n x columns) becomes l^-1 x, of a lower triangle; or u^-1 x.
  static void solve_lower(int n, Factor<T> l, bool unit, T* x, int columns = width);
  static void solve_upper(int n, Factor<T> u, bool unit, T* x, int columns = width);

  /// The upper factor of a block of n <= width rows and columns, of which the upper triangle is read. False where there
  /// is none.
  static bool cholesky(int n, T* a);
  /// L and U of `steps` <= width columns with `rows` rows, as Lapack::lu; the columns behind them are changed with
  /// them.
  static void lu(int rows, int steps, T* a, std::int32_t* pivots);
  /// Columns with very large or very small numbers are divided by powers of two, which become `scales`.
  static void scale_columns(int rows, T* a, T* scales);
  /// I - V T V^T, the product of `steps` <= width reflections, turns as many columns with `rows` rows into R; the
  /// columns behind them are changed with them. R takes their place, and below it V, which has ones on the diagonal. t
  /// (width x width) becomes T, with zeros around it.
  static void reflect(int rows, int steps, T* a, T* t);
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
