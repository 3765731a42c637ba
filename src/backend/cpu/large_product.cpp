// Blocks of the left operand stay in the second-level cache, panels of the right one pass by; tiles of sums stay in
// registers. What is packed next comes from memory while tiles are computed: nothing is waited for.
#include "backend/cpu/large_product.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "array/buffer.hpp"
#include "backend/cpu/isa.hpp"
#include "lane/square16.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kSumLanes = 16, kSumRows = 14, kSumColumns = 2 * kSumLanes;  // of a tile
constexpr std::uintptr_t kLineBytes = 64;
constexpr std::int64_t kMostDeep = 512, kMostBlockRows = 280, kMostPanelColumns = 2048;
constexpr std::int64_t kLookAhead = 8;      // inner elements between two looks ahead
constexpr std::int64_t kFewestLarge = 192;  // rows, columns and inner elements from which packing pays

// Memory that is read next, in lines of the cache: `rows` of `lines` each; and where it is packed to, or null.
struct NextRead {
  const float* at = nullptr;
  std::int64_t row = 0, lines = 0, rows = 0;
  const float* to = nullptr;
  std::int64_t line = 0;

  void ask() {
    if (rows == 0) return;
    __builtin_prefetch(at + line * kSumLanes, 0, 2);
    if (to) {
      __builtin_prefetch(to, 0, 2);
      to += kSumLanes;
    }
    if (++line == lines) {
      line = 0;
      at += row;
      --rows;
    }
  }
};

// How sums of a tile leave.
struct TileSums {
  float* at;
  std::int64_t row;
  __mmask16 last;  // the columns of the last vector
  Sums sums;
};

// c = sums over k of packed rows of a and columns of b; asks for `asked` lines of what comes next at each step.
template <int rows, int vectors>
[[gnu::target("avx512f")]] void large_tile(std::int64_t k, const float* a, const float* b, const TileSums& c,
                                           NextRead& next, std::int64_t asked) {
  __m512 sum[rows][vectors];
  float* to = c.at;
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sum[i][v] = _mm512_setzero_ps();
    __builtin_prefetch(to, 1, 2);
    __builtin_prefetch(to + kSumColumns - 1, 1, 2);
    to += c.row;
    asm("" : "+r"(to));
  }
  while (k > 0) {
    for (std::int64_t q = 0; q < asked; ++q) next.ask();
    for (std::int64_t count = std::min(k, kLookAhead); count > 0; --count, --k) {
      __m512 y[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) y[v] = _mm512_load_ps(b + kSumLanes * v);
#pragma GCC unroll 14
      for (int i = 0; i < rows; ++i) {
        const __m512 x = _mm512_set1_ps(a[i]);
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) sum[i][v] = _mm512_fmadd_ps(x, y[v], sum[i][v]);
      }
      a += kSumRows;
      b += kSumColumns;
    }
  }
  to = c.at;
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const __mmask16 lanes = v + 1 < vectors ? __mmask16(0xffff) : c.last;
      if (c.sums != Sums::plain)
        sum[i][v] = _mm512_add_ps(
            c.sums == Sums::added ? _mm512_maskz_loadu_ps(lanes, to + kSumLanes * v) : _mm512_setzero_ps(), sum[i][v]);
      _mm512_mask_storeu_ps(to + kSumLanes * v, lanes, sum[i][v]);
    }
    to += c.row;
    asm("" : "+r"(to));
  }
}

using LargeTile = void (*)(std::int64_t, const float*, const float*, const TileSums&, NextRead&, std::int64_t);
template <int vectors, int... i>
constexpr std::array<LargeTile, sizeof...(i)> large_tiles(std::integer_sequence<int, i...>) {
  return {large_tile<i + 1, vectors>...};
}
constexpr auto kSumHeights = std::make_integer_sequence<int, kSumRows>();
constexpr std::array narrow_tiles = large_tiles<1>(kSumHeights), wide_tiles = large_tiles<2>(kSumHeights);

__mmask16 first_of_lanes(std::int64_t n) { return static_cast<__mmask16>(n >= kSumLanes ? 0xffff : (1 << n) - 1); }

// to[l * width + j] = x[l * x_l + j * x_j] for l < k, j < n <= width; one of the strides is 1. Lanes from n on are 0.
template <std::int64_t width>
[[gnu::target("avx512f")]] void pack_panel(std::int64_t k, std::int64_t n, const float* x, std::int64_t x_l,
                                           std::int64_t x_j, float* to) {
  for (std::int64_t j = 0; j < width; j += kSumLanes) {
    const __mmask16 lanes = first_of_lanes(std::max<std::int64_t>(0, n - j)), out = first_of_lanes(width - j);
    if (x_j == 1) {
      for (std::int64_t l = 0; l < k; ++l)
        _mm512_mask_storeu_ps(to + l * width + j, out, _mm512_maskz_loadu_ps(lanes, x + l * x_l + j));
      continue;
    }
    for (std::int64_t l = 0; l < k; l += kSumLanes) {
      const std::int64_t deep = std::min(kSumLanes, k - l);
      __m512 rows[kSumLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kSumLanes; ++i)
        rows[i] = j + i < n ? _mm512_maskz_loadu_ps(first_of_lanes(deep), x + (j + i) * x_j + l) : _mm512_setzero_ps();
      lane::turn16(rows);
#pragma GCC unroll 16
      for (int i = 0; i < kSumLanes; ++i)
        if (i < deep) _mm512_mask_storeu_ps(to + (l + i) * width + j, out, rows[i]);
    }
  }
}

// What `pack_panel` will read and, where that is not written already, write.
NextRead read_by_packing(std::int64_t k, std::int64_t n, const float* x, std::int64_t x_l, std::int64_t x_j,
                         const float* to) {
  const auto rows = [&](std::int64_t count, std::int64_t elements, std::int64_t apart) {
    const bool cut = reinterpret_cast<std::uintptr_t>(x) % kLineBytes != 0 || apart % kSumLanes != 0;
    return NextRead{x, apart, (elements + kSumLanes - 1) / kSumLanes + cut, count, to};
  };
  return x_j == 1 ? rows(k, n, x_l) : rows(n, k, x_j);
}

// Blocks of equal size, of a multiple of `unit` and at most `most`.
std::int64_t even_blocks(std::int64_t extent, std::int64_t most, std::int64_t unit) {
  const std::int64_t count = (extent + most - 1) / most, each = (extent + count - 1) / count;
  return (each + unit - 1) / unit * unit;
}

std::int64_t whole_lines(std::int64_t elements) { return (elements + kSumLanes - 1) / kSumLanes * kSumLanes; }

class LargeProduct {
 public:
  LargeProduct(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
               std::int64_t c_row, Sums sums)
      : m_(m), n_(n), k_(k), a_(a), b_(b), c_(c), c_row_(c_row), sums_(sums) {
    const std::int64_t left = whole_lines(rows_ * inner_),
                       right = whole_lines((many_blocks_ ? columns_ : kSumColumns) * inner_);
    room_ = allocate_buffer(static_cast<std::size_t>(left + right + kSumLanes) * sizeof(float));
    const auto address = reinterpret_cast<std::uintptr_t>(room_->data());
    left_ = reinterpret_cast<float*>((address + kLineBytes - 1) / kLineBytes * kLineBytes);
    right_ = left_ + left;
  }
  void run() const {
    for (std::int64_t j = 0; j < n_; j += columns_)
      for (std::int64_t l = 0; l < k_; l += inner_)
        for (std::int64_t i = 0; i < m_; i += rows_)
          block({i, std::min(m_, i + rows_)}, {j, std::min(n_, j + columns_)}, l, std::min(inner_, k_ - l));
  }

 private:
  struct Range {
    std::int64_t begin, end;
  };

  const float* from_b(std::int64_t l, std::int64_t j) const { return b_.data + l * b_.row + j * b_.column; }

  // Rows i of some columns j, summed up over `deep` inner elements from l on.
  void block(Range i, Range j, std::int64_t l, std::int64_t deep) const {
    for (std::int64_t r = i.begin; r < i.end; r += kSumRows)
      pack_panel<kSumRows>(deep, std::min(kSumRows, i.end - r), a_.data + r * a_.row + l * a_.column, a_.column, a_.row,
                           left_ + (r - i.begin) * deep);
    const bool is_first = i.begin == 0;  // the others find panels packed
    for (std::int64_t q = j.begin; q < j.end; q += kSumColumns) {
      float* const panel = many_blocks_ ? right_ + (q - j.begin) * deep : right_;
      const std::int64_t here = std::min(kSumColumns, j.end - q), then = q + kSumColumns;
      if (is_first) pack_panel<kSumColumns>(deep, here, from_b(l, q), b_.row, b_.column, panel);
      NextRead next;
      if (then < j.end && is_first)
        next = read_by_packing(deep, std::min(kSumColumns, j.end - then), from_b(l, then), b_.row, b_.column,
                               many_blocks_ ? panel + kSumColumns * deep : nullptr);
      else if (then < j.end)
        next = {panel + kSumColumns * deep, kSumColumns, kSumColumns / kSumLanes, deep};
      column({i, {q, q + here}, l, deep}, panel, next);
    }
  }

  struct Part {
    Range i, j;
    std::int64_t l, deep;
  };
  void column(const Part& p, const float* panel, NextRead& next) const {
    const std::int64_t tiles = (p.i.end - p.i.begin + kSumRows - 1) / kSumRows,
                       steps = tiles * ((p.deep + kLookAhead - 1) / kLookAhead),
                       asked = (next.rows * next.lines + steps - 1) / steps, columns = p.j.end - p.j.begin;
    const bool is_wide = columns > kSumLanes;
    const __mmask16 last = first_of_lanes(is_wide ? columns - kSumLanes : columns);
    const Sums sums = p.l > 0 ? Sums::added : sums_;
    for (std::int64_t r = p.i.begin; r < p.i.end; r += kSumRows) {
      const LargeTile tile =
          (is_wide ? wide_tiles : narrow_tiles)[static_cast<std::size_t>(std::min(kSumRows, p.i.end - r) - 1)];
      tile(p.deep, left_ + (r - p.i.begin) * p.deep, panel, {c_ + r * c_row_ + p.j.begin, c_row_, last, sums}, next,
           asked);
    }
  }

  std::int64_t m_, n_, k_;
  Matrix a_, b_;
  float* c_;
  std::int64_t c_row_;
  Sums sums_;
  // Of a block. inner_ depends on k alone.
  std::int64_t inner_ = even_blocks(k_, kMostDeep, 4), rows_ = even_blocks(m_, kMostBlockRows, kSumRows),
               columns_ = even_blocks(n_, kMostPanelColumns, kSumColumns);
  bool many_blocks_ = rows_ < m_;
  BufferPtr room_;
  float *left_, *right_;  // packed
};

}  // namespace

bool large_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, Sums sums) {
  static const bool wide = isa() == Isa::avx512;
  if (!wide || std::min({m, n, k}) < kFewestLarge) return false;
  LargeProduct(m, n, k, a, b, c, c_row, sums).run();
  return true;
}

}  // namespace tutti::cpu
