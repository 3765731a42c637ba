// An operand is packed block by block of 16 rows or columns and 16 pairs of inner elements: as vectors of one pair of
// each row, or of all pairs of one row. How it lies in memory is one of these two; 16 such vectors are turned to have
// the other.
#include "backend/cpu/pair_tiles.hpp"

#include <algorithm>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/narrow_tiles.hpp"
#include "lane/square16.hpp"

#if TUTTI_X86
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tutti::cpu {

#if TUTTI_X86
namespace {

#define TUTTI_PACKS [[gnu::target("avx512f,avx512bw,avx512vl")]]

constexpr std::int64_t kSide = 16;  // of a block: rows or columns, pairs; bytes of a vector are kSide * 4

TUTTI_PACKS inline __mmask16 first_lanes(std::int64_t n) {
  return static_cast<__mmask16>(n >= kSide ? 0xffff : n <= 0 ? 0 : (1 << n) - 1);
}
TUTTI_PACKS inline __mmask32 first_elements(std::int64_t n) {
  return static_cast<__mmask32>(n >= 32 ? 0xffffffffu : n <= 0 ? 0 : (1u << n) - 1);
}

// One block of n rows j and k inner elements l, from x[l * x_l + j * x_j]. `by_pair`: vector p has pair p of each row;
// otherwise vector j has the pairs of row j.
template <bool by_pair>
TUTTI_PACKS inline void read_block(std::int64_t k, std::int64_t n, const BFloat16* x, std::int64_t x_l,
                                   std::int64_t x_j, __m512 (&block)[kSide]) {
  const bool along_rows = x_l == 1;
  if (along_rows) {
    const __mmask32 some = first_elements(k);
#pragma GCC unroll 16
    for (int j = 0; j < kSide; ++j)
      block[j] = j < n ? _mm512_castsi512_ps(_mm512_maskz_loadu_epi16(some, x + j * x_j)) : _mm512_setzero_ps();
  } else {
    const __mmask16 some = first_lanes(n);
#pragma GCC unroll 16
    for (int p = 0; p < kSide; ++p) {
      const BFloat16* const at = x + 2 * p * x_l;
      const __m512i first = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(2 * p < k ? some : 0, at)),
                    second = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(2 * p + 1 < k ? some : 0, at + x_l));
      block[p] = _mm512_castsi512_ps(_mm512_or_si512(first, _mm512_slli_epi32(second, 16)));
    }
  }
  if (by_pair == along_rows) lane::turn16(block);
}

// Pair p of a panel of `width` rows or columns: one behind the other.
template <std::int64_t width>
TUTTI_PACKS void pack_pairs(std::int64_t k, std::int64_t n, const BFloat16* x, std::int64_t x_l, std::int64_t x_j,
                            void* packed) {
  auto* const to = static_cast<std::uint32_t*>(packed);
  __m512 block[kSide];
  for (std::int64_t l = 0; l < k; l += 2 * kSide)
    for (std::int64_t j = 0; j < width; j += kSide) {
      const std::int64_t deep = std::min(2 * kSide, k - l);
      read_block<true>(deep, n - j, x + l * x_l + j * x_j, x_l, x_j, block);
      const __mmask16 out = first_lanes(width - j);
      for (std::int64_t p = 0; 2 * p < deep; ++p) _mm512_mask_storeu_ps(to + (l / 2 + p) * width + j, out, block[p]);
    }
}

// Matrices of 16 vectors: for each 32 inner elements those of the first 16 rows or columns, then those of the others.
template <bool of_rows>
TUTTI_PACKS void pack_matrices(std::int64_t k, std::int64_t n, const BFloat16* x, std::int64_t x_l, std::int64_t x_j,
                               void* packed) {
  auto* to = static_cast<float*>(packed);
  __m512 block[kSide];
  for (std::int64_t l = 0; l < k; l += 2 * kSide)
    for (std::int64_t j = 0; j < 2 * kSide; j += kSide) {
      read_block<!of_rows>(std::min(2 * kSide, k - l), n - j, x + l * x_l + j * x_j, x_l, x_j, block);
      for (const __m512& v : block) {
        _mm512_storeu_ps(to, v);
        to += kSide;
      }
    }
}

// Sums of a tile in `sums`, whose rows are `width` apart, go where they belong.
void leave(const TileProduct<BFloat16>& p, const float* sums, std::int64_t width) {
  if (p.rounded) return round_tile(sums, width, p.rows, p.columns, p.rounded, p.rounded_row);
  for (std::int64_t i = 0; i < p.rows; ++i) std::copy_n(sums + i * width, p.columns, p.c + i * p.c_row);
}

// Tiles of 14 x 32 sums in vectors.
constexpr std::int64_t kRows = 14, kColumns = 2 * kSide;

[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void multiply_pairs(const TileProduct<BFloat16>& all,
                                                                            const NextLines&) {
  alignas(64) float sums[kRows * kColumns];
  for (std::int64_t first = 0; first < all.rows; first += kRows) {
    TileProduct<BFloat16> p = all;
    const std::int64_t pairs = (p.k + 1) / 2;
    const auto* a = static_cast<const std::int32_t*>(p.a) + first * pairs;
    const auto* b = static_cast<const std::int32_t*>(p.b);
    p.rows = std::min(kRows, all.rows - first);
    if (p.c) p.c += first * all.c_row;
    if (p.rounded) p.rounded += first * p.rounded_row;
    const __mmask16 low = first_lanes(p.columns), high = first_lanes(p.columns - kSide);
    __m512 sum[kRows][2];
#pragma GCC unroll 14
    for (int i = 0; i < kRows; ++i) {
      const bool adds = p.sums == Sums::added && i < p.rows;
      const float* const c = adds ? p.c + i * p.c_row : nullptr;
      sum[i][0] = adds ? _mm512_maskz_loadu_ps(low, c) : _mm512_setzero_ps();
      sum[i][1] = adds ? _mm512_maskz_loadu_ps(high, p.c + i * p.c_row + kSide) : _mm512_setzero_ps();
    }
    for (std::int64_t q = 0; q < pairs; ++q, a += kRows, b += kColumns) {
      const __m512bh x = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b)),
                     y = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + kSide));
#pragma GCC unroll 14
      for (int i = 0; i < kRows; ++i) {
        const __m512bh s = reinterpret_cast<__m512bh>(_mm512_set1_epi32(a[i]));
        sum[i][0] = _mm512_dpbf16_ps(sum[i][0], s, x);
        sum[i][1] = _mm512_dpbf16_ps(sum[i][1], s, y);
      }
    }
#pragma GCC unroll 14
    for (int i = 0; i < kRows; ++i) {
      _mm512_store_ps(sums + i * kColumns, sum[i][0]);
      _mm512_store_ps(sums + i * kColumns + kSide, sum[i][1]);
    }
    leave(p, sums, kColumns);
  }
}

// Tiles of 32 x 32 sums in four matrix registers of 16 x 16: registers 0 to 3; 4 and 5 hold rows, 6 and 7 columns.
constexpr std::int64_t kMatrix = 1024;  // bytes of a register

#define TUTTI_MATRICES [[gnu::target("amx-tile,amx-bf16")]]

// `b` of the columns on the right is there if `wide`, `a` of the rows below if `tall`.
template <bool tall, bool wide>
TUTTI_MATRICES inline void add_products(std::int64_t blocks, const char* a, const char* b) {
  for (; blocks > 0; --blocks, a += 2 * kMatrix, b += 2 * kMatrix) {
    _tile_loadd(4, a, 64);
    _tile_loadd(6, b, 64);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (wide) {
      _tile_loadd(7, b + kMatrix, 64);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (tall) {
      _tile_loadd(5, a + kMatrix, 64);
      _tile_dpbf16ps(2, 5, 6);
      if constexpr (wide) _tile_dpbf16ps(3, 5, 7);
    }
  }
}

// Sums are read from `from` (null: they are 0) and written to `to`; rows lie so many bytes apart.
TUTTI_MATRICES void multiply_matrices(std::int64_t blocks, const char* a, const char* b, const float* from, float* to,
                                      std::int64_t row, bool tall, bool wide) {
  const std::int64_t below = 16 * row / 4;
  if (from) {
    _tile_loadd(0, from, row);
    if (wide) _tile_loadd(1, from + kSide, row);
    if (tall) _tile_loadd(2, from + below, row);
    if (tall && wide) _tile_loadd(3, from + below + kSide, row);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  if (tall)
    wide ? add_products<true, true>(blocks, a, b) : add_products<true, false>(blocks, a, b);
  else
    wide ? add_products<false, true>(blocks, a, b) : add_products<false, false>(blocks, a, b);
  _tile_stored(0, to, row);
  if (wide) _tile_stored(1, to + kSide, row);
  if (tall) _tile_stored(2, to + below, row);
  if (tall && wide) _tile_stored(3, to + below + kSide, row);
}

struct alignas(64) MatrixShapes {
  std::uint8_t palette = 1, start = 0, unused[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
TUTTI_MATRICES void begin_matrices() {
  static constexpr MatrixShapes shapes;
  _tile_loadconfig(&shapes);
  asm volatile("" ::: "memory");  // what is packed is written before it is read
}
TUTTI_MATRICES void end_matrices() { _tile_release(); }

void multiply_by_matrices(const TileProduct<BFloat16>& all, const NextLines&) {
  constexpr std::int64_t side = 2 * kSide;
  const std::int64_t blocks = (all.k + side - 1) / side;
  alignas(64) float sums[side * side];
  begin_matrices();
  for (std::int64_t first = 0; first < all.rows; first += side) {
    TileProduct<BFloat16> p = all;
    p.rows = std::min(side, all.rows - first);
    if (p.c) p.c += first * all.c_row;
    if (p.rounded) p.rounded += first * p.rounded_row;
    const char *const a = static_cast<const char*>(p.a) + first / side * blocks * 2 * kMatrix,
                      *const b = static_cast<const char*>(p.b);
    const bool tall = p.rows > kSide, wide = p.columns > kSide, adds = p.sums == Sums::added,
               whole = p.rows % kSide == 0 && p.columns % kSide == 0;
    if (whole && !p.rounded) {
      multiply_matrices(blocks, a, b, adds ? p.c : nullptr, p.c, 4 * p.c_row, tall, wide);
      continue;
    }
    if (adds)
      for (std::int64_t i = 0; i < p.rows; ++i) std::copy_n(p.c + i * p.c_row, p.columns, sums + i * side);
    asm volatile("" ::: "memory");
    multiply_matrices(blocks, a, b, adds ? sums : nullptr, sums, 4 * side, tall, wide);
    leave(p, sums, side);
  }
  end_matrices();
}

bool has_feature(unsigned leaf, unsigned subleaf, unsigned which, unsigned bit) {
  unsigned r[4];
  return __get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]) && (r[which] >> bit & 1);
}

// The system keeps matrix registers of a process that has asked for it.
bool may_use_matrices() {
  constexpr unsigned edx = 3, amx_bf16 = 22, amx_tile = 24;
  constexpr long request = 0x1023, matrix_registers = 18;
  return has_feature(7, 0, edx, amx_bf16) && has_feature(7, 0, edx, amx_tile) &&
         syscall(SYS_arch_prctl, request, matrix_registers) == 0;
}

}  // namespace

const Tiles<BFloat16>* pair_tiles() {
  constexpr unsigned eax = 0, avx512_bf16 = 5;
  static const bool has = isa() == Isa::avx512 && has_feature(7, 1, eax, avx512_bf16);
  static const Tiles<BFloat16> tiles{kRows,         kColumns, 2, 2, 1024, 2, pack_pairs<kRows>, pack_pairs<kColumns>,
                                     multiply_pairs};
  return has ? &tiles : nullptr;
}

// A Xeon of the fourth generation takes over four times as long for one of them as for a product of floats.
bool pairs_are_fast() { return !__builtin_cpu_is("intel"); }

const Tiles<BFloat16>* matrix_tiles() {
  static const bool has = isa() == Isa::avx512 && may_use_matrices();
  static const Tiles<BFloat16> tiles{
      2 * kSide, 2 * kSide, 2 * kSide, 2, 2048, 8, pack_matrices<true>, pack_matrices<false>, multiply_by_matrices};
  return has ? &tiles : nullptr;
}

#else
bool pairs_are_fast() { return false; }
const Tiles<BFloat16>* pair_tiles() { return nullptr; }
const Tiles<BFloat16>* matrix_tiles() { return nullptr; }
#endif

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
