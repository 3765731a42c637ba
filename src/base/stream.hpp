// Writing past the caches: what does not fit them is written once, and not read before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/processor.hpp"

namespace tutti {

/// Bytes of a result from which on it is written past the caches.
constexpr std::int64_t kPastCache = std::int64_t{1} << 25;

#if TUTTI_X86
/// Copies whole lines of 64 bytes; `to` begins with one. Before others read it: processor::finish_streams().
inline void stream_lines_plain(const char* from, std::int64_t bytes, char* to) {
  for (std::int64_t i = 0; i < bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
}
[[gnu::target("avx512f")]] inline void stream_lines_avx512(const char* from, std::int64_t bytes, char* to) {
  for (std::int64_t i = 0; i < bytes; i += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
}
inline void stream_lines(const char* from, std::int64_t bytes, char* to) {
  static const auto best = __builtin_cpu_supports("avx512f") ? stream_lines_avx512 : stream_lines_plain;
  best(from, bytes, to);
}

/// Fills lines with one of them.
inline void stream_same_plain(const char* line, std::int64_t bytes, char* to) {
  const __m128i* from = reinterpret_cast<const __m128i*>(line);
  const __m128i parts[] = {_mm_loadu_si128(from), _mm_loadu_si128(from + 1), _mm_loadu_si128(from + 2),
                           _mm_loadu_si128(from + 3)};
  for (std::int64_t i = 0; i < bytes; i += 64)
    for (int k = 0; k < 4; ++k) _mm_stream_si128(reinterpret_cast<__m128i*>(to + i) + k, parts[k]);
}
[[gnu::target("avx512f")]] inline void stream_same_avx512(const char* line, std::int64_t bytes, char* to) {
  const __m512i all = _mm512_loadu_si512(line);
  for (std::int64_t i = 0; i < bytes; i += 64) _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), all);
}
inline void stream_same(const char* line, std::int64_t bytes, char* to) {
  static const auto best = __builtin_cpu_supports("avx512f") ? stream_same_avx512 : stream_same_plain;
  best(line, bytes, to);
}

#else  // the caches see to it
inline void stream_lines(const char* from, std::int64_t bytes, char* to) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}
inline void stream_same(const char* line, std::int64_t bytes, char* to) {
  for (std::int64_t i = 0; i < bytes; i += 64) std::memcpy(to + i, line, 64);
}
#endif

/// Fills n elements.
template <class T> void stream_fill(T* to, std::int64_t n, const T& value) {
  if constexpr (16 % sizeof(T) == 0) {
    const auto over = static_cast<std::int64_t>((64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64 / sizeof(T));
    const std::int64_t before = std::min(n, over);
    std::fill_n(to, before, value);
    to += before;
    n -= before;
    constexpr auto of_line = static_cast<std::int64_t>(64 / sizeof(T));
    T line[of_line];
    std::fill_n(line, of_line, value);
    const std::int64_t lines = n / of_line;
    stream_same(reinterpret_cast<const char*>(line), 64 * lines, reinterpret_cast<char*>(to));
    to += lines * of_line;
    n -= lines * of_line;
  }
  std::fill_n(to, n, value);
}

/// Copies n bytes from anywhere to anywhere.
inline void stream_copy(const char* from, std::int64_t n, char* to) {
  const auto over = static_cast<std::int64_t>((64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64);
  const std::int64_t before = std::min(n, over), lines = (n - before) / 64 * 64;
  std::memcpy(to, from, static_cast<std::size_t>(before));
  stream_lines(from + before, lines, to + before);
  std::memcpy(to + before + lines, from + before + lines, static_cast<std::size_t>(n - before - lines));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
