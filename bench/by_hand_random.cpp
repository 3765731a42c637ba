// Random numbers by Threefry-2x32 with 20 rounds (Salmon et al. 2011) as JAX counts: many counters in lanes.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "by_hand.hpp"

#include "../src/lane/begin_avx512.inc"

namespace bench {
namespace {

constexpr int kVectors = 8;  // in flight

template <int by> [[gnu::always_inline]] inline __m512i rotated(__m512i x) { return _mm512_rol_epi32(x, by); }

// Bits of 16 * kVectors counters; key 0 0, counters below 2^32. Every fourth round adds a part of the key.
[[gnu::always_inline]] inline void threefry(__m512i (&low)[kVectors], __m512i (&bits)[kVectors]) {
  constexpr std::uint32_t parity = 0x1bd11bda;
  constexpr std::uint32_t keys[3] = {0, 0, parity};
  __m512i high[kVectors];
  for (__m512i& h : high) h = _mm512_setzero_si512();
  auto round = [&]<int by>(std::integral_constant<int, by>) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      high[v] = _mm512_add_epi32(high[v], low[v]);
      low[v] = _mm512_xor_si512(rotated<by>(low[v]), high[v]);
    }
  };
  auto four = [&]<int a, int b, int c, int d>(std::integer_sequence<int, a, b, c, d>, int i)
      __attribute__((always_inline)) {
    round(std::integral_constant<int, a>());
    round(std::integral_constant<int, b>());
    round(std::integral_constant<int, c>());
    round(std::integral_constant<int, d>());
    const __m512i x = _mm512_set1_epi32(static_cast<int>(keys[(i + 1) % 3])),
                  y = _mm512_set1_epi32(static_cast<int>(keys[(i + 2) % 3] + static_cast<std::uint32_t>(i) + 1));
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      high[v] = _mm512_add_epi32(high[v], x);
      low[v] = _mm512_add_epi32(low[v], y);
    }
  };
  using Even = std::integer_sequence<int, 13, 15, 26, 6>;
  using Odd = std::integer_sequence<int, 17, 29, 16, 24>;
  four(Even(), 0);
  four(Odd(), 1);
  four(Even(), 2);
  four(Odd(), 3);
  four(Even(), 4);
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) bits[v] = _mm512_xor_si512(high[v], low[v]);
}

// From 0 to below 1.
[[gnu::always_inline]] inline __m512 unit(__m512i bits) {
  const __m512i one = _mm512_set1_epi32(0x3f800000);
  return _mm512_sub_ps(_mm512_castsi512_ps(_mm512_or_si512(_mm512_srli_epi32(bits, 9), one)), _mm512_set1_ps(1));
}

Case uniform() {
  return by_hand("uniform_16M", [](const Setup&) -> std::function<void(int)> {
    const std::int64_t n = 1 << 24, step = 16 * kVectors;
    const Block<float> to[2] = {block<float>(n), block<float>(n)};
    auto once = [=](int k) {
      on_all_threads([&](int thread) {
        const Range r = share(n / step, thread);
        const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        for (std::int64_t i = r.first; i < r.last; ++i) {
          __m512i low[kVectors], bits[kVectors];
          for (int v = 0; v < kVectors; ++v)
            low[v] = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(i * step + 16 * v)));
          threefry(low, bits);
          for (int v = 0; v < kVectors; ++v) _mm512_stream_ps(to[k].get() + i * step + 16 * v, unit(bits[v]));
        }
        _mm_sfence();
      });
    };
    once(0);
    check_same("uniform_16M", {to[0].get(), static_cast<std::size_t>(n)}, random::uniform(random::key(0), {n}), 0);
    return once;
  });
}

Case circle() {
  return by_hand("monte_carlo_pi_16M", [](const Setup&) -> std::function<void(int)> {
    const std::int64_t n = 1 << 24, points = 8 * kVectors;
    const Block<float> to = block<float>(1);
    const Block<std::int64_t> inside = block<std::int64_t>(8 * threads());
    auto once = [=](int) {
      on_all_threads([&](int thread) {
        const Range r = share(n / points, thread);
        const __m512i lanes = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        std::int64_t count = 0;
        for (std::int64_t i = r.first; i < r.last; ++i) {
          __m512i low[kVectors], bits[kVectors];
          for (int v = 0; v < kVectors; ++v)  // both coordinates of 16 points
            low[v] = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(i * 2 * points + v / 2 * 32 + v % 2)));
          threefry(low, bits);
          for (int v = 0; v < kVectors; v += 2) {
            const __m512 x = unit(bits[v]), y = unit(bits[v + 1]);
            const __m512 square = _mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(y, y));
            count += __builtin_popcount(_mm512_cmp_ps_mask(square, _mm512_set1_ps(1), _CMP_LT_OQ));
          }
        }
        inside[8 * thread] = count;
      });
      std::int64_t all = 0;
      for (int t = 0; t < threads(); ++t) all += inside[8 * t];
      to[0] = static_cast<float>(4.0 * static_cast<double>(all) / static_cast<double>(n));
    };
    once(0);
    const Array u = random::uniform(random::key(0), {n, 2});
    check_same("monte_carlo_pi_16M", {to.get(), 1}, 4 * mean((sum(square(u), 1) < 1).astype(float32)), 1e-6);
    return once;
  });
}

}  // namespace

std::vector<Case> random_by_hand() { return {uniform(), circle()}; }

}  // namespace bench

#include "../src/lane/end_target.inc"

// SPDX-License-Identifier: Apache-2.0
