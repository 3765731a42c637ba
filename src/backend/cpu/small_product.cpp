#include "backend/cpu/small_product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "backend/cpu/isa.hpp"
#include "lane/square16.hpp"

#if TUTTI_X86
namespace tutti::cpu {
namespace {

constexpr std::int64_t kMostWork = std::int64_t{1} << 19, kMostInner = 128, kMostDense = 1024, kMostPanel = 512,
                       kPanel = 64, kLane = 16, kSpan = 8, kMostSpans = 64;
constexpr int kMostRows = 8, kMostVectors = kPanel / kLane;

// Rows of a block: as many as leave registers for a row of b.
constexpr std::int64_t rows_beside(std::int64_t vectors) { return vectors == 4 ? 6 : vectors == 3 ? 8 : kMostRows; }

// The next of some rows. What comes after is computed from it alone: the compiler would keep the addresses of all rows
// otherwise, for which there are no registers.
template <class T> [[gnu::always_inline]] inline void advance(T*& at, std::int64_t row) {
  at += row;
  asm("" : "+r"(at));
}

// Rows i < rows, columns j < 16 * vectors or, where the last vector is not `whole`, 16 * (vectors - 1) + those of
// `last`. All sums stay in registers (loops written out); the rows of b are read in order.
template <int rows, int vectors, bool whole>
[[gnu::target("avx512f")]] void block(std::int64_t k, const float* a, std::int64_t a_row, std::int64_t a_column,
                                      const float* b, std::int64_t b_row, float* c, std::int64_t c_row, __mmask16 last,
                                      Sums sums) {
  __m512 sum[rows][vectors];
  // Where sums go to may be far away: it comes while they are made.
  float* to = c;
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i, advance(to, c_row))
#pragma GCC unroll 6
    for (int v = 0; v < vectors; ++v) {
      __builtin_prefetch(to + 16 * v, 1);
      sum[i][v] = _mm512_setzero_ps();
    }
  // The rows of the next block come meanwhile too, where one row is too little work to wait for them.
  const float* const next = a_column == 1 ? a + rows * a_row : a + kLane;
  const std::int64_t step = a_column == 1 ? kLane : a_column;
  for (std::int64_t l = 0; l < k; ++l) {
    if constexpr (vectors <= 2) __builtin_prefetch(next + l * step);
    __m512 y[vectors];
#pragma GCC unroll 6
    for (int v = 0; v < vectors; ++v)
      y[v] = whole || v + 1 < vectors ? _mm512_loadu_ps(b + 16 * v) : _mm512_maskz_loadu_ps(last, b + 16 * v);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const __m512 x = _mm512_set1_ps(a[i * a_row]);
#pragma GCC unroll 6
      for (int v = 0; v < vectors; ++v) sum[i][v] = _mm512_fmadd_ps(x, y[v], sum[i][v]);
    }
    a += a_column;
    b += b_row;
  }
  to = c;
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i, advance(to, c_row))
#pragma GCC unroll 6
    for (int v = 0; v < vectors; ++v) {
      const __mmask16 lanes = whole || v + 1 < vectors ? __mmask16(0xffff) : last;
      if (sums != Sums::plain)
        sum[i][v] = _mm512_add_ps(sums == Sums::added ? _mm512_maskz_loadu_ps(lanes, to + 16 * v) : _mm512_setzero_ps(),
                                  sum[i][v]);
      _mm512_mask_storeu_ps(to + 16 * v, lanes, sum[i][v]);
    }
}

// Sums of a masked attention's weights with something, and their gradients, begin or end with zeros.
constexpr std::int64_t kFewestInner = 64, kStep = 16;

struct Span {
  std::int64_t begin, end;
};

__mmask16 lanes_of(std::int64_t columns) {
  return static_cast<__mmask16>(columns < kLane ? (1 << columns) - 1 : 0xffff);
}

// Which of kStep columns from `first` on have something other than zero in some of the rows: a bit each.
[[gnu::target("avx512f")]] std::uint16_t not_zero(std::int64_t rows, const float* a, std::int64_t row,
                                                  std::int64_t first) {
  __m512i any = _mm512_loadu_si512(a + first);
  for (std::int64_t i = 1; i < rows; ++i) any = _mm512_or_si512(any, _mm512_loadu_si512(a + i * row + first));
  return _mm512_test_epi32_mask(any, _mm512_set1_epi32(0x7fffffff));  // but the sign
}

// Between which columns rows of a matrix differ from zero.
Span not_zero(std::int64_t rows, std::int64_t columns, const float* a, std::int64_t row) {
  Span s{0, columns};
  while (s.end >= kStep) {
    const std::uint16_t some = not_zero(rows, a, row, s.end - kStep);
    s.end -= std::countl_zero(some);
    if (some) break;
  }
  while (s.begin + kStep <= s.end) {
    const std::uint16_t some = not_zero(rows, a, row, s.begin);
    s.begin += std::countr_zero(some);
    if (some) break;
  }
  return s;
}

// Which l count for each block of rows of the left operand a, because a(i, l) differs from zero for one of its rows.
// Memory is read in the order in which it lies: a transposed operand's rows are blocks of l.
class Spans {
 public:
  Spans(std::int64_t m, std::int64_t k, const Matrix& a)
      : k_(k),
        a_(a),
        turned_(a.column != 1),
        looks_(k >= kFewestInner && (a.row == 1 || a.column == 1) && (!turned_ || k <= kMostSpans * kSpan)) {
    if (looks_ && turned_)
      for (std::int64_t l = 0; l < k; l += kSpan)
        of_[l / kSpan] = not_zero(std::min(kSpan, k - l), m, a.data + l * a.column, a.column);
  }
  Span operator()(std::int64_t i, std::int64_t rows) const {
    if (!looks_) return {0, k_};
    if (!turned_) return not_zero(rows, k_, a_.data + i * a_.row, a_.row);
    auto counts = [&](std::int64_t q) { return of_[q].begin < i + rows && of_[q].end > i; };
    Span s{0, (k_ + kSpan - 1) / kSpan};
    while (s.begin < s.end && !counts(s.begin)) ++s.begin;
    while (s.begin < s.end && !counts(s.end - 1)) --s.end;
    return {s.begin * kSpan, std::min(k_, s.end * kSpan)};
  }

 private:
  std::int64_t k_;
  const Matrix& a_;
  bool turned_, looks_;
  Span of_[kMostSpans];  // of a transposed operand: by kSpan numbers l
};

// Zero times an infinity or NaN is not zero.
[[gnu::target("avx512f")]] bool is_finite(std::int64_t k, std::int64_t columns, const float* b, std::int64_t b_row) {
  constexpr std::int64_t kChains = 4;
  const __m512 zero = _mm512_setzero_ps();
  __m512 sum[kChains] = {zero, zero, zero, zero};
  for (std::int64_t j = 0; j < columns; j += kLane) {
    const __mmask16 lanes = lanes_of(columns - j);
    const float* y = b + j;
    std::int64_t l = 0;
    for (; l + kChains <= k; l += kChains)
#pragma GCC unroll 4
      for (int q = 0; q < kChains; ++q, y += b_row)
        sum[q] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(lanes, y), zero, sum[q]);
    for (; l < k; ++l, y += b_row) sum[0] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(lanes, y), zero, sum[0]);
  }
  const __m512 all = _mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3]));
  return _mm512_cmp_ps_mask(all, all, _CMP_UNORD_Q) == 0;
}

// The vectors of a block of rows from i on and of `columns` (kPanel at most) columns from j on, from the first to one
// past the last of which somebody sees something.
[[gnu::target("avx512f,avx512bw")]] Span seen_of(const Seen& s, std::int64_t i, std::int64_t rows, std::int64_t j,
                                                 std::int64_t columns) {
  const std::uint64_t lanes = columns < kPanel ? (std::uint64_t{1} << columns) - 1 : ~std::uint64_t{0};
  std::uint64_t seen = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const __m512i x = _mm512_maskz_loadu_epi8(lanes, s.mask + (i + r) * s.row + j);
    const std::uint64_t ones = _mm512_test_epi8_mask(x, x);
    seen |= s.when ? ones : ~ones & lanes;
  }
  if (seen == 0) return {0, 0};
  return {std::countr_zero(seen) / kLane, (64 - std::countl_zero(seen) + kLane - 1) / kLane};
}

// Brings elements [begin, end) to the second-level cache.
void ask_for(const float* x, std::int64_t begin, std::int64_t end) {
  for (begin = (begin + kLane - 1) / kLane * kLane; begin < end; begin += kLane) __builtin_prefetch(x + begin, 0, 2);
}

using Block = void (*)(std::int64_t, const float*, std::int64_t, std::int64_t, const float*, std::int64_t, float*,
                       std::int64_t, __mmask16, Sums);
using Blocks = std::array<std::array<Block, kMostVectors>, kMostRows>;

// By rows and vectors, from one on.
template <bool whole, int... i> constexpr Blocks blocks(std::integer_sequence<int, i...>) {
  Blocks all{};
  auto add = [&]<int rows, int vectors>() {
    if constexpr (rows <= rows_beside(vectors)) all[rows - 1][vectors - 1] = block<rows, vectors, whole>;
  };
  (add.template operator()<i / kMostVectors + 1, i % kMostVectors + 1>(), ...);
  return all;
}
constexpr auto kBlocks = std::make_integer_sequence<int, kMostRows * kMostVectors>();
constexpr Blocks whole_blocks = blocks<true>(kBlocks), cut_blocks = blocks<false>(kBlocks);

}  // namespace

bool is_small_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, bool masked) {
  static const bool wide = isa() == Isa::avx512;
  if (!wide) return false;
  const bool turned = b.column != 1 && n > 1;
  if (turned && (b.row != 1 || n % kLane || k % kLane || k > kMostInner)) return false;
  // A right matrix that is one panel needs no copy. A product of which much is left out may be larger.
  const bool dense = b.column == 1 && b.row == n && n <= kPanel && a.column == 1 && k <= kMostDense;
  const bool one_panel = dense || (!turned && n <= kPanel && std::max(m, k) <= kMostPanel);
  return one_panel || (k <= kMostInner && (m * n * k <= kMostWork || masked));
}

bool small_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, Sums sums, const Seen* seen, const float* then) {
  if (!is_small_product(m, n, k, a, b, seen != nullptr)) return false;
  const bool turned = b.column != 1 && n > 1;
  alignas(64) float panel[kMostInner * kPanel];
  for (std::int64_t j = 0; j < n; j += kPanel) {
    const std::int64_t columns = std::min(kPanel, n - j), vectors = (columns + kLane - 1) / kLane;
    const float* y = b.data + j * (turned ? b.column : 1);
    std::int64_t y_row = b.row;
    if (turned) {
      for (std::int64_t q = 0; q < columns; q += kLane)
        for (std::int64_t l = 0; l < k; l += kLane)
          lane::square16<false, 0>(y + q * b.column + l, b.column, panel + l * kPanel + q, kPanel);
      y = panel;
      y_row = kPanel;
    }
    std::optional<bool> finite;  // what zeros are multiplied with: then leaving them out keeps bits
    const std::int64_t most = rows_beside(vectors);
    const Spans spans(m, k, a);
    for (std::int64_t i = 0; i < m; i += most) {
      const std::int64_t rows = std::min(most, m - i);
      const Span v = seen ? seen_of(*seen, i, rows, j, columns) : Span{0, vectors};
      if (v.begin == v.end) continue;
      const float* x = a.data + i * a.row;
      Span s = spans(i, rows);
      if (s.end - s.begin < k) {
        if (!finite) finite = is_finite(k, columns, y, y_row);
        if (!*finite) s = {0, k};
      }
      if (then) ask_for(then, k * columns * i / m, k * columns * (i + rows) / m);
      const float* right = y + s.begin * y_row + v.begin * kLane;
      const __mmask16 last = lanes_of(columns - (v.end - 1) * kLane);
      (last == 0xffff ? whole_blocks
                      : cut_blocks)[static_cast<std::size_t>(rows - 1)][static_cast<std::size_t>(v.end - v.begin - 1)](
          s.end - s.begin, x + s.begin * a.column, a.row, a.column, right, y_row, c + i * c_row + j + v.begin * kLane,
          c_row, last, sums);
    }
  }
  return true;
}

}  // namespace tutti::cpu

#else

namespace tutti::cpu {
bool is_small_product(std::int64_t, std::int64_t, std::int64_t, const Matrix&, const Matrix&, bool) { return false; }
bool small_product(std::int64_t, std::int64_t, std::int64_t, const Matrix&, const Matrix&, float*, std::int64_t, Sums,
                   const Seen*, const float*) {
  return false;
}
}  // namespace tutti::cpu

#endif

// SPDX-License-Identifier: Apache-2.0
