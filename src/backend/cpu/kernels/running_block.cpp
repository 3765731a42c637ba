#include "backend/cpu/kernels/running_block.hpp"

#include "base/stream.hpp"
#include "lane/side_by_side.hpp"
#include "lane/vectors.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tutti::kernels {
namespace {

constexpr int kEight = 8;

// Sixteen sums, then their halves, quarters, ...
template <int bytes> [[gnu::always_inline]] inline double total_in_lanes(const float* x) {
  constexpr int count = bytes / 8;
  using H = lane::vectors::Halves<bytes>;
  constexpr int vectors = 2 * kEight / count;
  typename H::Doubles sums[vectors] = {};
  for (std::int64_t i = 0; i < RunningBlock::size; i += 2 * kEight)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v)
      sums[v] += lane::vectors::converted<typename H::Doubles>(
          *reinterpret_cast<const typename H::Floats*>(x + i + v * count));
  double all[2 * kEight];
  for (int v = 0; v < vectors; ++v) __builtin_memcpy(all + v * count, &sums[v], bytes);
  for (int half = kEight; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) all[k] += all[k + half];
  return all[0];
}
double total_plain(const float* x) { return total_in_lanes<16>(x); }
#if TUTTI_X86
[[gnu::target("avx2")]] double total_avx2(const float* x) { return total_in_lanes<32>(x); }
[[gnu::target("avx512f")]] double total_avx512(const float* x) { return total_in_lanes<64>(x); }
#endif

// Of eight numbers each has what is one before it added, then two, then four before it; then what is before all. What
// is before the next eight waits for one addition alone: that of their total.
[[gnu::always_inline]] inline void sums_in_fours(const float* x, double before, bool past, float* out) {
  typedef float Narrow __attribute__((vector_size(16))) __attribute__((aligned(4)));
  typedef double Four __attribute__((vector_size(32)));
  const Four none{};
  Four so_far = none + before;
  for (std::int64_t i = 0; i < RunningBlock::size; i += kEight) {
    Four low = __builtin_convertvector(*reinterpret_cast<const Narrow*>(x + i), Four),
         high = __builtin_convertvector(*reinterpret_cast<const Narrow*>(x + i + 4), Four);
    Four up = __builtin_shufflevector(low, high, 3, 4, 5, 6);
    low += __builtin_shufflevector(none, low, 0, 4, 5, 6);
    high += up;
    up = __builtin_shufflevector(low, high, 2, 3, 4, 5);
    low += __builtin_shufflevector(none, low, 0, 1, 4, 5);
    high += up;
    high += low;
    const Four next = so_far + __builtin_shufflevector(high, high, 3, 3, 3, 3);
    low += so_far;
    high += so_far;
    so_far = next;
    const Narrow first = __builtin_convertvector(low, Narrow), second = __builtin_convertvector(high, Narrow);
#if TUTTI_X86
    if (past) {
      _mm_stream_ps(out + i, first);
      _mm_stream_ps(out + i + 4, second);
      continue;
    }
#else
    (void)past;
#endif
    *reinterpret_cast<Narrow*>(out + i) = first;
    *reinterpret_cast<Narrow*>(out + i + 4) = second;
  }
}
void sums_plain(const float* x, double before, bool past, float* out) { sums_in_fours(x, before, past, out); }
#if TUTTI_X86
[[gnu::target("avx2")]] void sums_avx2(const float* x, double before, bool past, float* out) {
  sums_in_fours(x, before, past, out);
}

#include "lane/begin_avx512.inc"
// The same additions of the same numbers.
template <bool past> void sums_in_eights(const float* x, double before, float* out) {
  const __m512i none = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
  __m512d so_far = _mm512_set1_pd(before);
  auto eight = [&](std::int64_t i) __attribute__((always_inline)) {
    __m512d y = _mm512_cvtps_pd(_mm256_loadu_ps(x + i));
    y = _mm512_add_pd(y, _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(y), none, 7)));
    y = _mm512_add_pd(y, _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(y), none, 6)));
    y = _mm512_add_pd(y, _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(y), none, 4)));
    const __m256 sums = _mm512_cvtpd_ps(_mm512_add_pd(y, so_far));
    so_far = _mm512_add_pd(so_far, _mm512_permutexvar_pd(last, y));
    return sums;
  };
  for (std::int64_t i = 0; i < RunningBlock::size; i += 2 * kEight) {
    const __m256 first = eight(i), second = eight(i + kEight);
    if constexpr (past) {
      _mm256_stream_ps(out + i, first);
      _mm256_stream_ps(out + i + kEight, second);
    } else {
      _mm256_storeu_ps(out + i, first);
      _mm256_storeu_ps(out + i + kEight, second);
    }
  }
}
void sums_avx512(const float* x, double before, bool past, float* out) {
  past ? sums_in_eights<true>(x, before, out) : sums_in_eights<false>(x, before, out);
}
#include "lane/end_target.inc"
#endif

}  // namespace

#if TUTTI_X86
double RunningBlock::total(const float* x) {
  static const auto best = __builtin_cpu_supports("avx512f") ? total_avx512
                           : __builtin_cpu_supports("avx2")  ? total_avx2
                                                             : total_plain;
  return best(x);
}

void RunningBlock::sums(const float* x, double before, bool past, float* out) {
  static const auto best = lane::has_avx512() ? sums_avx512 : __builtin_cpu_supports("avx2") ? sums_avx2 : sums_plain;
  best(x, before, past, out);
}
#else
double RunningBlock::total(const float* x) { return total_plain(x); }
void RunningBlock::sums(const float* x, double before, bool past, float* out) { sums_plain(x, before, past, out); }
#endif

}  // namespace tutti::kernels
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
