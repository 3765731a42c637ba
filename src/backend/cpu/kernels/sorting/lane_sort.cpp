// The network is bitonic (K. E. Batcher, Sorting networks and their applications, 1968), in the form in which every
// comparison puts the smaller word to the front: sorted blocks are joined by comparing the first half with the second
// turned round. Several levels are done with sixteen vectors in registers.
#include "backend/cpu/kernels/sorting/lane_sort.hpp"

#include <algorithm>
#include <bit>

#include "lane/side_by_side.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tutti::kernels {
namespace {

constexpr std::int64_t kLongestNetwork = 4096, kShortestNetwork = 8, kSortBlock = 16;
constexpr std::int64_t kLongestShort = 1024;  // longer rows have too many neighbours alike

#if TUTTI_X86
using Words = __m512i;
using Loaded =
    lane::Side<std::int32_t>::V;  // as rows are loaded, and read once: GCC takes other types for other memory

/// Word: what a lane of `Words` holds.
template <class Word> [[gnu::target("avx512f"), gnu::always_inline]] inline void compare(Words& x, Words& y) {
  Words less;
  if constexpr (sizeof(Word) == 8) {
    less = _mm512_min_epu64(x, y);
    y = _mm512_max_epu64(x, y);
  } else {
    less = _mm512_min_epu32(x, y);
    y = _mm512_max_epu32(x, y);
  }
  x = less;
}

/// Levels of distances count / 2, ..., 1 among the vectors.
template <class Word, int count> [[gnu::target("avx512f"), gnu::always_inline]] inline void merge(Words* v) {
#pragma GCC unroll 4
  for (int distance = count / 2; distance > 0; distance /= 2)
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i)
      if (!(i & distance)) compare<Word>(v[i], v[i + distance]);
}

/// Joins the sorted halves of each group of `size` among sixteen vectors. A template: GCC 14 unrolls a loop over the
/// sizes once too often, and warns.
template <class Word, int size> [[gnu::target("avx512f"), gnu::always_inline]] inline void join_halves(Words* v) {
#pragma GCC unroll 16
  for (int i = 0; i < kSortBlock; ++i)
    if (!(i & (size / 2))) compare<Word>(v[i], v[i ^ (size - 1)]);
#pragma GCC unroll 4
  for (int distance = size / 4; distance > 0; distance /= 2)
#pragma GCC unroll 16
    for (int i = 0; i < kSortBlock; ++i)
      if (!(i & distance)) compare<Word>(v[i], v[i + distance]);
}

/// Blocks of sixteen sorted.
template <class Word> [[gnu::target("avx512f")]] void sort_blocks(Words* w, std::int64_t n) {
  for (std::int64_t first = 0; first < n; first += kSortBlock) {
    Words v[kSortBlock];
#pragma GCC unroll 16
    for (int i = 0; i < kSortBlock; ++i) v[i] = w[first + i];
    join_halves<Word, 2>(v);
    join_halves<Word, 4>(v);
    join_halves<Word, 8>(v);
    join_halves<Word, kSortBlock>(v);
#pragma GCC unroll 16
    for (int i = 0; i < kSortBlock; ++i) w[first + i] = v[i];
  }
}

/// The first three levels of joining sorted halves of `size` vectors, 32 or more.
template <class Word> [[gnu::target("avx512f")]] void join(Words* w, std::int64_t n, std::int64_t size) {
  const std::int64_t step = size / 8;
  for (Words* first = w; first < w + n; first += size)
    for (std::int64_t p = 0; p < step / 2; ++p) {
      Words v[8], back[8];  // these and those opposite to them, from the last one on
      Words *low = first + p, *high = first + size - 1 - p;
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t) v[t] = low[t * step];
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t) back[t] = high[-t * step];
#pragma GCC unroll 8
      for (int t = 0; t < 4; ++t) compare<Word>(v[t], back[t]);
#pragma GCC unroll 8
      for (int t = 4; t < 8; ++t) compare<Word>(back[t], v[t]);
      merge<Word, 4>(v);
      merge<Word, 4>(v + 4);
      Words other[8];
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t) other[t] = back[7 - t];
      merge<Word, 4>(other);
      merge<Word, 4>(other + 4);
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t) low[t * step] = v[t];
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t) high[-t * step] = other[7 - t];
    }
}

/// Levels of distances from count / 2 times `step` on down to `step`.
template <class Word, int count> [[gnu::target("avx512f")]] void levels(Words* w, std::int64_t n, std::int64_t step) {
  for (Words* first = w; first < w + n; first += count * step)
    for (Words* at = first; at < first + step; ++at) {
      Words v[count];
#pragma GCC unroll 16
      for (int i = 0; i < count; ++i) v[i] = at[i * step];
      merge<Word, count>(v);
#pragma GCC unroll 16
      for (int i = 0; i < count; ++i) at[i * step] = v[i];
    }
}

template <class Word> [[gnu::target("avx512f")]] void sort_network(Words* w, std::int64_t n) {
  sort_blocks<Word>(w, n);
  for (std::int64_t size = 2 * kSortBlock; size <= n; size *= 2) {
    join<Word>(w, n, size);
    for (std::int64_t rest = size / 8; rest > 1;) {  // blocks that are still to be done, each among itself
      const int count = rest >= 16 && rest != 32 ? 16 : rest >= 8 ? 8 : static_cast<int>(rest);
      rest /= count;
      if (count == 16) levels<Word, 16>(w, n, rest);
      if (count == 8) levels<Word, 8>(w, n, rest);
      if (count == 4) levels<Word, 4>(w, n, rest);
      if (count == 2) levels<Word, 2>(w, n, rest);
    }
  }
}
#endif

}  // namespace

bool LaneSort::takes(std::int64_t n) { return n >= kShortestNetwork && n <= kLongestNetwork && lane::has_avx512(); }

LaneSort::LaneSort(std::int64_t n)
    : n_(n),
      network_(std::max(kSortBlock, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n))))),
      words_(static_cast<std::size_t>(rows * n)),
      positions_(static_cast<std::size_t>(rows * n)),
      pairs_(std::make_unique_for_overwrite<Vector[]>(static_cast<std::size_t>(2 * network_ + n))) {}

const std::int32_t* LaneSort::sorted(std::int64_t count) {
  if (!by_short_words(count)) by_pairs(count);
  return positions_.data();
}

#if TUTTI_X86
// A word's first bits, from the first one in which words of its row differ, above its position: half as long as both.
// Where neighbours have these bits in common, the whole words decide afterwards; false where that would be too often.
[[gnu::target("arch=x86-64-v4")]] bool LaneSort::by_short_words(std::int64_t count) {
  if (many_alike_) return false;
  const int place_bits = std::bit_width(static_cast<std::uint64_t>(network_ - 1));
  auto* const w = reinterpret_cast<Words*>(pairs_.get());
  auto* const loaded = reinterpret_cast<Loaded*>(w);
  lane::load_rows(reinterpret_cast<const std::int32_t*>(words_.data()), count, n_, loaded);
  auto word = [loaded](std::int64_t i) __attribute__((target("arch=x86-64-v4"))) {
    return reinterpret_cast<Words>(loaded[i]);
  };
  Words least = word(0), most = least;
  for (std::int64_t i = 1; i < n_; ++i) {
    least = _mm512_min_epu32(least, word(i));
    most = _mm512_max_epu32(most, word(i));
  }
  const Words alike = _mm512_lzcnt_epi32(_mm512_sub_epi32(most, least));
  const bool whole = _mm512_cmplt_epu32_mask(alike, _mm512_set1_epi32(place_bits)) == 0;
  many_alike_ = !whole && network_ > kLongestShort;
  if (many_alike_) return false;
  const Words place = _mm512_set1_epi32((1 << place_bits) - 1);
  for (std::int64_t i = 0; i < n_; ++i)
    w[i] = _mm512_or_si512(_mm512_andnot_si512(place, _mm512_sllv_epi32(_mm512_sub_epi32(word(i), least), alike)),
                           _mm512_set1_epi32(static_cast<int>(i)));
  for (std::int64_t i = n_; i < network_; ++i) w[i] = _mm512_set1_epi32(-1);
  sort_network<std::uint32_t>(w, network_);
  alike_.clear();
  for (std::int64_t i = 1; !whole && i < n_; ++i) {
    const Words differ = _mm512_andnot_si512(place, _mm512_xor_si512(w[i - 1], w[i]));
    unsigned same = _mm512_testn_epi32_mask(differ, differ) & ((1u << count) - 1);
    for (; same; same &= same - 1) alike_.emplace_back(std::countr_zero(same), static_cast<int>(i));
    many_alike_ = static_cast<std::int64_t>(alike_.size()) > std::max(kSortBlock, n_ / 2);
    if (many_alike_) return false;
  }
  for (std::int64_t i = 0; i < n_; ++i) w[i] = _mm512_and_si512(w[i], place);
  lane::store_rows(static_cast<const Loaded*>(loaded), count, n_, positions_.data());
  std::int64_t moves = 8 * n_;
  for (const auto& [row, at] : alike_) {  // from the front on: what is before is in order
    const std::uint32_t* const words = words_.data() + row * n_;
    std::int32_t* const to = positions_.data() + row * n_;
    const std::int32_t position = to[at];
    int k = at;
    for (; k > 0 && words[to[k - 1]] > words[position]; --k) to[k] = to[k - 1];
    to[k] = position;
    moves -= at - k;
    many_alike_ = moves < 0;
    if (many_alike_) return false;
  }
  return true;
}

// Words of twice the length, in two halves of the lanes.
[[gnu::target("arch=x86-64-v4")]] void LaneSort::by_pairs(std::int64_t count) {
  auto* low = reinterpret_cast<Words*>(pairs_.get());
  Words *high = low + network_, *turned = high + network_;
  auto* const loaded = reinterpret_cast<Loaded*>(turned);
  lane::load_rows(reinterpret_cast<const std::int32_t*>(words_.data()), count, n_, loaded);
  for (std::int64_t i = 0; i < n_; ++i) {
    const Words place = _mm512_set1_epi64(i), words_here = reinterpret_cast<Words>(loaded[i]);
    auto pair = [&](__m256i words) __attribute__((target("arch=x86-64-v4"))) {
      return _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(words), 32), place);
    };
    low[i] = pair(_mm512_castsi512_si256(words_here));
    high[i] = pair(_mm512_extracti64x4_epi64(words_here, 1));
  }
  const bool both = count > rows / 2;
  for (std::int64_t i = n_; i < network_; ++i) low[i] = high[i] = _mm512_set1_epi64(-1);
  sort_network<std::uint64_t>(low, network_);
  if (both) sort_network<std::uint64_t>(high, network_);
  for (std::int64_t i = 0; i < n_; ++i)
    turned[i] =
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low[i])), _mm512_cvtepi64_epi32(high[i]), 1);
  lane::store_rows(static_cast<const Loaded*>(loaded), count, n_, positions_.data());
}
#else
bool LaneSort::by_short_words(std::int64_t) { return true; }  // it takes nothing
void LaneSort::by_pairs(std::int64_t) {}
#endif

}  // namespace tutti::kernels
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
