// What products of large matrices are made of: tiles of sums in registers, and operands packed for them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backend/cpu/gemm.hpp"
#include "base/half.hpp"

namespace tutti::cpu {

/// Lines of the cache that are read next: `rows` of `lines` each.
struct NextLines {
  const void* at = nullptr;
  std::int64_t row_bytes = 0, lines = 0, rows = 0;
};

/// The type in which products of elements are added up.
template <class T> using SumOf = std::conditional_t<sizeof(T) == 2, float, T>;

/// One product of a tile: `rows` and `columns` of at most the tile's, with packed operands.
template <class T> struct TileProduct {
  std::int64_t k;
  const void *a, *b;
  SumOf<T>* c;
  std::int64_t c_row, rows, columns;
  Sums sums;
  /// Not null: sums are rounded and written here. `c` is read where they are added to what stands there.
  T* rounded = nullptr;
  std::int64_t rounded_row = 0;
};

/// For one type of elements (float, double, BFloat16, Float16) on this processor. An operand is packed in panels of as
/// many rows (of a) or columns (of b) as a tile has, one behind the other; what is missing in the last one is 0.
template <class T> struct Tiles {
  std::int64_t rows, columns;
  std::int64_t unit;   // inner elements of a packed panel are a multiple of it; what is missing is 0
  std::int64_t bytes;  // of a packed element
  std::int64_t deep;   // at most so many inner elements are added up in registers, before a sum goes to memory
  double speed;        // beside tiles of float on the same processor, about
  /// Of k inner elements l and n rows or columns j, from x[l * x_l + j * x_j]; one of the strides is 1.
  using Pack = void (*)(std::int64_t k, std::int64_t n, const T* x, std::int64_t x_l, std::int64_t x_j, void* to);
  Pack pack_rows, pack_columns;
  /// Tiles one below the other: `a` goes on by panels, `c` by rows. Meanwhile `next` comes to the second-level cache.
  using Multiply = void (*)(const TileProduct<T>& all_rows, const NextLines& next);
  Multiply multiply;

  /// Bytes of k inner elements of one row or column.
  std::int64_t packed(std::int64_t k) const { return (k + unit - 1) / unit * unit * bytes; }
};

template <class T> const Tiles<T>& tiles();

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
