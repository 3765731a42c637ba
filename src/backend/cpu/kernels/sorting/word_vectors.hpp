// Vectors of unsigned words, and up to sixteen of them sorted in registers: first each column of the vectors, then
// columns are joined by bitonic merges (K. E. Batcher, Sorting networks and their applications, 1968), so that few
// steps have to move lanes; a transpose puts columns one behind the other. All of this runs where has_quick_sort says
// so.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/processor.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#if TUTTI_X86
#define TUTTI_INLINE [[gnu::target("arch=x86-64-v4"), gnu::always_inline]] inline

namespace tutti::kernels::words {

using Lanes = __m512i;

/// Vectors of words.
template <class Word> struct WordVector;

template <> struct WordVector<std::uint32_t> {
  using Word = std::uint32_t;
  using Mask = __mmask16;
  static constexpr int lanes = 16;

  TUTTI_INLINE static Lanes all(Word w) { return _mm512_set1_epi32(static_cast<int>(w)); }
  TUTTI_INLINE static Lanes load(const Word* from) { return _mm512_loadu_si512(from); }
  TUTTI_INLINE static Lanes load(const Word* from, Mask m) {  // elsewhere the greatest
    return _mm512_mask_loadu_epi32(all(~Word{0}), m, from);
  }
  TUTTI_INLINE static void store(Word* to, Mask m, Lanes x) { _mm512_mask_storeu_epi32(to, m, x); }
  TUTTI_INLINE static Lanes least(Lanes x, Lanes y) { return _mm512_min_epu32(x, y); }
  TUTTI_INLINE static Lanes most(Lanes x, Lanes y) { return _mm512_max_epu32(x, y); }
  /// y's greater in the lanes of m, x in the others, and so on.
  TUTTI_INLINE static Lanes most(Lanes less, Mask m, Lanes x, Lanes y) { return _mm512_mask_max_epu32(less, m, x, y); }
  TUTTI_INLINE static Lanes least(Lanes more, Mask m, Lanes x, Lanes y) { return _mm512_mask_min_epu32(more, m, x, y); }
  TUTTI_INLINE static Mask less(Lanes x, Lanes y) { return _mm512_cmplt_epu32_mask(x, y); }
  TUTTI_INLINE static Mask differ(Lanes x, Lanes y) { return _mm512_cmpneq_epu32_mask(x, y); }
  TUTTI_INLINE static Lanes packed(Mask m, Lanes x) { return _mm512_maskz_compress_epi32(m, x); }
  TUTTI_INLINE static Lanes one_more(Lanes x, Mask m) { return _mm512_mask_sub_epi32(x, m, x, _mm512_set1_epi32(-1)); }
  TUTTI_INLINE static std::int64_t sum(Lanes x) { return _mm512_reduce_add_epi32(x); }
  TUTTI_INLINE static Word first(Lanes x) { return static_cast<Word>(_mm512_cvtsi512_si32(x)); }
  template <int by> TUTTI_INLINE static Lanes rotated(Lanes x) { return _mm512_alignr_epi32(x, x, by); }

  /// Lanes in groups of `count`, each turned round.
  template <int count> TUTTI_INLINE static Lanes turned(Lanes x) {
    if constexpr (count == 2) return _mm512_shuffle_epi32(x, _MM_PERM_CDAB);
    if constexpr (count == 4) return _mm512_shuffle_epi32(x, _MM_PERM_ABCD);
    if constexpr (count == 8)
      return _mm512_permutexvar_epi32(_mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8), x);
    if constexpr (count == 16)
      return _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), x);
  }
  /// Lanes that are `distance` apart have changed places.
  template <int distance> TUTTI_INLINE static Lanes swapped(Lanes x) {
    if constexpr (distance == 1) return _mm512_shuffle_epi32(x, _MM_PERM_CDAB);
    if constexpr (distance == 2) return _mm512_shuffle_epi32(x, _MM_PERM_BADC);
    if constexpr (distance == 4) return _mm512_shuffle_i32x4(x, x, 0xb1);
    if constexpr (distance == 8) return _mm512_shuffle_i32x4(x, x, 0x4e);
  }
};

template <> struct WordVector<std::uint64_t> {
  using Word = std::uint64_t;
  using Mask = __mmask8;
  static constexpr int lanes = 8;

  TUTTI_INLINE static Lanes all(Word w) { return _mm512_set1_epi64(static_cast<long long>(w)); }
  TUTTI_INLINE static Lanes load(const Word* from) { return _mm512_loadu_si512(from); }
  TUTTI_INLINE static Lanes load(const Word* from, Mask m) { return _mm512_mask_loadu_epi64(all(~Word{0}), m, from); }
  TUTTI_INLINE static void store(Word* to, Mask m, Lanes x) { _mm512_mask_storeu_epi64(to, m, x); }
  TUTTI_INLINE static Lanes least(Lanes x, Lanes y) { return _mm512_min_epu64(x, y); }
  TUTTI_INLINE static Lanes most(Lanes x, Lanes y) { return _mm512_max_epu64(x, y); }
  TUTTI_INLINE static Lanes most(Lanes less, Mask m, Lanes x, Lanes y) { return _mm512_mask_max_epu64(less, m, x, y); }
  TUTTI_INLINE static Lanes least(Lanes more, Mask m, Lanes x, Lanes y) { return _mm512_mask_min_epu64(more, m, x, y); }
  TUTTI_INLINE static Mask less(Lanes x, Lanes y) { return _mm512_cmplt_epu64_mask(x, y); }
  TUTTI_INLINE static Mask differ(Lanes x, Lanes y) { return _mm512_cmpneq_epu64_mask(x, y); }
  TUTTI_INLINE static Lanes packed(Mask m, Lanes x) { return _mm512_maskz_compress_epi64(m, x); }
  TUTTI_INLINE static Lanes one_more(Lanes x, Mask m) { return _mm512_mask_sub_epi64(x, m, x, _mm512_set1_epi64(-1)); }
  TUTTI_INLINE static std::int64_t sum(Lanes x) { return _mm512_reduce_add_epi64(x); }
  TUTTI_INLINE static Word first(Lanes x) { return static_cast<Word>(_mm_cvtsi128_si64(_mm512_castsi512_si128(x))); }
  template <int by> TUTTI_INLINE static Lanes rotated(Lanes x) { return _mm512_alignr_epi64(x, x, by); }

  template <int count> TUTTI_INLINE static Lanes turned(Lanes x) {
    if constexpr (count == 2) return _mm512_shuffle_epi32(x, _MM_PERM_BADC);
    if constexpr (count == 4) return _mm512_permutex_epi64(x, 0x1b);
    if constexpr (count == 8) return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), x);
  }
  template <int distance> TUTTI_INLINE static Lanes swapped(Lanes x) {
    if constexpr (distance == 1) return _mm512_shuffle_epi32(x, _MM_PERM_BADC);
    if constexpr (distance == 2) return _mm512_shuffle_i32x4(x, x, 0xb1);
    if constexpr (distance == 4) return _mm512_shuffle_i32x4(x, x, 0x4e);
  }
};

/// The lanes before `n`: all from a vector's length on, none below 1.
template <class Word> TUTTI_INLINE typename WordVector<Word>::Mask lanes_before(std::int64_t n) {
  return static_cast<typename WordVector<Word>::Mask>(
      _bzhi_u32(~0u, static_cast<unsigned>(std::clamp<std::int64_t>(n, 0, WordVector<Word>::lanes))));
}
template <class Mask> TUTTI_INLINE std::int64_t count_of(Mask m) { return std::popcount(m); }

/// Lanes in the upper half of each group of `count`.
template <class Word> constexpr auto upper_half(int count) {
  unsigned out = 0;
  for (int i = 0; i < WordVector<Word>::lanes; ++i) out |= i % count >= count / 2 ? 1u << i : 0u;
  return static_cast<typename WordVector<Word>::Mask>(out);
}

template <class Word> TUTTI_INLINE void put_in_order(Lanes& x, Lanes& y) {
  const Lanes less = WordVector<Word>::least(x, y);
  y = WordVector<Word>::most(x, y);
  x = less;
}

/// The comparisons of Batcher's network (odd-even) for `n` columns, n a power of two.
template <int n> struct OddEven {
  static constexpr int most = 63;
  int count = 0;
  std::array<std::pair<int, int>, most> pairs{};

  constexpr OddEven() {
    for (int p = 1; p < n; p *= 2)
      for (int k = p; k >= 1; k /= 2)
        for (int j = k % p; j + k < n; j += 2 * k)
          for (int i = 0; i < std::min(k, n - j - k); ++i)
            if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) pairs[count++] = {i + j, i + j + k};
  }
};
template <int n> inline constexpr OddEven<n> kOddEven;

template <class Word, int rows, std::size_t... i>
TUTTI_INLINE void sort_columns(Lanes (&v)[rows], std::index_sequence<i...>) {
  (put_in_order<Word>(v[kOddEven<rows>.pairs[i].first], v[kOddEven<rows>.pairs[i].second]), ...);
}

/// Levels of distances among columns from `distance` on down: each lane with one `distance` away.
template <class Word, int distance, int rows> TUTTI_INLINE void join_lanes(Lanes (&v)[rows]) {
  using W = WordVector<Word>;
  if constexpr (distance > 0) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Lanes other = W::template swapped<distance>(v[i]);
      v[i] = W::most(W::least(v[i], other), upper_half<Word>(2 * distance), v[i], other);
    }
    join_lanes<Word, distance / 2>(v);
  }
}

/// Groups of `columns` become sorted, whose halves are: a column's numbers come before the next one's.
template <class Word, int columns, int rows> TUTTI_INLINE void join_columns(Lanes (&v)[rows]) {
  using W = WordVector<Word>;
  if constexpr (columns <= W::lanes) {
    constexpr auto upper = upper_half<Word>(columns);
#pragma GCC unroll 8
    for (int i = 0; i < rows / 2; ++i) {
      const Lanes x = v[i], y = W::template turned<columns>(v[rows - 1 - i]);
      const Lanes less = W::least(x, y), more = W::most(x, y);
      v[i] = W::most(less, upper, x, y);
      v[rows - 1 - i] = W::template turned<columns>(W::least(more, upper, x, y));
    }
    join_lanes<Word, columns / 4>(v);
#pragma GCC unroll 4
    for (int distance = rows / 2; distance > 0; distance /= 2)
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i)
        if (!(i & distance)) put_in_order<Word>(v[i], v[i + distance]);
    join_columns<Word, 2 * columns>(v);
  }
}

/// 4 x 4 blocks of 128 bits turned: block k of vector j becomes block j of vector k.
TUTTI_INLINE void turn_blocks(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  const Lanes ab_low = _mm512_shuffle_i32x4(a, b, 0x44), ab_high = _mm512_shuffle_i32x4(a, b, 0xee);
  const Lanes cd_low = _mm512_shuffle_i32x4(c, d, 0x44), cd_high = _mm512_shuffle_i32x4(c, d, 0xee);
  a = _mm512_shuffle_i32x4(ab_low, cd_low, 0x88);
  b = _mm512_shuffle_i32x4(ab_low, cd_low, 0xdd);
  c = _mm512_shuffle_i32x4(ab_high, cd_high, 0x88);
  d = _mm512_shuffle_i32x4(ab_high, cd_high, 0xdd);
}

/// Columns one behind the other.
template <int rows> TUTTI_INLINE void columns_in_turn(std::uint32_t, Lanes (&v)[rows]) {
  // Block k of vector 4 g + j: rows 4 g to 4 g + 3 of column 4 k + j.
#pragma GCC unroll 4
  for (int g = 0; g < rows; g += 4) {
    const Lanes a = _mm512_unpacklo_epi32(v[g], v[g + 1]), b = _mm512_unpackhi_epi32(v[g], v[g + 1]);
    const Lanes c = _mm512_unpacklo_epi32(v[g + 2], v[g + 3]), d = _mm512_unpackhi_epi32(v[g + 2], v[g + 3]);
    v[g] = _mm512_unpacklo_epi64(a, c);
    v[g + 1] = _mm512_unpackhi_epi64(a, c);
    v[g + 2] = _mm512_unpacklo_epi64(b, d);
    v[g + 3] = _mm512_unpackhi_epi64(b, d);
  }
  // The blocks of one column come from rows / 4 vectors; a vector holds 16 / rows columns.
  constexpr int groups = rows / 4, columns = 4 / groups;
  Lanes out[rows];
#pragma GCC unroll 4
  for (int first = 0; first < 4; first += columns) {
    Lanes b[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) b[i] = v[i % groups * 4 + first + i / groups];
    turn_blocks(b[0], b[1], b[2], b[3]);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) out[k * groups + first / columns] = b[k];
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) v[i] = out[i];
}
template <int rows> TUTTI_INLINE void columns_in_turn(std::uint64_t, Lanes (&v)[rows]) {
  // Block k of vector 2 g + j: rows 2 g and 2 g + 1 of column 2 k + j.
#pragma GCC unroll 8
  for (int g = 0; g < rows; g += 2) {
    const Lanes a = _mm512_unpacklo_epi64(v[g], v[g + 1]);
    v[g + 1] = _mm512_unpackhi_epi64(v[g], v[g + 1]);
    v[g] = a;
  }
  // Four blocks are half a column (of 16 rows), or a whole one (of 8).
  constexpr int groups = rows / 8;
  Lanes out[rows];
#pragma GCC unroll 2
  for (int j = 0; j < 2; ++j)
#pragma GCC unroll 2
    for (int h = 0; h < groups; ++h) {
      Lanes b[4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) b[i] = v[8 * h + 2 * i + j];
      turn_blocks(b[0], b[1], b[2], b[3]);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) out[(2 * k + j) * groups + h] = b[k];
    }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) v[i] = out[i];
}

template <class Word, int rows> TUTTI_INLINE void sort_vectors(Lanes (&v)[rows]) {
  sort_columns<Word>(v, std::make_index_sequence<kOddEven<rows>.count>());
  join_columns<Word, 2>(v);
  columns_in_turn(Word{}, v);
}

/// Up to as many words as `rows` vectors hold.
template <class Word, int rows>
[[gnu::target("arch=x86-64-v4")]] void sort_block(const Word* in, std::int64_t n, Word* out) {
  using W = WordVector<Word>;
  Lanes v[rows];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) v[i] = W::load(in + i * W::lanes, lanes_before<Word>(n - i * W::lanes));
  sort_vectors<Word>(v);
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) W::store(out + i * W::lanes, lanes_before<Word>(n - i * W::lanes), v[i]);
}

}  // namespace tutti::kernels::words
#undef TUTTI_INLINE
#endif
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
