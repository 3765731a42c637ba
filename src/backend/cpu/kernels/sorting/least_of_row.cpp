#include "backend/cpu/kernels/sorting/least_of_row.hpp"

#include <algorithm>

#include "lane/side_by_side.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tutti::kernels {
namespace {

// Columns: as many words are read at a time. So many words may pass, and are sorted as others are.
constexpr std::int64_t kRowColumns = 64, kMostKept = kRowColumns / 2, kMostPassed = 256, kRowLanes = 16;

#if TUTTI_X86
/// The word of rank `kept`, from 1, among the least words of the columns. `n`: a multiple of them.
[[gnu::target("arch=x86-64-v4")]] std::uint32_t bound_of(const std::uint32_t* words, std::int64_t n,
                                                         std::int64_t kept) {
  __m512i least[4];
  for (int c = 0; c < 4; ++c) least[c] = _mm512_loadu_si512(words + kRowLanes * c);
  for (std::int64_t i = kRowColumns; i < n; i += kRowColumns)
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) least[c] = _mm512_min_epu32(least[c], _mm512_loadu_si512(words + i + kRowLanes * c));
  if (2 * kept > kRowLanes) {
    alignas(64) std::uint32_t all[kRowColumns];
    for (int c = 0; c < 4; ++c) _mm512_store_si512(all + kRowLanes * c, least[c]);
    std::nth_element(all, all + kept - 1, all + kRowColumns);
    return all[kept - 1];
  }
  const __m512i columns = _mm512_min_epu32(_mm512_min_epu32(least[0], least[1]), _mm512_min_epu32(least[2], least[3]));
  const __m512i one = _mm512_set1_epi32(1);
  __m512i smaller = _mm512_setzero_si512(), other = columns;  // how many are smaller than each
  for (int r = 1; r < kRowLanes; ++r) {
    other = _mm512_alignr_epi32(other, other, 1);
    smaller = _mm512_mask_add_epi32(smaller, _mm512_cmplt_epu32_mask(other, columns), smaller, one);
  }
  const __mmask16 below = _mm512_cmplt_epi32_mask(smaller, _mm512_set1_epi32(static_cast<int>(kept)));
  return _mm512_mask_reduce_max_epu32(below, columns);
}

/// Words up to `bound` and their places, in order; returns how many, or more than kMostPassed. `n`: as above.
[[gnu::target("arch=x86-64-v4")]] std::int64_t pass(const std::uint32_t* words, std::int64_t n, std::uint32_t bound,
                                                    std::uint32_t* passed, std::uint32_t* places) {
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(bound));
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  std::int64_t count = 0;
  // Few vectors have such words: a list of them has one branch that cannot be foreseen, its end.
  constexpr std::int64_t kMasks = 32;
  for (std::int64_t first = 0; first < n && count <= kMostPassed; first += kMasks * kRowLanes) {
    alignas(64) __mmask16 in[kMasks] = {};
    const std::int64_t vectors = std::min(kMasks, (n - first) / kRowLanes);
    for (std::int64_t v = 0; v < vectors; v += 4)
#pragma GCC unroll 4
      for (std::int64_t k = v; k < v + 4; ++k)
        in[k] = _mm512_cmple_epu32_mask(_mm512_loadu_si512(words + first + k * kRowLanes), limit);
    const __m512i all = _mm512_load_si512(in);
    for (std::uint32_t some = _mm512_test_epi16_mask(all, all); some && count <= kMostPassed; some &= some - 1) {
      const int v = __builtin_ctz(some);
      const std::int64_t i = first + v * kRowLanes;
      // Compressed in a register: to memory takes tens of times as long on some processors.
      _mm512_storeu_si512(passed + count, _mm512_maskz_compress_epi32(in[v], _mm512_loadu_si512(words + i)));
      _mm512_storeu_si512(places + count, _mm512_maskz_compress_epi32(
                                              in[v], _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(i)))));
      count += __builtin_popcount(in[v]);
    }
  }
  return count;
}

/// to[k] is the word of rank k, for the first `kept`; no two are equal. Behind the words there is room for seven.
[[gnu::target("arch=x86-64-v4")]] void rank(std::uint64_t* words, std::int64_t count, std::int64_t kept,
                                            std::int32_t* to, std::uint64_t turn) {
  for (std::int64_t i = count; i % 8 != 0; ++i) words[i] = ~std::uint64_t{0};
  for (std::int64_t i = 0; i < count; ++i) {
    const __m512i word = _mm512_set1_epi64(static_cast<long long>(words[i]));
    int before = 0;
    for (std::int64_t j = 0; j < count; j += 8)
      before += __builtin_popcount(_mm512_cmplt_epu64_mask(_mm512_loadu_si512(words + j), word));
    if (before < kept) to[before] = static_cast<std::int32_t>(words[i] ^ turn);
  }
}
#else
// LeastOfRow takes nothing.
std::uint32_t bound_of(const std::uint32_t*, std::int64_t, std::int64_t) { return ~std::uint32_t{0}; }
std::int64_t pass(const std::uint32_t*, std::int64_t, std::uint32_t, std::uint32_t*, std::uint32_t*) { return 0; }
void rank(std::uint64_t*, std::int64_t, std::int64_t, std::int32_t*, std::uint64_t) {}
#endif

}  // namespace

bool LeastOfRow::takes(std::int64_t n, std::int64_t kept) {
  return kept <= kMostKept && n >= 2 * kRowColumns && n < (std::int64_t{1} << 30) && lane::has_avx512();
}

LeastOfRow::LeastOfRow(std::int64_t n, std::int64_t kept)
    : n_((n + kRowColumns - 1) / kRowColumns * kRowColumns),
      kept_(kept),
      words_(static_cast<std::size_t>(n_), ~std::uint32_t{0}),
      passed_(kMostPassed + 2 * kRowLanes),
      places_(passed_),
      pairs_(passed_.size()),
      positions_(static_cast<std::size_t>(kept)) {}

const std::int32_t* LeastOfRow::least(bool backwards) {
  const std::uint32_t bound = bound_of(words_.data(), n_, kept_);
  const std::int64_t count = pass(words_.data(), n_, bound, passed_.data(), places_.data());
  if (count > kMostPassed || bound == ~std::uint32_t{0}) return nullptr;  // that may be what fills the last columns
  const std::uint64_t turn = backwards ? 0xffffffff : 0;
  for (std::int64_t i = 0; i < count; ++i) pairs_[i] = std::uint64_t{passed_[i]} << 32 | (places_[i] ^ turn);
  rank(pairs_.data(), count, kept_, positions_.data(), turn);
  return positions_.data();
}

}  // namespace tutti::kernels
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
