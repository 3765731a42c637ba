// Tiles of sums in registers and panels of packed operands, of products of large matrices: with 512-bit instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "backend/cpu/gemm.hpp"
#include "lane/square16.hpp"

#if TUTTI_X86
namespace tutti::cpu {

constexpr std::int64_t kSumLanes = 16, kSumRows = 14, kSumColumns = 2 * kSumLanes;  // of a tile
constexpr std::int64_t kMostDeep = 512;  // inner elements that are summed up in registers
constexpr std::int64_t kLookAhead = 8;   // inner elements between two looks ahead

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
inline constexpr auto kSumHeights = std::make_integer_sequence<int, kSumRows>();
inline constexpr std::array narrow_tiles = large_tiles<1>(kSumHeights), wide_tiles = large_tiles<2>(kSumHeights);

inline __mmask16 first_of_lanes(std::int64_t n) {
  return static_cast<__mmask16>(n >= kSumLanes ? 0xffff : (1 << n) - 1);
}

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

// Blocks of equal size, of a multiple of `unit` and at most `most`.
inline std::int64_t even_blocks(std::int64_t extent, std::int64_t most, std::int64_t unit) {
  const std::int64_t count = (extent + most - 1) / most, each = (extent + count - 1) / count;
  return (each + unit - 1) / unit * unit;
}

}  // namespace tutti::cpu
#endif

// SPDX-License-Identifier: Apache-2.0
