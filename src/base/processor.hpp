// What the processor is that sources are compiled for. On x86-64 instructions beyond those that each of them has are
// chosen while the program runs; elsewhere (aarch64) every kernel has one form, in vectors that the compiler makes
// instructions of, and what is written in those of x86-64 is left out.
#pragma once

#if defined(__x86_64__)
#define TUTTI_X86 1
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
// In front of functions that run where has_avx2, or has_avx512, says so.
#define TUTTI_AVX2 [[gnu::target("arch=x86-64-v3")]]
#define TUTTI_AVX512 [[gnu::target("arch=x86-64-v4")]]
#else
#define TUTTI_X86 0
#define TUTTI_AVX2
#define TUTTI_AVX512
#endif

namespace tutti::processor {

#if TUTTI_X86
inline bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
/// Before others read what was written past the caches (base/stream.hpp).
inline void finish_streams() { _mm_sfence(); }
#else
constexpr bool has_avx512() { return false; }
constexpr bool has_avx2() { return false; }
constexpr void finish_streams() {}
#endif

/// Tells the processor that this thread spins.
inline void relax() {
#if TUTTI_X86
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace tutti::processor

// SPDX-License-Identifier: Apache-2.0
