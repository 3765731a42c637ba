// Loops: the state in registers from the first step to the last, several vectors in flight where steps depend on
// another.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <stdexcept>

#include "by_hand.hpp"
#include "wide_steps.hpp"

#include "../src/lane/begin_avx512.inc"

namespace bench {
namespace {

std::span<const float> made(const Block<float>& x, std::int64_t n) { return {x.get(), static_cast<std::size_t>(n)}; }

Case scan() {
  return by_hand("scan_tiny_1000", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t steps = 1000;
    const Array start = s.normal({16}, P()), given = s.normal({steps, 16}, P());
    const Block<float> c = block<float>(start), xs = block<float>(given), last = block<float>(16),
                       to = block<float>(16 * steps);
    auto once = [=](int) {
      __m512 carry = _mm512_load_ps(c.get());
      const __m512 half = _mm512_set1_ps(0.5f);
      for (std::int64_t i = 0; i < 16 * steps; i += 16) {
        _mm512_store_ps(to.get() + i, carry);
        carry = _mm512_fmadd_ps(carry, half, _mm512_load_ps(xs.get() + i));
      }
      _mm512_store_ps(last.get(), carry);
    };
    once(0);
    const auto [carry, stacked] = scan_halves(start, given);
    check_same("scan_tiny_1000", made(last, 16), carry, 1e-6);
    check_same("scan_tiny_1000", made(to, 16 * steps), stacked, 1e-6);
    return once;
  });
}

Case loop() {
  return by_hand("while_tiny_1000", [](const Setup& s) -> std::function<void(int)> {
    const Array given = s.normal({16}, P());
    const Block<float> x = block<float>(given), to = block<float>(16);
    auto once = [=](int) {
      __m512 y = _mm512_load_ps(x.get());
      const __m512 scale = _mm512_set1_ps(0.999f), more = _mm512_set1_ps(0.001f);
      for (int i = 0; i < 1000; ++i) y = _mm512_fmadd_ps(y, scale, more);
      _mm512_store_ps(to.get(), y);
    };
    once(0);
    // A thousand roundings to the same side: tutti rounds products, too.
    check_same("while_tiny_1000", made(to, 16), while_below_1000(given).second, 1e-4);
    return once;
  });
}

// Some points of a row in flight; all 50 steps, whether they are inside or not.
Case mandelbrot() {
  return by_hand("mandelbrot_1024_50", [](const Setup&) -> std::function<void(int)> {
    const std::int64_t n = 1 << 20;
    constexpr int vectors = 8;
    const Array given = mandelbrot_points();
    const Block<float> c = block<float>(given);
    const Block<std::int32_t> to[2] = {block<std::int32_t>(n), block<std::int32_t>(n)};
    auto once = [=](int k) {
      on_all_threads([&](int thread) {
        const Range r = share(n / (16 * vectors), thread);
        for (std::int64_t i = 16 * vectors * r.first; i < 16 * vectors * r.last; i += 16 * vectors) {
          __m512 x[vectors], y[vectors];
          __m512i count[vectors];
          for (int v = 0; v < vectors; ++v) {
            x[v] = y[v] = _mm512_setzero_ps();
            count[v] = _mm512_setzero_si512();
          }
          for (int step = 0; step < 50; ++step)
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
              const __m512 square = _mm512_fmadd_ps(x[v], x[v], _mm512_load_ps(c.get() + i + 16 * v));
              const __m512 x2 = _mm512_fnmadd_ps(y[v], y[v], square),
                           y2 = _mm512_fmadd_ps(_mm512_add_ps(x[v], x[v]), y[v],
                                                _mm512_load_ps(c.get() + n + i + 16 * v));
              const __mmask16 inside =
                  _mm512_cmp_ps_mask(_mm512_fmadd_ps(x2, x2, _mm512_mul_ps(y2, y2)), _mm512_set1_ps(4), _CMP_LT_OQ);
              x[v] = _mm512_mask_mov_ps(x[v], inside, x2);
              y[v] = _mm512_mask_mov_ps(y[v], inside, y2);
              count[v] = _mm512_mask_add_epi32(count[v], inside, count[v], _mm512_set1_epi32(1));
            }
          for (int v = 0; v < vectors; ++v) _mm512_store_si512(to[k].get() + i + 16 * v, count[v]);
        }
      });
    };
    once(0);
    // Where a point leaves is a matter of rounding here and there.
    const std::vector<std::int32_t> want = mandelbrot_counts(given).to_vector<std::int32_t>();
    std::int64_t other = 0;
    for (std::int64_t i = 0; i < n; ++i) other += want[static_cast<std::size_t>(i)] != to[0][i];
    if (other > n / 5000) throw std::runtime_error("mandelbrot_1024_50 by hand differs at " + std::to_string(other));
    return once;
  });
}

// By half turns, and the series to its eleventh power.
[[gnu::always_inline]] inline __m512 sine(__m512 x) {
  const __m512 k = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(0.318309886f)),
                                        _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512 r =
      _mm512_fnmadd_ps(k, _mm512_set1_ps(-8.74227766e-8f), _mm512_fnmadd_ps(k, _mm512_set1_ps(3.14159274f), x));
  const __m512 square = _mm512_mul_ps(r, r);
  __m512 y = _mm512_set1_ps(-1.f / 39916800);
  for (float c : {1.f / 362880, -1.f / 5040, 1.f / 120, -1.f / 6}) y = _mm512_fmadd_ps(y, square, _mm512_set1_ps(c));
  y = _mm512_fmadd_ps(_mm512_mul_ps(y, square), r, r);
  return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(y), _mm512_slli_epi32(_mm512_cvtps_epi32(k), 31)));
}

// Systems in the lanes, five vectors of them through all steps.
Case runge_kutta() {
  return by_hand("rk4_vmap_10000_t200", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 10000;
    constexpr int vectors = 5;
    const Array given = s.normal({n, 2}, P());
    const Block<float> y = block<float>(given), to[2] = {block<float>(2 * n), block<float>(2 * n)};
    auto once = [=](int k) {
      on_all_threads([&](int thread) {
        const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0),
                      odd = _mm512_add_epi32(even, _mm512_set1_epi32(1)),
                      low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0),
                      high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
        const Range r = share(n / (16 * vectors), thread);
        for (std::int64_t g = r.first; g < r.last; ++g) {
          const std::int64_t first = 32 * vectors * g;
          __m512 at[vectors], speed[vectors];
          for (int v = 0; v < vectors; ++v) {
            const __m512 a = _mm512_loadu_ps(y.get() + first + 32 * v),
                         b = _mm512_loadu_ps(y.get() + first + 32 * v + 16);
            at[v] = _mm512_permutex2var_ps(a, even, b);
            speed[v] = _mm512_permutex2var_ps(a, odd, b);
          }
          for (int step = 0; step < 200; ++step)
#pragma GCC unroll 5
            for (int v = 0; v < vectors; ++v) {
              const __m512 half = _mm512_set1_ps(0.005f), whole = _mm512_set1_ps(0.01f),
                           sixth = _mm512_set1_ps(0.01f / 6), two = _mm512_set1_ps(2);
              const __m512 p = at[v], q = speed[v];  // the sines are the slopes of the speed, but for their sign
              const __m512 a1 = q, b1 = sine(p);
              const __m512 a2 = _mm512_fnmadd_ps(half, b1, q), b2 = sine(_mm512_fmadd_ps(half, a1, p));
              const __m512 a3 = _mm512_fnmadd_ps(half, b2, q), b3 = sine(_mm512_fmadd_ps(half, a2, p));
              const __m512 a4 = _mm512_fnmadd_ps(whole, b3, q), b4 = sine(_mm512_fmadd_ps(whole, a3, p));
              at[v] = _mm512_fmadd_ps(sixth, _mm512_fmadd_ps(two, _mm512_add_ps(a2, a3), _mm512_add_ps(a1, a4)), p);
              speed[v] = _mm512_fnmadd_ps(sixth, _mm512_fmadd_ps(two, _mm512_add_ps(b2, b3), _mm512_add_ps(b1, b4)), q);
            }
          for (int v = 0; v < vectors; ++v) {
            _mm512_storeu_ps(to[k].get() + first + 32 * v, _mm512_permutex2var_ps(at[v], low, speed[v]));
            _mm512_storeu_ps(to[k].get() + first + 32 * v + 16, _mm512_permutex2var_ps(at[v], high, speed[v]));
          }
        }
      });
    };
    once(0);
    check_same("rk4_vmap_10000_t200", made(to[0], 2 * n), pendulums(given), 1e-5);
    return once;
  });
}

}  // namespace

std::vector<Case> loops_by_hand() { return {scan(), loop(), mandelbrot(), runge_kutta()}; }

}  // namespace bench

#include "../src/lane/end_target.inc"

// SPDX-License-Identifier: Apache-2.0
