// The network is bitonic (K. E. Batcher, Sorting networks and their applications, 1968), in the form in which every
// comparison puts the smaller word to the front: sorted blocks are joined by comparing the first half with the second
// turned round. Several levels are done with sixteen vectors in registers.
#include "ops/reduction/lane_sort.hpp"

#include <algorithm>
#include <bit>

#include "lane/side_by_side.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace tutti::ops {
namespace {

constexpr std::int64_t kLongestNetwork = 4096, kShortestNetwork = 8, kSortBlock = 16;

using Words = __m512i;

[[gnu::target("avx512f"), gnu::always_inline]] inline void compare(Words& x, Words& y) {
  const Words less = _mm512_min_epu64(x, y);
  y = _mm512_max_epu64(x, y);
  x = less;
}

/// Levels of distances count / 2, ..., 1 among the vectors.
template <int count> [[gnu::target("avx512f"), gnu::always_inline]] inline void merge(Words* v) {
#pragma GCC unroll 4
  for (int distance = count / 2; distance > 0; distance /= 2)
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i)
      if (!(i & distance)) compare(v[i], v[i + distance]);
}

/// Blocks of sixteen sorted.
[[gnu::target("avx512f")]] void sort_blocks(Words* w, std::int64_t n) {
  for (std::int64_t first = 0; first < n; first += kSortBlock) {
    Words v[kSortBlock];
#pragma GCC unroll 16
    for (int i = 0; i < kSortBlock; ++i) v[i] = w[first + i];
#pragma GCC unroll 4
    for (int size = 2; size <= kSortBlock; size *= 2) {
#pragma GCC unroll 16
      for (int i = 0; i < kSortBlock; ++i)
        if (!(i & (size / 2))) compare(v[i], v[i ^ (size - 1)]);
#pragma GCC unroll 4
      for (int distance = size / 4; distance > 0; distance /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < kSortBlock; ++i)
          if (!(i & distance)) compare(v[i], v[i + distance]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kSortBlock; ++i) w[first + i] = v[i];
  }
}

/// The first three levels of joining sorted halves of `size` vectors, 32 or more.
[[gnu::target("avx512f")]] void join(Words* w, std::int64_t n, std::int64_t size) {
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
      for (int t = 0; t < 4; ++t) compare(v[t], back[t]);
#pragma GCC unroll 8
      for (int t = 4; t < 8; ++t) compare(back[t], v[t]);
      merge<4>(v);
      merge<4>(v + 4);
      Words other[8];
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t) other[t] = back[7 - t];
      merge<4>(other);
      merge<4>(other + 4);
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t) low[t * step] = v[t];
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t) high[-t * step] = other[7 - t];
    }
}

/// Levels of distances from count / 2 times `step` on down to `step`.
template <int count> [[gnu::target("avx512f")]] void levels(Words* w, std::int64_t n, std::int64_t step) {
  for (Words* first = w; first < w + n; first += count * step)
    for (Words* at = first; at < first + step; ++at) {
      Words v[count];
#pragma GCC unroll 16
      for (int i = 0; i < count; ++i) v[i] = at[i * step];
      merge<count>(v);
#pragma GCC unroll 16
      for (int i = 0; i < count; ++i) at[i * step] = v[i];
    }
}

[[gnu::target("avx512f")]] void sort_network(Words* w, std::int64_t n) {
  sort_blocks(w, n);
  for (std::int64_t size = 2 * kSortBlock; size <= n; size *= 2) {
    join(w, n, size);
    for (std::int64_t rest = size / 8; rest > 1;) {  // blocks that are still to be done, each among itself
      const int count = rest >= 16 && rest != 32 ? 16 : rest >= 8 ? 8 : static_cast<int>(rest);
      rest /= count;
      if (count == 16) levels<16>(w, n, rest);
      if (count == 8) levels<8>(w, n, rest);
      if (count == 4) levels<4>(w, n, rest);
      if (count == 2) levels<2>(w, n, rest);
    }
  }
}

}  // namespace

bool LaneSort::takes(std::int64_t n) { return n >= kShortestNetwork && n <= kLongestNetwork && lane::has_avx512(); }

LaneSort::LaneSort(std::int64_t n)
    : n_(n),
      network_(std::max(kSortBlock, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n))))),
      words_(static_cast<std::size_t>(rows * n)),
      positions_(static_cast<std::size_t>(rows * n)),
      pairs_(std::make_unique_for_overwrite<Vector[]>(static_cast<std::size_t>(2 * network_ + n))) {}

[[gnu::target("arch=x86-64-v4")]] const std::int32_t* LaneSort::sorted(std::int64_t count) {
  auto* low = reinterpret_cast<Words*>(pairs_.get());
  Words *high = low + network_, *turned = high + network_;
  lane::load_rows(reinterpret_cast<const std::int32_t*>(words_.data()), count, n_,
                  reinterpret_cast<lane::Side<std::int32_t>::V*>(turned));
  for (std::int64_t i = 0; i < n_; ++i) {
    const Words place = _mm512_set1_epi64(i);
    auto pair = [&](__m256i words) __attribute__((target("arch=x86-64-v4"))) {
      return _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(words), 32), place);
    };
    low[i] = pair(_mm512_castsi512_si256(turned[i]));
    high[i] = pair(_mm512_extracti64x4_epi64(turned[i], 1));
  }
  const bool both = count > rows / 2;
  for (std::int64_t i = n_; i < network_; ++i) low[i] = high[i] = _mm512_set1_epi64(-1);
  sort_network(low, network_);
  if (both) sort_network(high, network_);
  for (std::int64_t i = 0; i < n_; ++i)
    turned[i] =
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low[i])), _mm512_cvtepi64_epi32(high[i]), 1);
  lane::store_rows(reinterpret_cast<const lane::Side<std::int32_t>::V*>(turned), count, n_, positions_.data());
  return positions_.data();
}

}  // namespace tutti::ops
#pragma GCC diagnostic pop
