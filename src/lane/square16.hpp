// 16 x 16 words turned in registers.
#pragma once

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <cstdint>

#include "base/processor.hpp"

namespace tutti::lane {

#if TUTTI_X86
/// Rows become columns.
[[gnu::target("avx512f"), gnu::always_inline]] inline void turn16(__m512 (&a)[16]) {
  // Pairs, quads, then 128-bit lanes change places.
  __m512 b[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    a[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(b[i]), _mm512_castps_pd(b[i + 2])));
    a[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(b[i]), _mm512_castps_pd(b[i + 2])));
    a[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(b[i + 1]), _mm512_castps_pd(b[i + 3])));
    a[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(b[i + 1]), _mm512_castps_pd(b[i + 3])));
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    b[i] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0x88);
    b[i + 4] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0xdd);
    b[i + 8] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0x88);
    b[i + 12] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0xdd);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const __m512 &x = b[i + k % 2 * 4], &y = b[i + k % 2 * 4 + 8];
      a[i + 4 * k] = k < 2 ? _mm512_shuffle_f32x4(x, y, 0x88) : _mm512_shuffle_f32x4(x, y, 0xdd);
    }
}

/// out[j * out_row + i] = in[i * in_row + j]. `far`: past the cache, in whole lines. The rows that are read next lie
/// `ahead` elements on.
template <bool far, std::int64_t ahead = 32>
__attribute__((target("avx512f"))) inline void square16(const float* in, std::int64_t in_row, float* out,
                                                        std::int64_t out_row) {
  __m512 a[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i)
    _mm_prefetch(reinterpret_cast<const char*>(in + i * in_row + ahead),
                 _MM_HINT_T0);  // rows far apart: nobody else guesses
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) a[i] = _mm512_loadu_ps(in + i * in_row);
  turn16(a);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    float* to = out + i * out_row;
    if constexpr (far)
      _mm512_stream_ps(to, a[i]);
    else
      _mm512_storeu_ps(to, a[i]);
  }
}

/// The same of `rows` rows and `columns` columns, at most 16 each.
__attribute__((target("avx512f"))) inline void part16(const float* in, std::int64_t in_row, float* out,
                                                      std::int64_t out_row, int rows, int columns) {
  const auto first = [](int n) { return static_cast<__mmask16>((1u << n) - 1); };
  __m512 a[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i)
    a[i] = i < rows ? _mm512_maskz_loadu_ps(first(columns), in + i * in_row) : _mm512_setzero_ps();
  turn16(a);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i)
    if (i < columns) _mm512_mask_storeu_ps(out + i * out_row, first(rows), a[i]);
}

#else
/// As above.
template <bool, std::int64_t = 32>
inline void square16(const float* in, std::int64_t in_row, float* out, std::int64_t out_row) {
  typedef float Four __attribute__((vector_size(16))) __attribute__((aligned(4)));
  for (std::int64_t i = 0; i < 16; i += 4)
    for (std::int64_t j = 0; j < 16; j += 4) {
      Four a[4], b[4];
      for (int r = 0; r < 4; ++r) a[r] = *reinterpret_cast<const Four*>(in + (i + r) * in_row + j);
      for (int r = 0; r < 2; ++r) {
        b[2 * r] = __builtin_shufflevector(a[r], a[r + 2], 0, 4, 1, 5);
        b[2 * r + 1] = __builtin_shufflevector(a[r], a[r + 2], 2, 6, 3, 7);
      }
      for (int r = 0; r < 2; ++r) {
        *reinterpret_cast<Four*>(out + (j + 2 * r) * out_row + i) = __builtin_shufflevector(b[r], b[r + 2], 0, 4, 1, 5);
        *reinterpret_cast<Four*>(out + (j + 2 * r + 1) * out_row + i) =
            __builtin_shufflevector(b[r], b[r + 2], 2, 6, 3, 7);
      }
    }
}
inline void part16(const float* in, std::int64_t in_row, float* out, std::int64_t out_row, int rows, int columns) {
  for (int i = 0; i < columns; ++i)
    for (int r = 0; r < rows; ++r) out[i * out_row + r] = in[r * in_row + i];
}
#endif

}  // namespace tutti::lane
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
