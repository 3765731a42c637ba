// Rows by themselves: many at once in the lanes, or one as a whole vector.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <limits>
#include <numeric>

#include "../src/lane/square16.hpp"
#include "by_hand.hpp"
#include "wide_steps.hpp"

#include "../src/lane/begin_avx512.inc"

namespace bench {
namespace {

std::span<const float> first_of(const Block<float>& x, std::int64_t n) {
  return {x.get(), static_cast<std::size_t>(n)};
}

// How many lanes are greater, or equal and earlier, by 15 rotations.
[[gnu::always_inline]] inline __m512i ranks(__m512 x) {
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i one = _mm512_set1_epi32(1);
  __m512i rank = _mm512_setzero_si512();
#pragma GCC unroll 15
  for (int by = 1; by < 16; ++by) {
    const __m512i from = _mm512_and_si512(_mm512_add_epi32(lane, _mm512_set1_epi32(by)), _mm512_set1_epi32(15));
    const __m512 other = _mm512_permutexvar_ps(from, x);
    const __mmask16 more = _mm512_cmp_ps_mask(other, x, _CMP_GT_OQ),
                    earlier = static_cast<__mmask16>(0xffffu << (16 - by));  // lanes whose other came round
    rank = _mm512_mask_add_epi32(rank, more | (_mm512_cmp_ps_mask(other, x, _CMP_EQ_OQ) & earlier), rank, one);
  }
  return rank;
}

// The eighth of the 16 maxima of lanes bounds the answer: few numbers of a row pass, and these are ranked.
Case top_eight() {
  return by_hand("top_k_rows_4096x1024_8", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t rows = 4096, n = 1024, k = 8;
    const Array given = s.normal({rows, n}, P());
    const Block<float> x = block<float>(given), values = block<float>(rows * k);
    const Block<std::int32_t> places = block<std::int32_t>(rows * k);
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        const Range r = share(rows, thread);
        const __m512 least = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
        const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        for (std::int64_t i = r.first; i < r.last; ++i) {
          const float* row = x.get() + i * n;
          __m512 most[4] = {least, least, least, least};
          for (std::int64_t j = 0; j < n; j += 64)
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) {
              _mm_prefetch(reinterpret_cast<const char*>(row + n + j + 16 * v), _MM_HINT_T0);
              most[v] = _mm512_max_ps(most[v], _mm512_load_ps(row + j + 16 * v));
            }
          const __m512 maxima = _mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3]));
          const __mmask16 eighth = _mm512_cmpeq_epi32_mask(ranks(maxima), _mm512_set1_epi32(k - 1));
          const __m512 bound = _mm512_set1_ps(_mm512_mask_reduce_max_ps(eighth, maxima));
          // Which vectors have such numbers first, so that one branch is not foreseen and not one for each.
          alignas(64) std::uint16_t masks[n / 16];
          for (std::int64_t v = 0; v < n / 16; ++v)
            masks[v] = _mm512_cmp_ps_mask(_mm512_load_ps(row + 16 * v), bound, _CMP_GE_OQ);
          std::uint64_t left = 0;
          for (int half = 0; half < 2; ++half) {
            const __m512i some = _mm512_load_si512(masks + 32 * half);
            left |= std::uint64_t{_mm512_test_epi16_mask(some, some)} << 32 * half;
          }
          alignas(64) float passed[n + 16];
          alignas(64) std::int32_t at[n + 16];
          std::int64_t count = 0;
          for (; left != 0; left &= left - 1) {
            const int v = __builtin_ctzll(left);
            const __mmask16 pass = masks[v];
            _mm512_storeu_ps(passed + count, _mm512_maskz_compress_ps(pass, _mm512_load_ps(row + 16 * v)));
            _mm512_storeu_si512(at + count,
                                _mm512_maskz_compress_epi32(pass, _mm512_add_epi32(lane, _mm512_set1_epi32(16 * v))));
            count += __builtin_popcount(pass);
          }
          float* values_to = values.get() + i * k;
          std::int32_t* places_to = places.get() + i * k;
          if (count <= 16) {
            const __m512 all = _mm512_mask_load_ps(least, static_cast<__mmask16>((1u << count) - 1), passed);
            const __m512i rank = ranks(all);
            alignas(64) std::int32_t ranked[16], best_at[16];
            alignas(64) float best[16];
            _mm512_store_si512(ranked, rank);
#pragma GCC unroll 16
            for (int l = 0; l < 16; ++l) {
              best[ranked[l]] = passed[l];
              best_at[ranked[l]] = at[l];
            }
            std::copy_n(best, k, values_to);
            std::copy_n(best_at, k, places_to);
            continue;
          }
          std::int32_t order[n];
          std::iota(order, order + count, 0);
          std::partial_sort(order, order + k, order + count, [&](std::int32_t a, std::int32_t b) {
            return passed[a] > passed[b] || (passed[a] == passed[b] && a < b);
          });
          for (std::int64_t j = 0; j < k; ++j) {
            values_to[j] = passed[order[j]];
            places_to[j] = at[order[j]];
          }
        }
      });
    };
    once(0);
    const auto want = lax::top_k(given, static_cast<int>(k));
    check_same("top_k_rows_4096x1024_8", first_of(values, rows * k), want.values, 0);
    check_same("top_k_rows_4096x1024_8", std::vector<float>(places.get(), places.get() + rows * k), want.indices, 0);
    return once;
  });
}

// 16 systems in the lanes, all in registers and the first-level cache; rows change places by masks.
Case small_systems() {
  return by_hand("batched_solve_4096x8", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t count = 4096;
    constexpr int n = 8;
    const Array matrices = s.normal({count, n, n}, P()), sides = s.normal({count, n, 1}, P());
    const Block<float> a = block<float>(matrices), b = block<float>(sides),
                       to[2] = {block<float>(count * n), block<float>(count * n)};
    auto once = [=](int k) {
      on_all_threads([&](int thread) {
        const Range r = share(count / 16, thread);
        for (std::int64_t g = r.first; g < r.last; ++g) {
          alignas(64) float turned[n * n * 16], side[n * 16];
          for (int part = 0; part < 4; ++part)
            lane::square16<false, n * n * 16>(a.get() + g * 16 * n * n + 16 * part, n * n, turned + 256 * part, 16);
          lane::part16(b.get() + g * 16 * n, n, side, 16, 16, n);
          __m512 m[n][n + 1];
#pragma GCC unroll 8
          for (int i = 0; i < n; ++i) {
#pragma GCC unroll 8
            for (int j = 0; j < n; ++j) m[i][j] = _mm512_load_ps(turned + 16 * (n * i + j));
            m[i][n] = _mm512_load_ps(side + 16 * i);
          }
#pragma GCC unroll 8
          for (int c = 0; c < n; ++c) {
#pragma GCC unroll 8
            for (int i = c + 1; i < n; ++i) {
              const __mmask16 more = _mm512_cmp_ps_mask(_mm512_abs_ps(m[i][c]), _mm512_abs_ps(m[c][c]), _CMP_GT_OQ);
#pragma GCC unroll 9
              for (int j = c; j <= n; ++j) {
                const __m512 up = m[i][j];
                m[i][j] = _mm512_mask_mov_ps(up, more, m[c][j]);
                m[c][j] = _mm512_mask_mov_ps(m[c][j], more, up);
              }
            }
            const __m512 inverse = _mm512_div_ps(_mm512_set1_ps(1), m[c][c]);
#pragma GCC unroll 9
            for (int j = c + 1; j <= n; ++j) m[c][j] = _mm512_mul_ps(m[c][j], inverse);
#pragma GCC unroll 8
            for (int i = c + 1; i < n; ++i)
#pragma GCC unroll 9
              for (int j = c + 1; j <= n; ++j) m[i][j] = _mm512_fnmadd_ps(m[i][c], m[c][j], m[i][j]);
          }
#pragma GCC unroll 8
          for (int i = n - 1; i >= 0; --i) {
#pragma GCC unroll 8
            for (int j = i + 1; j < n; ++j) m[i][n] = _mm512_fnmadd_ps(m[i][j], m[j][n], m[i][n]);
            _mm512_store_ps(side + 16 * i, m[i][n]);
          }
          lane::part16(side, 16, to[k].get() + g * 16 * n, n, n, 16);
        }
      });
    };
    once(0);
    const std::vector<float> got(to[0].get(), to[0].get() + count * n);
    const Array residual = matmul(matrices, array(got, {count, n, 1})) - sides;
    check_same("batched_solve_4096x8", got, linalg::solve(matrices, sides), 1e-2);
    if (!(max(abs(residual)).item<float>() < 1e-2f)) check_same("batched_solve_4096x8", got, sides, 0);
    return once;
  });
}

// 48 points in the lanes against eight centres; then a row is one vector, added as a whole. Nothing is stored.
Case nearest_centers() {
  return by_hand("kmeans_step_1M_16_k32", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 1 << 20;
    constexpr int d = 16, centers = 32;
    const Array points = s.normal({n, d}, P()), given = s.normal({centers, d}, P());
    const Block<float> x = block<float>(points), c = block<float>(given), to = block<float>(centers * d);
    struct alignas(64) Sums {
      float sums[centers][d], counts[centers];
    };
    const Block<Sums> space = block<Sums>(threads());
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        // Of x x - 2 x c + c c only the last two differ between centres.
        alignas(64) float scaled[d][centers], squares[centers] = {};
        for (int j = 0; j < d; ++j)
          for (int i = 0; i < centers; ++i) {
            scaled[j][i] = -2 * c[i * d + j];
            squares[i] += c[i * d + j] * c[i * d + j];
          }
        Sums& mine = space[thread];
        mine = {};
        auto some = [&]<int groups>(std::integral_constant<int, groups>, const float* at)
            __attribute__((always_inline)) {
          alignas(64) float turned[groups][d * 16];
          for (int g = 0; g < groups; ++g) lane::square16<false, 1536>(at + 256 * g, d, turned[g], 16);
          __m512 best[groups];
          __m512i which[groups];
          for (int g = 0; g < groups; ++g) {
            best[g] = _mm512_set1_ps(std::numeric_limits<float>::infinity());
            which[g] = _mm512_setzero_si512();
          }
          for (int i = 0; i < centers; i += 8) {
            __m512 far[8][groups];
#pragma GCC unroll 8
            for (int e = 0; e < 8; ++e)
#pragma GCC unroll 3
              for (int g = 0; g < groups; ++g) far[e][g] = _mm512_set1_ps(squares[i + e]);
            for (int j = 0; j < d; ++j)
#pragma GCC unroll 8
              for (int e = 0; e < 8; ++e)
#pragma GCC unroll 3
                for (int g = 0; g < groups; ++g)
                  far[e][g] =
                      _mm512_fmadd_ps(_mm512_set1_ps(scaled[j][i + e]), _mm512_load_ps(turned[g] + 16 * j), far[e][g]);
#pragma GCC unroll 8
            for (int e = 0; e < 8; ++e)
#pragma GCC unroll 3
              for (int g = 0; g < groups; ++g) {
                const __mmask16 less = _mm512_cmp_ps_mask(far[e][g], best[g], _CMP_LT_OQ);
                best[g] = _mm512_min_ps(far[e][g], best[g]);
                which[g] = _mm512_mask_mov_epi32(which[g], less, _mm512_set1_epi32(i + e));
              }
          }
          alignas(64) std::int32_t nearest[groups * 16];
          for (int g = 0; g < groups; ++g) _mm512_store_si512(nearest + 16 * g, which[g]);
          for (int p = 0; p < 16 * groups; ++p) {
            float* sum = mine.sums[nearest[p]];
            _mm512_store_ps(sum, _mm512_add_ps(_mm512_load_ps(sum), _mm512_load_ps(at + d * p)));
            ++mine.counts[nearest[p]];
          }
        };
        const Range r = share(n / 16, thread);
        std::int64_t g = r.first;
        for (; g + 3 <= r.last; g += 3) some(std::integral_constant<int, 3>(), x.get() + 256 * g);
        for (; g < r.last; ++g) some(std::integral_constant<int, 1>(), x.get() + 256 * g);
      });
      for (int i = 0; i < centers; ++i)
        for (int j = 0; j < d; ++j) {
          float sum = 0, count = 0;
          for (int t = 0; t < threads(); ++t) {
            sum += space[t].sums[i][j];
            count += space[t].counts[i];
          }
          to[i * d + j] = sum / count;
        }
    };
    once(0);
    check_same("kmeans_step_1M_16_k32", first_of(to, centers * d), kmeans_step(points, given), 1e-3);
    return once;
  });
}

}  // namespace

std::vector<Case> rows_by_hand() { return {top_eight(), small_systems(), nearest_centers()}; }

}  // namespace bench

#include "../src/lane/end_target.inc"

// SPDX-License-Identifier: Apache-2.0
