#include "backend/cpu/small_product.hpp"

#include <algorithm>
#include <optional>

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
                                              __mmask16 last, bool adds) {
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
    for (int v = 0; v < vectors; ++v) {
      const __mmask16 lanes = v + 1 == vectors ? last : __mmask16(0xffff);
      float* to = c + i * c_row + 16 * v;
      if (adds) sum[i][v] = _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, to), sum[i][v]);
      _mm512_mask_storeu_ps(to, lanes, sum[i][v]);
    }
}

// Sums of a masked attention's weights with something, and their gradients, begin or end with zeros in whole blocks.
constexpr std::int64_t kFewestInner = 64, kStep = 16;

struct Span {
  std::int64_t begin, end;
};

// Whether a(i, l) is zero for i < rows and kStep numbers l from `first` on. Most blocks are known not to be by their
// first row.
__attribute__((target("avx512f"))) bool is_zero(std::int64_t rows, std::int64_t first, const float* a,
                                                std::int64_t a_row, std::int64_t a_column) {
  const bool by_rows = a_column == 1;
  const __mmask16 lanes = by_rows ? __mmask16(0xffff) : static_cast<__mmask16>((1 << rows) - 1);
  for (std::int64_t i = 0, n = by_rows ? rows : kStep; i < n; ++i) {
    const float* x = by_rows ? a + i * a_row + first : a + (first + i) * a_column;
    if (_mm512_test_epi32_mask(_mm512_castps_si512(_mm512_maskz_loadu_ps(lanes, x)), _mm512_set1_epi32(0x7fffffff)))
      return false;
  }
  return true;
}

__attribute__((target("avx512f"))) bool is_finite(std::int64_t k, std::int64_t columns, const float* b,
                                                  std::int64_t b_row) {
  __m512i most = _mm512_setzero_si512();
  for (std::int64_t l = 0; l < k; ++l)
    for (std::int64_t j = 0; j < columns; j += 16) {
      const auto lanes = static_cast<__mmask16>(columns - j < 16 ? (1 << (columns - j)) - 1 : 0xffff);
      const __m512i x = _mm512_castps_si512(_mm512_maskz_loadu_ps(lanes, b + l * b_row + j));
      most = _mm512_max_epu32(most, _mm512_and_si512(x, _mm512_set1_epi32(0x7fffffff)));
    }
  return _mm512_cmpge_epu32_mask(most, _mm512_set1_epi32(0x7f800000)) == 0;
}

// Where rows of a differ from zero.
Span span_of(std::int64_t rows, std::int64_t k, const float* a, std::int64_t a_row, std::int64_t a_column) {
  Span s{0, k};
  if (k < kFewestInner || (a_row != 1 && a_column != 1)) return s;
  while (s.end >= kStep && is_zero(rows, s.end - kStep, a, a_row, a_column)) s.end -= kStep;
  while (s.begin + kStep <= s.end && is_zero(rows, s.begin, a, a_row, a_column)) s.begin += kStep;
  return s;
}

using Block = void (*)(std::int64_t, const float*, std::int64_t, std::int64_t, const float*, std::int64_t, float*,
                       std::int64_t, __mmask16, bool);
template <int rows> constexpr Block by_vectors[] = {block<rows, 1>, block<rows, 2>, block<rows, 3>, block<rows, 4>};
constexpr const Block* by_rows[] = {by_vectors<1>, by_vectors<2>, by_vectors<3>,
                                    by_vectors<4>, by_vectors<5>, by_vectors<6>};

}  // namespace

bool small_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, bool adds) {
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
    std::optional<bool> finite;  // what zeros are multiplied with: then leaving them out keeps bits
    for (std::int64_t i = 0; i < m; i += kRows) {
      const std::int64_t rows = std::min(kRows, m - i);
      const float* x = a.data + i * a.row;
      Span s = span_of(rows, k, x, a.row, a.column);
      if (s.end - s.begin < k) {
        if (!finite) finite = is_finite(k, columns, y, y_row);
        if (!*finite) s = {0, k};
      }
      by_rows[rows - 1][vectors - 1](s.end - s.begin, x + s.begin * a.column, a.row, a.column, y + s.begin * y_row,
                                     y_row, c + i * c_row + j, c_row, last, adds);
    }
  }
  return true;
}

}  // namespace tutti::cpu
