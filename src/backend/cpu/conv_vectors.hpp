// Vectors of float32 and float64 alike, for the tiles of convolutions.
#pragma once

#include "backend/cpu/isa.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

namespace tutti::cpu {

inline Isa tile_isa() {
  static const Isa chosen = isa();
  return chosen;
}

[[gnu::target("avx512f"), gnu::always_inline]] inline __m512 load512(const float* p) { return _mm512_loadu_ps(p); }
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512d load512(const double* p) { return _mm512_loadu_pd(p); }
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512 all512(float x) { return _mm512_set1_ps(x); }
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512d all512(double x) { return _mm512_set1_pd(x); }
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512 fma512(__m512 x, __m512 y, __m512 z) {
  return _mm512_fmadd_ps(x, y, z);
}
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512d fma512(__m512d x, __m512d y, __m512d z) {
  return _mm512_fmadd_pd(x, y, z);
}
[[gnu::target("avx512f"), gnu::always_inline]] inline void store512(float* p, __m512 x) { _mm512_storeu_ps(p, x); }
[[gnu::target("avx512f"), gnu::always_inline]] inline void store512(double* p, __m512d x) { _mm512_storeu_pd(p, x); }

[[gnu::target("avx512f"), gnu::always_inline]] inline float total512(__m512 x) { return _mm512_reduce_add_ps(x); }
[[gnu::target("avx512f"), gnu::always_inline]] inline double total512(__m512d x) { return _mm512_reduce_add_pd(x); }

[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 load256(const float* p) { return _mm256_loadu_ps(p); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256d load256(const double* p) { return _mm256_loadu_pd(p); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 all256(float x) { return _mm256_set1_ps(x); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256d all256(double x) { return _mm256_set1_pd(x); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 fma256(__m256 x, __m256 y, __m256 z) {
  return _mm256_fmadd_ps(x, y, z);
}
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256d fma256(__m256d x, __m256d y, __m256d z) {
  return _mm256_fmadd_pd(x, y, z);
}
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void store256(float* p, __m256 x) { _mm256_storeu_ps(p, x); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void store256(double* p, __m256d x) { _mm256_storeu_pd(p, x); }

}  // namespace tutti::cpu
