// 16 x 16 words turned in registers.
#pragma once

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <cstdint>

namespace tutti::cpu {

/// out[j * out_row + i] = in[i * in_row + j]. `far`: past the cache, in whole lines. The rows that are read next lie
/// `ahead` elements on.
template <bool far, std::int64_t ahead = 32>
__attribute__((target("avx512f"))) inline void square16(const float* in, std::int64_t in_row, float* out,
                                                        std::int64_t out_row) {
  // Pairs, quads, then 128-bit lanes change places.
  __m512 a[16], b[16];
  for (int i = 0; i < 16; ++i)
    _mm_prefetch(reinterpret_cast<const char*>(in + i * in_row + ahead),
                 _MM_HINT_T0);  // rows far apart: nobody else guesses
  for (int i = 0; i < 16; ++i) a[i] = _mm512_loadu_ps(in + i * in_row);
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    a[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(b[i]), _mm512_castps_pd(b[i + 2])));
    a[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(b[i]), _mm512_castps_pd(b[i + 2])));
    a[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(b[i + 1]), _mm512_castps_pd(b[i + 3])));
    a[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(b[i + 1]), _mm512_castps_pd(b[i + 3])));
  }
  for (int i = 0; i < 4; ++i) {
    b[i] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0x88);
    b[i + 4] = _mm512_shuffle_f32x4(a[i], a[i + 4], 0xdd);
    b[i + 8] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0x88);
    b[i + 12] = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) {
      const __m512 &x = b[i + k % 2 * 4], &y = b[i + k % 2 * 4 + 8];
      const __m512 row = k < 2 ? _mm512_shuffle_f32x4(x, y, 0x88) : _mm512_shuffle_f32x4(x, y, 0xdd);
      float* to = out + (i + 4 * k) * out_row;
      if constexpr (far)
        _mm512_stream_ps(to, row);
      else
        _mm512_storeu_ps(to, row);
    }
}

}  // namespace tutti::cpu
#pragma GCC diagnostic pop
