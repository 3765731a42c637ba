// Products of any extents on one thread, of packed operands.
#pragma once

#include <cstdint>

#include "backend/cpu/gemm.hpp"
#include "backend/cpu/product_tiles.hpp"

namespace tutti::cpu {

/// As Matrix, of other elements.
template <class T> struct PackedOperand {
  const T* data;
  std::int64_t row, column;
};
/// Where sums go: `rounded` if it is not null, and otherwise `c`; rows lie so far apart.
template <class T> struct PackedResult {
  SumOf<T>* c;
  std::int64_t row;
  T* rounded = nullptr;
};

/// a times b, by the tiles of this processor (product_tiles.hpp); sums of `deep` inner elements stay in registers.
/// One stride of each operand is 1 (or its extent is). The order in which an element is summed up depends on k and
/// `deep` alone.
template <class T>
void packed_product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t deep, PackedOperand<T> a,
                    PackedOperand<T> b, const PackedResult<T>& result, Sums sums, const Tiles<T>& tile = tiles<T>());

/// gemm where no kernel for special shapes does it and there is no matrix library.
void own_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                 std::int64_t c_row, Sums sums);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
