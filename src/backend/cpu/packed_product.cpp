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
                    PackedOperand<T> b, const PackedResult<T>& result, Sums sums, const Tiles<T>& tile) {
  if (m == 1) a.row = 1;  // packed along the stride that is 1
  if (n == 1) b.column = 1;
  const std::int64_t line = tile.packed(deep), rows = ProductCut::even(m, kMostPartBytes / line, tile.rows),
                     panels = rows < m ? ProductCut::parts(n, tile.columns) : 1;
  // Panels begin with a line of the cache: their vectors are read as such.
  constexpr std::int64_t kLine = 64;
  const std::int64_t right = ProductCut::parts(rows * line, kLine) * kLine,
                     sums_at = right + ProductCut::parts(panels * tile.columns * line, kLine) * kLine;
  const bool scratch = result.rounded && deep < k;
  const HostPtr room =
      allocate_buffer(static_cast<std::size_t>(sums_at) + (scratch ? static_cast<std::size_t>(m * n) * 4 : 0));
  char* const packed = static_cast<char*>(room->data());
  SumOf<T>* const c = scratch ? reinterpret_cast<SumOf<T>*>(packed + sums_at) : result.c;
  const std::int64_t c_row = scratch ? n : result.row;
  for (std::int64_t l = 0; l < std::max<std::int64_t>(k, 1); l += deep) {
    const std::int64_t here = std::min(deep, k - l), height = tile.packed(here);
    for (std::int64_t i = 0; i < m; i += rows) {
      const std::int64_t end = std::min(m, i + rows);
      for (std::int64_t r = i; r < end; r += tile.rows)
        tile.pack_rows(here, std::min(tile.rows, end - r), a.data + l * a.column + r * a.row, a.column, a.row,
                       packed + (r - i) * height);
      for (std::int64_t q = 0; q < n; q += tile.columns) {
        const std::int64_t columns = std::min(tile.columns, n - q);
        char* const panel = packed + right + (panels > 1 ? q * height : 0);
        if (i == 0) tile.pack_columns(here, columns, b.data + l * b.row + q * b.column, b.row, b.column, panel);
        T* const rounded = result.rounded && l + here >= k ? result.rounded + i * result.row + q : nullptr;
        tile.multiply({here, packed, panel, c ? c + i * c_row + q : nullptr, c_row, end - i, columns,
                       l > 0 ? Sums::added : sums, rounded, result.row},
                      {});
      }
    }
  }
}

#define TUTTI_PACKED_PRODUCT(T)                                                                          \
  template void packed_product(std::int64_t, std::int64_t, std::int64_t, std::int64_t, PackedOperand<T>, \
                               PackedOperand<T>, const PackedResult<T>&, Sums, const Tiles<T>&)
TUTTI_PACKED_PRODUCT(float);
TUTTI_PACKED_PRODUCT(double);
TUTTI_PACKED_PRODUCT(BFloat16);
TUTTI_PACKED_PRODUCT(Float16);
#undef TUTTI_PACKED_PRODUCT

void own_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                 std::int64_t c_row, Sums sums) {
  const PackedOperand<float> left{a.data, m == 1 ? 1 : a.row, a.column}, right{b.data, b.row, n == 1 ? 1 : b.column};
  if (has_large_product() && is_large_product(m, n, k))
    return large_product(m, n, k, {left.data, left.row, left.column}, {right.data, right.row, right.column}, c, c_row,
                         sums);
  packed_product(m, n, k, ProductCut::even(k, tiles<float>().deep, 4), left, right, {c, c_row}, sums);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
