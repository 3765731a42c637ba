// Rows that memory bounds: read once, write once, ask ahead for what the processor cannot foresee.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <limits>

#include "by_hand.hpp"

#include "../src/lane/begin_avx512.inc"

namespace bench {
namespace {

Case cumulative_sum() {
  return by_hand("cumsum_16M", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 1 << 24, chunk = 1 << 15;
    const Array given = s.normal({n}, P());
    const Block<float> x = block<float>(given), to[2] = {block<float>(n), block<float>(n)};
    auto once = [=](int k) {
      // Chunk by chunk: its sum, then what stood before it handed on, then the chunk again from the cache.
      struct alignas(64) Prefix {
        std::atomic<std::int64_t> chunks = 0;
        float sum = 0;
      };
      auto prefix = std::make_shared<Prefix>();
      on_all_threads([&](int thread) {
        for (std::int64_t c = thread; c < n / chunk; c += threads()) {
          const float* from = x.get() + c * chunk;
          __m512 sums[4] = {};
          for (std::int64_t i = 0; i < chunk; i += 64)
            for (int v = 0; v < 4; ++v) sums[v] = _mm512_add_ps(sums[v], _mm512_load_ps(from + i + 16 * v));
          const float mine =
              _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
          while (prefix->chunks.load(std::memory_order_acquire) != c) _mm_pause();
          float before = prefix->sum;
          prefix->sum = before + mine;
          prefix->chunks.store(c + 1, std::memory_order_release);
          __m512 carry = _mm512_set1_ps(before);
          const __m512i last = _mm512_set1_epi32(15);
          const __m512 zero = _mm512_setzero_ps();
          auto shifted = [&]<int by>(__m512 y, std::integral_constant<int, by>) {
            return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(y), _mm512_castps_si512(zero), 16 - by));
          };
          for (std::int64_t i = 0; i < chunk; i += 16) {
            __m512 y = _mm512_load_ps(from + i);
            y = _mm512_add_ps(y, shifted(y, std::integral_constant<int, 1>()));
            y = _mm512_add_ps(y, shifted(y, std::integral_constant<int, 2>()));
            y = _mm512_add_ps(y, shifted(y, std::integral_constant<int, 4>()));
            y = _mm512_add_ps(y, shifted(y, std::integral_constant<int, 8>()));
            y = _mm512_add_ps(y, carry);
            _mm512_stream_ps(to[k].get() + c * chunk + i, y);
            carry = _mm512_permutexvar_ps(last, y);
          }
        }
        _mm_sfence();
      });
    };
    once(0);
    check_same("cumsum_16M", {to[0].get(), static_cast<std::size_t>(n)}, cumsum(given), 1e-3);
    return once;
  });
}

Case gather() {
  return by_hand("gather_rows_1M_64", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 1 << 20, rows = 1 << 18, columns = 64, ahead = 16;
    const Array table = s.normal({rows, columns}, P()), at = random::randint(random::key(1), {n}, 0, rows);
    const Block<float> t = block<float>(table), to[2] = {block<float>(n * columns), block<float>(n * columns)};
    const Block<std::int32_t> index = block<std::int32_t>(at);
    auto once = [=](int k) {
      on_all_threads([&](int thread) {
        const Range r = share(n, thread);
        for (std::int64_t i = r.first; i < r.last; ++i) {
          const char* next = reinterpret_cast<const char*>(t.get() + columns * index[std::min(i + ahead, n - 1)]);
          const float* from = t.get() + columns * index[i];
          for (int v = 0; v < 4; ++v) {
            _mm_prefetch(next + 64 * v, _MM_HINT_T0);
            _mm512_stream_ps(to[k].get() + i * columns + 16 * v, _mm512_load_ps(from + 16 * v));
          }
        }
        _mm_sfence();
      });
    };
    once(0);
    check_same("gather_rows_1M_64", {to[0].get(), static_cast<std::size_t>(n * columns)}, take(table, at, 0), 0);
    return once;
  });
}

Case positive_sum() {
  return by_hand("boolean_where_sum_16M", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 1 << 24;
    const Array given = s.normal({n}, P());
    const Block<float> x = block<float>(given), to = block<float>(16 * threads());
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        const Range r = share(n / 128, thread);
        __m512 sums[8] = {};
        for (std::int64_t i = r.first; i < r.last; ++i)
#pragma GCC unroll 8
          for (int v = 0; v < 8; ++v)
            sums[v] =
                _mm512_add_ps(sums[v], _mm512_max_ps(_mm512_load_ps(x.get() + i * 128 + 16 * v), _mm512_setzero_ps()));
        for (int v = 1; v < 8; ++v) sums[0] = _mm512_add_ps(sums[0], sums[v]);
        to[16 * thread] = _mm512_reduce_add_ps(sums[0]);
      });
      for (int t = 1; t < threads(); ++t) to[0] += to[16 * t];
    };
    once(0);
    check_same("boolean_where_sum_16M", {to.get(), 1}, sum(where(given > 0, given, 0)), 1e-4);
    return once;
  });
}

Case largest_place() {
  return by_hand("argmax_rows_4096", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 4096;
    const Array given = s.normal({n, n}, P());
    const Block<float> x = block<float>(given), to = block<float>(n);
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        const Range r = share(n, thread);
        for (std::int64_t i = r.first; i < r.last; ++i) {
          const float* row = x.get() + i * n;
          __m512 most[8];
          for (__m512& m : most) m = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
          for (std::int64_t j = 0; j < n; j += 128)
#pragma GCC unroll 8
            for (int v = 0; v < 8; ++v) most[v] = _mm512_max_ps(most[v], _mm512_load_ps(row + j + 16 * v));
          for (int v = 1; v < 8; ++v) most[0] = _mm512_max_ps(most[0], most[v]);
          const __m512 best = _mm512_set1_ps(_mm512_reduce_max_ps(most[0]));
          for (std::int64_t j = 0; j < n; j += 16) {
            _mm_prefetch(reinterpret_cast<const char*>(row + n + j), _MM_HINT_T0);
            if (const __mmask16 here = _mm512_cmp_ps_mask(_mm512_load_ps(row + j), best, _CMP_EQ_OQ)) {
              to[i] = static_cast<float>(j + __builtin_ctz(here));
              break;
            }
          }
        }
      });
    };
    once(0);
    check_same("argmax_rows_4096", {to.get(), static_cast<std::size_t>(n)}, argmax(given, -1), 0);
    return once;
  });
}

Case bytes_sum() {
  return by_hand("int8_sum_64M", [](const Setup&) -> std::function<void(int)> {
    const std::int64_t n = 1 << 26;
    const Block<std::int8_t> x = block<std::int8_t>(ones({n}, int8));
    const Block<float> to = block<float>(16 * threads());
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        const Range r = share(n / 256, thread);
        const __m512i flip = _mm512_set1_epi8(-128);
        __m512i sums[4] = {};
        for (std::int64_t i = r.first; i < r.last; ++i)
#pragma GCC unroll 4
          for (int v = 0; v < 4; ++v)
            sums[v] = _mm512_add_epi64(
                sums[v], _mm512_sad_epu8(_mm512_xor_si512(_mm512_load_si512(x.get() + i * 256 + 64 * v), flip),
                                         _mm512_setzero_si512()));
        for (int v = 1; v < 4; ++v) sums[0] = _mm512_add_epi64(sums[0], sums[v]);
        to[16 * thread] = static_cast<float>(_mm512_reduce_add_epi64(sums[0]) - 128 * 256 * (r.last - r.first));
      });
      for (int t = 1; t < threads(); ++t) to[0] += to[16 * t];
    };
    once(0);
    check_same("int8_sum_64M", {to.get(), 1}, Array(static_cast<float>(n)), 0);
    return once;
  });
}

}  // namespace

std::vector<Case> memory_by_hand() {
  return {cumulative_sum(), gather(), positive_sum(), largest_place(), bytes_sum()};
}

}  // namespace bench

#include "../src/lane/end_target.inc"

// SPDX-License-Identifier: Apache-2.0
