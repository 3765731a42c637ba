// What products of large matrices are made of: tiles of sums in registers, and operands packed for them.
#pragma once

#include <cstdint>

#include "backend/cpu/gemm.hpp"

namespace tutti::cpu {

/// Lines of the cache that are read next: `rows` of `lines` each.
struct NextLines {
  const void* at = nullptr;
  std::int64_t row_bytes = 0, lines = 0, rows = 0;
};

/// One product of a tile: `rows` and `columns` of at most the tile's, with packed operands.
template <class T> struct TileProduct {
  std::int64_t k;
  const T *a, *b;
  T* c;
  std::int64_t c_row, rows, columns;
  Sums sums;
};

/// For one type of elements on this processor. An operand is packed in panels of as many rows (of a) or columns (of b)
/// as a tile has: element (l, j) of a panel lies at l * width + j; what is missing in the last one is 0.
template <class T> struct Tiles {
  std::int64_t rows, columns;
  /// Of k inner elements l and n rows or columns j, from x[l * x_l + j * x_j]; one of the strides is 1.
  using Pack = void (*)(std::int64_t k, std::int64_t n, const T* x, std::int64_t x_l, std::int64_t x_j, T* to);
  Pack pack_rows, pack_columns;
  /// Tiles one below the other: `a` goes on by panels, `c` by rows. Meanwhile `next` comes to the second-level cache.
  using Multiply = void (*)(const TileProduct<T>& all_rows, const NextLines& next);
  Multiply multiply;
};

/// float and double.
template <class T> const Tiles<T>& tiles();

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
