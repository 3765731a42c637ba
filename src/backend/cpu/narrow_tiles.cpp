// Compiled as product_tiles.cpp is.
#include "backend/cpu/narrow_tiles.hpp"

#include <algorithm>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/pair_tiles.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kMostRows = 14, kMostColumns = 32;  // of a tile of floats
constexpr std::int64_t kWidenedAtOnce = 32;                // inner elements of an operand that is turned

// The same loops for each kind of machine (as in gemm.cpp); conversions of float16 by instructions that come with AVX2.
template <class T> [[gnu::always_inline]] inline void widen_plain(const T* x, std::int64_t n, float* to) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(x[i]);
}
template <class T> [[gnu::always_inline]] inline void round_plain(const float* x, std::int64_t n, T* to) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(x[i]);
}

#if TUTTI_X86
TUTTI_AVX2 inline void widen_avx2(const Float16* x, std::int64_t n, float* to) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  widen_plain(x + i, n - i, to + i);
}
TUTTI_AVX2 inline void widen_avx2(const BFloat16* x, std::int64_t n, float* to) { widen_plain(x, n, to); }
TUTTI_AVX2 inline void round_avx2(const float* x, std::int64_t n, Float16* to) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  round_plain(x + i, n - i, to + i);
}
TUTTI_AVX2 inline void round_avx2(const float* x, std::int64_t n, BFloat16* to) { round_plain(x, n, to); }
#endif

template <class T> void widen(const T* x, std::int64_t n, float* to) {
#if TUTTI_X86
  if (isa() != Isa::plain) return widen_avx2(x, n, to);
#endif
  widen_plain(x, n, to);
}
template <class T> void round(const float* x, std::int64_t n, T* to) {
#if TUTTI_X86
  if (isa() != Isa::plain) return round_avx2(x, n, to);
#endif
  round_plain(x, n, to);
}
template <class T>
void round_rows(const float* sums, std::int64_t sums_row, std::int64_t rows, std::int64_t columns, T* to,
                std::int64_t to_row) {
  for (std::int64_t i = 0; i < rows; ++i) round(sums + i * sums_row, columns, to + i * to_row);
}

// A panel of floats: what lies in order is widened, and packed as floats are.
template <class T, bool of_rows>
void pack(std::int64_t k, std::int64_t n, const T* x, std::int64_t x_l, std::int64_t x_j, void* packed) {
  const Tiles<float>& tile = tiles<float>();
  const std::int64_t width = of_rows ? tile.rows : tile.columns;
  alignas(64) float piece[kMostColumns * kWidenedAtOnce];
  for (std::int64_t l = 0; l < k; l += kWidenedAtOnce) {
    const std::int64_t deep = std::min(kWidenedAtOnce, k - l), lines = x_j == 1 ? deep : n,
                       line = x_j == 1 ? kMostColumns : kWidenedAtOnce;
    for (std::int64_t i = 0; i < lines; ++i)
      widen(x + l * x_l + i * (x_j == 1 ? x_l : x_j), x_j == 1 ? n : deep, piece + i * line);
    (of_rows ? tile.pack_rows : tile.pack_columns)(deep, n, piece, x_j == 1 ? line : 1, x_j == 1 ? 1 : line,
                                                   static_cast<float*>(packed) + l * width);
  }
}

template <class T> void multiply(const TileProduct<T>& p, const NextLines& next) {
  const Tiles<float>& tile = tiles<float>();
  if (!p.rounded) return tile.multiply({p.k, p.a, p.b, p.c, p.c_row, p.rows, p.columns, p.sums}, next);
  alignas(64) float sums[kMostRows * kMostColumns];
  for (std::int64_t i = 0; i < p.rows; i += tile.rows) {
    const std::int64_t rows = std::min(tile.rows, p.rows - i);
    if (p.sums == Sums::added)
      for (std::int64_t r = 0; r < rows; ++r) std::copy_n(p.c + (i + r) * p.c_row, p.columns, sums + r * tile.columns);
    tile.multiply({p.k, static_cast<const float*>(p.a) + i * p.k, p.b, sums, tile.columns, rows, p.columns, p.sums},
                  {});
    round_rows(sums, tile.columns, rows, p.columns, p.rounded + i * p.rounded_row, p.rounded_row);
  }
}

template <class T> Tiles<T> widened() {
  const Tiles<float>& t = tiles<float>();
  return {t.rows, t.columns, 1, sizeof(float), t.deep, 1, pack<T, true>, pack<T, false>, multiply<T>};
}

}  // namespace

void round_tile(const float* sums, std::int64_t sums_row, std::int64_t rows, std::int64_t columns, BFloat16* to,
                std::int64_t to_row) {
  round_rows(sums, sums_row, rows, columns, to, to_row);
}

const std::vector<NarrowTiles>& narrow_tiles_of_processor() {
  static const std::vector<NarrowTiles>& all = *[] {  // never destroyed
    static const Tiles<BFloat16> by_floats = widened<BFloat16>();
    auto* const found = new std::vector<NarrowTiles>{{"float", &by_floats}};
    if (const Tiles<BFloat16>* t = pair_tiles()) found->push_back({"pairs", t});
    if (const Tiles<BFloat16>* t = matrix_tiles()) found->push_back({"matrices", t});
    return found;
  }();
  return all;
}

template <> const Tiles<BFloat16>& tiles<BFloat16>() {
  static const Tiles<BFloat16>& best = []() -> const Tiles<BFloat16>& {
    if (const Tiles<BFloat16>* t = matrix_tiles()) return *t;
    const Tiles<BFloat16>* const t = pairs_are_fast() ? pair_tiles() : nullptr;
    return t ? *t : *narrow_tiles_of_processor().front().tiles;
  }();
  return best;
}
template <> const Tiles<Float16>& tiles<Float16>() {
  static const Tiles<Float16> only = widened<Float16>();
  return only;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
