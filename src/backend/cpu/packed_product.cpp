#include "backend/cpu/packed_product.hpp"

#include <algorithm>

#include "backend/cpu/large_product.hpp"
#include "backend/cpu/product_cut.hpp"
#include "backend/cpu/product_tiles.hpp"
#include "device/buffer.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kMostPartBytes = std::int64_t{1} << 19;  // of packed rows of a part: half of a cache of 1 MiB

}  // namespace

// A few rows stay packed in a cache while columns, which are packed once for each block of inner elements, pass by.
template <class T>
void packed_product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t deep, PackedOperand<T> a,
                    PackedOperand<T> b, T* c, std::int64_t c_row, Sums sums) {
  if (m == 1) a.row = 1;  // packed along the stride that is 1
  if (n == 1) b.column = 1;
  const Tiles<T>& tile = tiles<T>();
  const std::int64_t rows = ProductCut::even(m, kMostPartBytes / std::int64_t{sizeof(T)} / deep, tile.rows),
                     left = rows * deep, panels = rows < m ? ProductCut::parts(n, tile.columns) : 1;
  // Panels begin with a line of the cache: their vectors are read as such.
  constexpr std::int64_t line = 64 / sizeof(T);
  const std::int64_t right = ProductCut::parts(left, line) * line;
  const HostPtr room = allocate_buffer(static_cast<std::size_t>(right + panels * tile.columns * deep) * sizeof(T));
  T* const packed = static_cast<T*>(room->data());
  for (std::int64_t l = 0; l < k; l += deep) {
    const std::int64_t here = std::min(deep, k - l);
    for (std::int64_t i = 0; i < m; i += rows) {
      const std::int64_t end = std::min(m, i + rows);
      for (std::int64_t r = i; r < end; r += tile.rows)
        tile.pack_rows(here, std::min(tile.rows, end - r), a.data + l * a.column + r * a.row, a.column, a.row,
                       packed + (r - i) * here);
      for (std::int64_t q = 0; q < n; q += tile.columns) {
        const std::int64_t columns = std::min(tile.columns, n - q);
        T* const panel = packed + right + (panels > 1 ? q * here : 0);
        if (i == 0) tile.pack_columns(here, columns, b.data + l * b.row + q * b.column, b.row, b.column, panel);
        tile.multiply({here, packed, panel, c + i * c_row + q, c_row, end - i, columns, l > 0 ? Sums::added : sums},
                      {});
      }
    }
  }
}

template void packed_product(std::int64_t, std::int64_t, std::int64_t, std::int64_t, PackedOperand<float>,
                             PackedOperand<float>, float*, std::int64_t, Sums);
template void packed_product(std::int64_t, std::int64_t, std::int64_t, std::int64_t, PackedOperand<double>,
                             PackedOperand<double>, double*, std::int64_t, Sums);

void own_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                 std::int64_t c_row, Sums sums) {
  const PackedOperand<float> left{a.data, m == 1 ? 1 : a.row, a.column}, right{b.data, b.row, n == 1 ? 1 : b.column};
  if (has_large_product() && is_large_product(m, n, k))
    return large_product(m, n, k, {left.data, left.row, left.column}, {right.data, right.row, right.column}, c, c_row,
                         sums);
  packed_product(m, n, k, ProductCut::even(k, ProductCut::kMostInnerBlock, 4), left, right, c, c_row, sums);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
