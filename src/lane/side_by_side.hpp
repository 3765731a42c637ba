// Vectors of 64 bytes in which each lane holds a problem of its own: rows of numbers, turned so that the first numbers
// of all of them make one vector, the second ones the next. No lane knows of its neighbours, and no product is fused
// with a sum: what comes out depends neither on these nor on the instructions that the processor has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/processor.hpp"
#include "lane/turn.hpp"

namespace tutti::lane {

/// T: float, double, or an integer of four or eight bytes.
template <class T> struct Side {
  static constexpr std::int64_t lanes = 64 / sizeof(T);
  typedef T V __attribute__((vector_size(64)));
  typedef T Unaligned __attribute__((vector_size(64))) __attribute__((aligned(sizeof(T)))) __attribute__((may_alias));
};

using processor::has_avx2;
using processor::has_avx512;
/// Which of three forms of a kernel runs here: of vectors of 16 bytes (0), of AVX2 (1), of AVX-512 (2).
inline int vector_kind() {
  static const int kind = has_avx512() ? 2 : has_avx2() ? 1 : 0;
  return kind;
}

namespace detail {
template <class F> TUTTI_AVX512 void run_avx512(F& f) { f(); }
template <class F> TUTTI_AVX2 void run_avx2(F& f) { f(); }
}  // namespace detail
/// Calls f, which is to be inlined (`[[gnu::always_inline]]`, as all that it calls), compiled for what this processor
/// has.
template <class F> void with_widest(F&& f) {
  if (has_avx512())
    detail::run_avx512(f);
  else if (has_avx2())
    detail::run_avx2(f);
  else
    f();
}

namespace detail {
template <class F> TUTTI_AVX512 void of_64_bytes(F& f) { f.template operator()<64>(); }
template <class F> TUTTI_AVX2 void of_32_bytes(F& f) { f.template operator()<32>(); }
}  // namespace detail
/// The same, for kernels that compute in vectors: f.operator()<bytes>(), as many as those of this processor have. Wider
/// ones are kept in memory by compilers, element by element.
template <class F> void with_vectors(F&& f) {
  if (has_avx512())
    detail::of_64_bytes(f);
  else if (has_avx2())
    detail::of_32_bytes(f);
  else
    f.template operator()<16>();
}

/// The same on processors that have no AVX-512, for which a kernel has another form (lane/begin_avx512.inc).
template <class F> void with_avx2(F&& f) {
  if (has_avx2())
    detail::run_avx2(f);
  else
    f();
}

/// to[i] has number i of each row in a lane. Rows (at most `lanes`) lie one behind the other; lanes without one are 0.
template <class T> void load_rows(const T* in, std::int64_t rows, std::int64_t numbers, typename Side<T>::V* to) {
  constexpr std::int64_t count = Side<T>::lanes;
  const std::int64_t whole = numbers - numbers % count, rest = numbers - whole;
  turn_squares(in, numbers, rows, whole, reinterpret_cast<T*>(to), count);
  if (rest == 0) return;
  T part[count * count] = {}, turned[count * count];
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* row = in + r * numbers + whole;
    if (rest + (rows - 1 - r) * numbers >= count)  // what follows is not looked at
      __builtin_memcpy(part + r * count, row, 64);
    else
      std::copy_n(row, rest, part + r * count);
  }
  turn_squares(static_cast<const T*>(part), count, count, count, turned, count);
  std::copy_n(turned, rest * count, reinterpret_cast<T*>(to + whole));
}
template <class T> void store_rows(const typename Side<T>::V* from, std::int64_t rows, std::int64_t numbers, T* out) {
  constexpr std::int64_t count = Side<T>::lanes;
  const std::int64_t whole = numbers - numbers % count, rest = numbers - whole;
  if (rest > 0) {
    T part[count * count], turned[count * count] = {};
    std::copy_n(reinterpret_cast<const T*>(from + whole), rest * count, turned);
    turn_squares(static_cast<const T*>(turned), count, count, count, part, count);
    for (std::int64_t r = 0; r < rows; ++r) {
      T* row = out + r * numbers + whole;
      if (rest + (rows - 1 - r) * numbers >= count)  // beyond the row, where what belongs there comes later
        __builtin_memcpy(row, part + r * count, 64);
      else
        std::copy_n(part + r * count, rest, row);
    }
  }
  turn_squares(reinterpret_cast<const T*>(from), count, whole, rows, out, numbers);
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
