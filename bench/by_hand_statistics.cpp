// Statistics and tables: one read of what is counted, what it is added to in the first-level cache.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <cstring>
#include <limits>

#include "by_hand.hpp"
#include "wide_steps.hpp"

#include "../src/lane/begin_avx512.inc"

namespace bench {
namespace {

std::span<const float> part(const Block<float>& x, std::int64_t n) { return {x.get(), static_cast<std::size_t>(n)}; }
std::vector<float> floats(const Block<std::int32_t>& x, std::int64_t n) { return {x.get(), x.get() + n}; }
__m512 load(const float* p) { return _mm512_loadu_ps(p); }

// Columns are each thread's own. Sums of x - shift and of its square, where shift is about the mean, in one pass; eight
// rows at a visit of the sums.
Case mean_and_variance() {
  return by_hand("var_mean_axis0_4096", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 4096, together = 8, apart = n + 80;  // not on the same lines of the first-level cache
    const Array given = s.normal({n, n}, P());
    const Block<float> x = block<float>(given), space = block<float>(3 * apart), mean_to = block<float>(n),
                       var_to = block<float>(n);
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        const Range r = share(n / 16, thread);
        float *shift = space.get() + 16, *sums = shift + apart, *squares = sums + apart;
        for (std::int64_t j = 16 * r.first; j < 16 * r.last; j += 16) {
          __m512 all = _mm512_setzero_ps();
          for (std::int64_t i = 0; i < 16; ++i) all = _mm512_add_ps(all, load(x.get() + i * n + j));
          _mm512_store_ps(shift + j, _mm512_mul_ps(all, _mm512_set1_ps(1.f / 16)));
          _mm512_store_ps(sums + j, _mm512_setzero_ps());
          _mm512_store_ps(squares + j, _mm512_setzero_ps());
        }
        for (std::int64_t i = 0; i < n; i += together)
          for (std::int64_t j = 16 * r.first; j < 16 * r.last; j += 16) {
            const float* at = x.get() + i * n + j;
            const __m512 by = load(shift + j);
            __m512 sum = load(sums + j), square = load(squares + j);
#pragma GCC unroll 8
            for (std::int64_t k = 0; k < together; ++k) {
              _mm_prefetch(reinterpret_cast<const char*>(at + (k + together) * n), _MM_HINT_T1);
              const __m512 d = _mm512_sub_ps(load(at + k * n), by);
              sum = _mm512_add_ps(sum, d);
              square = _mm512_fmadd_ps(d, d, square);
            }
            _mm512_store_ps(sums + j, sum);
            _mm512_store_ps(squares + j, square);
          }
        const __m512 part_of_n = _mm512_set1_ps(1.f / static_cast<float>(n));
        for (std::int64_t j = 16 * r.first; j < 16 * r.last; j += 16) {
          const __m512 d = _mm512_mul_ps(load(sums + j), part_of_n);
          _mm512_store_ps(mean_to.get() + j, _mm512_add_ps(load(shift + j), d));
          _mm512_store_ps(var_to.get() + j, _mm512_fnmadd_ps(d, d, _mm512_mul_ps(load(squares + j), part_of_n)));
        }
      });
    };
    once(0);
    check_same("var_mean_axis0_4096", part(mean_to, n), mean(given, 0), 1e-4);
    check_same("var_mean_axis0_4096", part(var_to, n), var(given, 0), 1e-5);
    return once;
  });
}

// A table for each thread, added up in the end. Two indices come by one load.
Case histogram_of_integers() {
  return by_hand("histogram_4M_256", [](const Setup&) -> std::function<void(int)> {
    const std::int64_t n = 1 << 22, bins = 256;
    const Array given = random::randint(random::key(1), {n}, 0, static_cast<int>(bins));
    const Block<std::int32_t> ids = block<std::int32_t>(given), tables = block<std::int32_t>(bins * threads());
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        const Range r = share(n / 8, thread);
        std::int32_t* table = tables.get() + thread * bins;
        std::fill_n(table, bins, 0);
        for (std::int64_t i = 8 * r.first; i < 8 * r.last; i += 8) {
          std::uint64_t pairs[4];
          std::memcpy(pairs, ids.get() + i, sizeof pairs);
#pragma GCC unroll 4
          for (std::uint64_t two : pairs) {
            ++table[two & 0xffffffff];
            ++table[two >> 32];
          }
        }
      });
      for (int t = 1; t < threads(); ++t)
        for (std::int64_t b = 0; b < bins; ++b) tables[b] += tables[t * bins + b];
    };
    once(0);
    check_same("histogram_4M_256", floats(tables, bins), bincount(given, {.length = bins}), 0);
    return once;
  });
}

Case sums_of_segments() {
  return by_hand("segment_sum_4M_to_1000", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 1 << 22, segments = 1000, apart = 1024;
    const Array given = s.normal({n}, P()), at = random::randint(random::key(1), {n}, 0, static_cast<int>(segments));
    const Block<float> x = block<float>(given), tables = block<float>(apart * threads());
    const Block<std::int32_t> ids = block<std::int32_t>(at);
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        const Range r = share(n / 8, thread);
        float* table = tables.get() + thread * apart;
        std::fill_n(table, segments, 0.f);
        for (std::int64_t i = 8 * r.first; i < 8 * r.last; i += 8) {
          std::uint64_t pairs[4];
          std::memcpy(pairs, ids.get() + i, sizeof pairs);
#pragma GCC unroll 4
          for (int k = 0; k < 4; ++k) {
            table[pairs[k] & 0xffffffff] += x[i + 2 * k];
            table[pairs[k] >> 32] += x[i + 2 * k + 1];
          }
        }
      });
      for (int t = 1; t < threads(); ++t)
        for (std::int64_t b = 0; b < segments; ++b) tables[b] += tables[t * apart + b];
    };
    once(0);
    check_same("segment_sum_4M_to_1000", part(tables, segments), segment_sum(given, at, {.num_segments = segments}),
               1e-5);
    return once;
  });
}

// Of 4096 sorted numbers: which sixteenth, which sixteenth of it, which number. Eight queries at once, no branch.
Case places_in_sorted() {
  return by_hand("searchsorted_1M_4096", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 1 << 20, size = 4096;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const Array sorted = sort(s.normal({size}, P())), given = s.normal({n}, P());
    const Block<float> x = block<float>(given), leaves = block<float>(sorted), ends = block<float>(256 + 16);
    const Block<std::int32_t> to[2] = {block<std::int32_t>(n), block<std::int32_t>(n)};
    auto once = [=](int k) {
      // The ends of all sixteenths but the last, which nothing is behind.
      for (int i = 0; i < 256; ++i) ends[i] = i % 16 < 15 ? leaves[16 * i + 15] : infinity;
      for (int i = 0; i < 16; ++i) ends[256 + i] = i < 15 ? leaves[256 * i + 255] : infinity;
      on_all_threads([&](int thread) {
        const Range r = share(n / 8, thread);
        const __m512 top = load(ends.get() + 256);
        for (std::int64_t i = 8 * r.first; i < 8 * r.last; i += 8) {
          auto below = [](__m512 keys, __m512 query) __attribute__((always_inline)) {
            return static_cast<unsigned>(__builtin_popcount(_mm512_cmp_ps_mask(keys, query, _CMP_LT_OQ)));
          };
          unsigned at[8];
          __m512 query[8];
#pragma GCC unroll 8
          for (int q = 0; q < 8; ++q) {
            query[q] = _mm512_set1_ps(x[i + q]);
            at[q] = below(top, query[q]);
          }
#pragma GCC unroll 8
          for (int q = 0; q < 8; ++q) at[q] = 16 * at[q] + below(load(ends.get() + 16 * at[q]), query[q]);
#pragma GCC unroll 8
          for (int q = 0; q < 8; ++q)
            to[k][i + q] = static_cast<std::int32_t>(16 * at[q] + below(load(leaves.get() + 16 * at[q]), query[q]));
        }
      });
    };
    once(0);
    check_same("searchsorted_1M_4096", floats(to[0], n), searchsorted(sorted, given), 0);
    return once;
  });
}

// Which numbers use a row is linked first; then one pass over the result, past the caches: a sum, or zeros.
Case embedding() {
  return by_hand("embedding_grad_50k_d256_4096", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t rows = 50000, d = 256, n = 4096;
    const Array table = s.normal({rows, d}, P()),
                used = random::randint(random::key(1), {n}, 0, static_cast<int>(rows));
    const Block<float> t = block<float>(table), to[2] = {block<float>(rows * d), block<float>(rows * d)};
    const Block<std::int32_t> ids = block<std::int32_t>(used), first = block<std::int32_t>(rows),
                              next = block<std::int32_t>(n);
    auto once = [=](int k) {
      on_all_threads([&](int thread) {
        const Range r = share(rows, thread);
        std::fill(first.get() + r.first, first.get() + r.last, -1);
        for (std::int64_t i = n - 1; i >= 0; --i) {
          const std::int32_t id = ids[i];
          if (id < r.first || id >= r.last) continue;
          next[i] = first[id];
          first[id] = static_cast<std::int32_t>(i);
        }
        for (std::int64_t row = r.first; row < r.last; ++row) {
          float* out = to[k].get() + row * d;
          const float* in = t.get() + row * d;
          for (std::int64_t j = 0; j < d; j += 16) {
            __m512 sum = _mm512_setzero_ps();
            for (std::int32_t i = first[row]; i >= 0; i = next[i]) {
              const __m512 x = _mm512_load_ps(in + j);
              sum = _mm512_add_ps(sum, _mm512_add_ps(x, x));
            }
            _mm512_stream_ps(out + j, sum);
          }
        }
        _mm_sfence();
      });
    };
    once(0);
    check_same("embedding_grad_50k_d256_4096", part(to[0], rows * d), grad(embedding_loss)(table, used), 1e-6);
    return once;
  });
}

}  // namespace

std::vector<Case> statistics_by_hand() {
  return {mean_and_variance(), histogram_of_integers(), sums_of_segments(), places_in_sorted(), embedding()};
}

}  // namespace bench

#include "../src/lane/end_target.inc"

// SPDX-License-Identifier: Apache-2.0
