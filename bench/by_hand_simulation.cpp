// Simulations: one pass over what is there, and nothing between stored.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "by_hand.hpp"
#include "wide_steps.hpp"

#include "../src/lane/begin_avx512.inc"

namespace bench {
namespace {

std::span<const float> whole_of(const Block<float>& x, std::int64_t n) {
  return {x.get(), static_cast<std::size_t>(n)};
}
[[gnu::always_inline]] inline __m512 all(float x) { return _mm512_set1_ps(x); }

// Shifted loads in place of rolls, all nine directions in registers. What comes out is read next: normal stores.
Case lattice_boltzmann() {
  return by_hand("lbm_d2q9_512", [](const Setup&) -> std::function<void(int)> {
    const std::int64_t n = 512, plane = n * n;
    const Array given = random::uniform(random::key(0), {9, n, n}) + 0.5;
    const Block<float> f = block<float>(given), to[2] = {block<float>(9 * plane), block<float>(9 * plane)};
    auto once = [=](int k) {
      on_all_threads([&](int thread) {
        constexpr int cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
        const Range r = share(n, thread);
        for (std::int64_t i = r.first; i < r.last; ++i) {
          const float* rows[9];
#pragma GCC unroll 9
          for (int d = 0; d < 9; ++d) rows[d] = f.get() + d * plane + (i - cx[d] + n) % n * n;
          for (std::int64_t j = 0; j < n; j += 16) {
            __m512 g[9];
#pragma GCC unroll 9
            for (int d = 0; d < 9; ++d) {
              const float* at = rows[d] + j - cy[d];
              if (cy[d] == 1 && j == 0)
                g[d] = _mm512_mask_loadu_ps(all(rows[d][n - 1]), 0xfffe, at);
              else if (cy[d] == -1 && j == n - 16)
                g[d] = _mm512_mask_loadu_ps(all(rows[d][0]), 0x7fff, at);
              else
                g[d] = _mm512_loadu_ps(at);
            }
            __m512 density = g[0], ux = _mm512_setzero_ps(), uy = ux;
#pragma GCC unroll 9
            for (int d = 1; d < 9; ++d) {
              density = _mm512_add_ps(density, g[d]);
              if (cx[d] == 1) ux = _mm512_add_ps(ux, g[d]);
              if (cx[d] == -1) ux = _mm512_sub_ps(ux, g[d]);
              if (cy[d] == 1) uy = _mm512_add_ps(uy, g[d]);
              if (cy[d] == -1) uy = _mm512_sub_ps(uy, g[d]);
            }
            const __m512 inverse = _mm512_div_ps(all(1), density);
            ux = _mm512_mul_ps(ux, inverse);
            uy = _mm512_mul_ps(uy, inverse);
            const __m512 rest = _mm512_fnmadd_ps(all(1.5f), _mm512_fmadd_ps(ux, ux, _mm512_mul_ps(uy, uy)), all(1));
#pragma GCC unroll 9
            for (int d = 0; d < 9; ++d) {
              __m512 along = _mm512_setzero_ps();
              if (cx[d] == 1) along = ux;
              if (cx[d] == -1) along = _mm512_sub_ps(along, ux);
              if (cy[d] == 1) along = _mm512_add_ps(along, uy);
              if (cy[d] == -1) along = _mm512_sub_ps(along, uy);
              const __m512 still = _mm512_fmadd_ps(along, _mm512_fmadd_ps(along, all(4.5f), all(3)), rest);
              const float weight = d == 0 ? 4.f / 9 : d < 5 ? 1.f / 9 : 1.f / 36;
              const __m512 relaxed =
                  _mm512_fmadd_ps(_mm512_mul_ps(density, all(0.6f * weight)), still, _mm512_mul_ps(g[d], all(0.4f)));
              _mm512_store_ps(to[k].get() + d * plane + i * n + j, relaxed);
            }
          }
        }
      });
    };
    once(0);
    check_same("lbm_d2q9_512", whole_of(to[0], 9 * plane), lattice_step(given), 1e-6);
    return once;
  });
}

// 64 cells a vector. Sums of three neighbours in a row serve three rows, eight rows in a strip.
Case life() {
  return by_hand("life_1024", [](const Setup&) -> std::function<void(int)> {
    const std::int64_t n = 1024, strip = 8;
    const Array given = random::randint(random::key(1), {n, n}, 0, 2).astype(int8);
    const Block<std::int8_t> g = block<std::int8_t>(given),
                             to[2] = {block<std::int8_t>(n * n), block<std::int8_t>(n * n)};
    auto once = [=](int k) {
      on_all_threads([&](int thread) {
        const Range r = share(n / strip, thread);
        for (std::int64_t top = strip * r.first; top < strip * r.last; top += strip)
          for (std::int64_t j = 0; j < n; j += 64) {
            __m512i three[strip + 2], cells[strip + 2];
#pragma GCC unroll 10
            for (std::int64_t i = 0; i < strip + 2; ++i) {
              const std::int8_t* row = g.get() + (top + i - 1 + n) % n * n;
              const std::int8_t* at = row + j;
              const __m512i left = j > 0 ? _mm512_loadu_si512(at - 1)
                                         : _mm512_mask_loadu_epi8(_mm512_set1_epi8(row[n - 1]), ~1ull, at - 1),
                            right = j < n - 64 ? _mm512_loadu_si512(at + 1)
                                               : _mm512_mask_loadu_epi8(_mm512_set1_epi8(row[0]), ~0ull >> 1, at + 1);
              cells[i] = _mm512_load_si512(at);
              three[i] = _mm512_add_epi8(_mm512_add_epi8(left, right), cells[i]);
            }
#pragma GCC unroll 8
            for (std::int64_t i = 1; i <= strip; ++i) {
              const __m512i nine = _mm512_add_epi8(_mm512_add_epi8(three[i - 1], three[i + 1]), three[i]);
              const __mmask64 alive =
                  _mm512_cmpeq_epi8_mask(nine, _mm512_set1_epi8(3)) |
                  _mm512_mask_cmpeq_epi8_mask(_mm512_test_epi8_mask(cells[i], cells[i]), nine, _mm512_set1_epi8(4));
              _mm512_store_si512(to[k].get() + (top + i - 1) * n + j,
                                 _mm512_maskz_mov_epi8(alive, _mm512_set1_epi8(1)));
            }
          }
      });
    };
    once(0);
    const std::vector<float> got(to[0].get(), to[0].get() + n * n);
    check_same("life_1024", got, life_step(given), 0);
    return once;
  });
}

// 64 bodies against one after the other; no pair is stored, a body does not move itself.
Case bodies() {
  return by_hand("nbody_grad_2048", [](const Setup& s) -> std::function<void(int)> {
    const std::int64_t n = 2048;
    constexpr int vectors = 4;
    const Array given = s.normal({n, 3}, P());
    const Block<float> x = block<float>(given), space = block<float>(3 * n),
                       to[2] = {block<float>(3 * n), block<float>(3 * n)};
    auto once = [=](int k) {
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t d = 0; d < 3; ++d) space[d * n + i] = x[3 * i + d];
      on_all_threads([&](int thread) {
        const Range r = share(n / (16 * vectors), thread);
        for (std::int64_t i = 16 * vectors * r.first; i < 16 * vectors * r.last; i += 16 * vectors) {
          __m512 mine[3][vectors], sums[3][vectors];
#pragma GCC unroll 3
          for (int d = 0; d < 3; ++d)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
              mine[d][v] = _mm512_loadu_ps(space.get() + d * n + i + 16 * v);
              sums[d][v] = _mm512_setzero_ps();
            }
          for (std::int64_t j = 0; j < n; ++j) {
            const __m512 px = all(space[j]), py = all(space[n + j]), pz = all(space[2 * n + j]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
              const __m512 dx = _mm512_sub_ps(mine[0][v], px), dy = _mm512_sub_ps(mine[1][v], py),
                           dz = _mm512_sub_ps(mine[2][v], pz);
              const __m512 squared =
                  _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_fmadd_ps(dz, dz, all(1e-2f))));
              // 1 / sqrt to 14 bits, and one step of Newton's; its cube.
              const __m512 about = _mm512_rsqrt14_ps(squared), square = _mm512_mul_ps(about, about);
              const __m512 step = _mm512_fnmadd_ps(_mm512_mul_ps(squared, all(0.5f)), square, all(1.5f));
              const __m512 cube =
                  _mm512_mul_ps(_mm512_mul_ps(about, square), _mm512_mul_ps(_mm512_mul_ps(step, step), step));
              sums[0][v] = _mm512_fmadd_ps(dx, cube, sums[0][v]);
              sums[1][v] = _mm512_fmadd_ps(dy, cube, sums[1][v]);
              sums[2][v] = _mm512_fmadd_ps(dz, cube, sums[2][v]);
            }
          }
          alignas(64) float lanes[3][16 * vectors];
          for (int d = 0; d < 3; ++d)
            for (int v = 0; v < vectors; ++v) _mm512_store_ps(lanes[d] + 16 * v, sums[d][v]);
          for (int l = 0; l < 16 * vectors; ++l)
            for (int d = 0; d < 3; ++d) to[k][3 * (i + l) + d] = lanes[d][l];
        }
      });
    };
    once(0);
    check_same("nbody_grad_2048", whole_of(to[0], 3 * n), grad(energy)(given), 1e-5);
    return once;
  });
}

// e^x by powers of two and a polynomial on half an octave to either side.
[[gnu::always_inline]] inline __m512 exponential(__m512 x) {
  const __m512 k =
      _mm512_roundscale_ps(_mm512_mul_ps(x, all(1.44269504f)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512 r = _mm512_fnmadd_ps(k, all(-2.12194440e-4f), _mm512_fnmadd_ps(k, all(0.693359375f), x));
  __m512 y = all(1.f / 720);
  for (float c : {1.f / 120, 1.f / 24, 1.f / 6, 0.5f, 1.f, 1.f}) y = _mm512_fmadd_ps(y, r, all(c));
  return _mm512_scalef_ps(y, k);
}
// By the exponent, and the series of (1 + s) / (1 - s) for the mantissa from 3/4 to 3/2.
[[gnu::always_inline]] inline __m512 logarithm(__m512 x) {
  const __m512 m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
  const __m512 under = _mm512_getexp_ps(x);
  const __m512 e = _mm512_mask_add_ps(under, _mm512_cmp_ps_mask(m, all(1), _CMP_LT_OQ), under, all(1));
  const __m512 s = _mm512_div_ps(_mm512_sub_ps(m, all(1)), _mm512_add_ps(m, all(1))), squared = _mm512_mul_ps(s, s);
  __m512 y = all(2.f / 9);
  for (float c : {2.f / 7, 2.f / 5, 2.f / 3, 2.f}) y = _mm512_fmadd_ps(y, squared, all(c));
  return _mm512_fmadd_ps(e, all(0.693147181f), _mm512_mul_ps(y, s));
}
// The normal distribution, by its density times a polynomial. Source: Abramowitz and Stegun, 26.2.17.
[[gnu::always_inline]] inline __m512 normal_below(__m512 x, __m512 density) {
  const __m512 t = _mm512_div_ps(all(1), _mm512_fmadd_ps(_mm512_abs_ps(x), all(0.2316419f), all(1)));
  __m512 y = all(1.330274429f);
  for (float c : {-1.821255978f, 1.781477937f, -0.356563782f, 0.319381530f}) y = _mm512_fmadd_ps(y, t, all(c));
  const __m512 above = _mm512_mul_ps(_mm512_mul_ps(y, t), density);
  return _mm512_mask_sub_ps(above, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GE_OQ), all(1), above);
}
[[gnu::always_inline]] inline __m512 normal_density(__m512 x) {
  return _mm512_mul_ps(exponential(_mm512_mul_ps(_mm512_mul_ps(x, x), all(-0.5f))), all(0.398942280f));
}

Case options() {
  return by_hand("black_scholes_grad_1M", [](const Setup&) -> std::function<void(int)> {
    const std::int64_t n = 1 << 20;
    auto between = [&](double least, double most) { return random::uniform(random::key(0), {n}, least, most); };
    const Array given[] = {between(50, 150), between(50, 150), between(.1, 2), between(0, .1), between(.1, .5)};
    std::vector<Block<float>> in, to[2];
    for (const Array& x : given) in.push_back(block<float>(x));
    for (auto& place : to)
      for (int g = 0; g < 4; ++g) place.push_back(block<float>(n));
    auto once = [=](int place) {
      on_all_threads([&](int thread) {
        const Range range = share(n / 16, thread);
        for (std::int64_t i = 16 * range.first; i < 16 * range.last; i += 16) {
          __m512 x[5];
          for (int g = 0; g < 5; ++g) x[g] = _mm512_load_ps(in[static_cast<std::size_t>(g)].get() + i);
          const auto [s, k, t, r, v] = x;
          const __m512 root = _mm512_sqrt_ps(t), spread = _mm512_mul_ps(v, root);
          const __m512 drift = _mm512_mul_ps(_mm512_fmadd_ps(_mm512_mul_ps(v, v), all(0.5f), r), t);
          const __m512 d = _mm512_div_ps(_mm512_add_ps(logarithm(_mm512_div_ps(s, k)), drift), spread),
                       e = _mm512_sub_ps(d, spread);
          const __m512 here = normal_density(d), paid = normal_below(e, normal_density(e));
          const __m512 discounted = _mm512_mul_ps(
              _mm512_mul_ps(k, exponential(_mm512_sub_ps(_mm512_setzero_ps(), _mm512_mul_ps(r, t)))), paid);
          // By s, t, r and v; the densities' own shares cancel out.
          const __m512 by_spread = _mm512_mul_ps(s, here);
          const __m512 by[] = {
              normal_below(d, here),
              _mm512_fmadd_ps(r, discounted,
                              _mm512_div_ps(_mm512_mul_ps(_mm512_mul_ps(by_spread, v), all(0.5f)), root)),
              _mm512_mul_ps(t, discounted), _mm512_mul_ps(by_spread, root)};
          for (int g = 0; g < 4; ++g) _mm512_stream_ps(to[place][static_cast<std::size_t>(g)].get() + i, by[g]);
        }
        _mm_sfence();
      });
    };
    once(0);
    const auto [s, t, r, v] = grad<0, 2, 3, 4>(option_price)(given[0], given[1], given[2], given[3], given[4]);
    const Array want[] = {s, t, r, v};
    for (std::size_t g = 0; g < 4; ++g) check_same("black_scholes_grad_1M", whole_of(to[0][g], n), want[g], 1e-5);
    return once;
  });
}

}  // namespace

std::vector<Case> simulation_by_hand() { return {lattice_boltzmann(), life(), bodies(), options()}; }

}  // namespace bench

#include "../src/lane/end_target.inc"

// SPDX-License-Identifier: Apache-2.0
