#include "backend/cpu/small_product.hpp"

#include <algorithm>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/square16.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kMostWork = std::int64_t{1} << 19, kMostInner = 128, kMostDense = 1024, kPanel = 64, kRows = 6;

// Rows i < rows, columns j < 16 * (vectors - 1) + those of `last`. All sums stay in registers (loops written out); the
// rows of b are read in order.
template <int rows, int vectors>
__attribute__((target("avx512f"))) void block(std::int64_t k, const float* a, std::int64_t a_row, std::int64_t a_column,
                                              const float* b, std::int64_t b_row, float* c, std::int64_t c_row,
                                              __mmask16 last) {
  __m512 sum[rows][vectors];
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 6
    for (int v = 0; v < vectors; ++v) sum[i][v] = _mm512_setzero_ps();
  for (std::int64_t l = 0; l < k; ++l) {
    __m512 y[vectors];
#pragma GCC unroll 6
    for (int v = 0; v < vectors; ++v)
      y[v] = _mm512_maskz_loadu_ps(v + 1 == vectors ? last : __mmask16(0xffff), b + l * b_row + 16 * v);
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
      const __m512 x = _mm512_set1_ps(a[i * a_row + l * a_column]);
#pragma GCC unroll 6
      for (int v = 0; v < vectors; ++v) sum[i][v] = _mm512_fmadd_ps(x, y[v], sum[i][v]);
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 6
    for (int v = 0; v < vectors; ++v)
      _mm512_mask_storeu_ps(c + i * c_row + 16 * v, v + 1 == vectors ? last : __mmask16(0xffff), sum[i][v]);
}

using Block = void (*)(std::int64_t, const float*, std::int64_t, std::int64_t, const float*, std::int64_t, float*,
                       std::int64_t, __mmask16);
template <int rows> constexpr Block by_vectors[] = {block<rows, 1>, block<rows, 2>, block<rows, 3>, block<rows, 4>};
constexpr const Block* by_rows[] = {by_vectors<1>, by_vectors<2>, by_vectors<3>,
                                    by_vectors<4>, by_vectors<5>, by_vectors<6>};

}  // namespace

bool small_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row) {
  static const bool wide = isa() == Isa::avx512;
  if (!wide) return false;
  // A right matrix that is one dense panel needs no copy, however large the left one is.
  const bool dense = b.column == 1 && b.row == n && n <= kPanel && a.column == 1 && k <= kMostDense;
  if (!dense && (m * n * k > kMostWork || k > kMostInner)) return false;
  const bool turned = b.column != 1 && n > 1;
  if (turned && (b.row != 1 || n % 16 || k % 16)) return false;
  alignas(64) float panel[kMostInner * kPanel];
  for (std::int64_t j = 0; j < n; j += kPanel) {
    const std::int64_t columns = std::min(kPanel, n - j), vectors = (columns + 15) / 16;
    const auto last = static_cast<__mmask16>(0xffff >> (16 * vectors - columns));
    const float* y = b.data + j * (turned ? b.column : 1);
    std::int64_t y_row = b.row;
    if (turned) {
      for (std::int64_t q = 0; q < columns; q += 16)
        for (std::int64_t l = 0; l < k; l += 16)
          square16<false, 0>(y + q * b.column + l, b.column, panel + l * kPanel + q, kPanel);
      y = panel;
      y_row = kPanel;
    }
    for (std::int64_t i = 0; i < m; i += kRows)
      by_rows[std::min(kRows, m - i) - 1][vectors - 1](k, a.data + i * a.row, a.row, a.column, y, y_row,
                                                       c + i * c_row + j, c_row, last);
  }
  return true;
}

}  // namespace tutti::cpu
