// Elements of a row as 32-bit words in the order of sort, many at a time where the processor has instructions for it.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "backend/cpu/kernels/kernels.hpp"
#include "lane/side_by_side.hpp"
#include "ops/reduction/ordered.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tutti::kernels {

/// Whether elements have such words.
template <class T> inline constexpr bool has_short_order = false;
template <Orderable T> inline constexpr bool has_short_order<T> = sizeof(T) <= 4;

namespace detail {
/// The words of float32, int32 and uint32 elements that stand side by side; returns how many were made, perhaps not the
/// last ones.
template <class T>
[[gnu::always_inline]] inline std::int64_t wide_orders(const T* x, std::int64_t n, std::uint32_t turn,
                                                       std::uint32_t* out) {
  constexpr std::int64_t lanes = lane::Side<T>::lanes;
  using Whole = lane::Side<std::int32_t>::V;
  constexpr std::int32_t sign = std::numeric_limits<std::int32_t>::min();
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const typename lane::Side<T>::V value = *reinterpret_cast<const typename lane::Side<T>::Unaligned*>(x + i);
    Whole word;
    if constexpr (std::same_as<T, float>) {
      constexpr auto infinity = std::bit_cast<std::int32_t>(std::numeric_limits<float>::infinity());
      const auto bits = reinterpret_cast<Whole>(value + 0.0f);  // of -0 and 0: 0
      const Whole nan = (infinity - (bits & ~sign)) >> 31;
      word = (bits ^ ((bits >> 31) | sign)) | nan;
    } else {
      word = reinterpret_cast<Whole>(value) ^ (std::signed_integral<T> ? sign : 0);
    }
    *reinterpret_cast<lane::Side<std::int32_t>::Unaligned*>(out + i) = word ^ static_cast<std::int32_t>(turn);
  }
  return i;
}
#if TUTTI_X86
/// The same of float32 elements in vectors of 64 bytes. `turned`: with all bits the other way round; `row`: as many
/// follow and are wanted next. They come meanwhile: nothing else comes from memory while these are sorted.
template <bool turned, bool row>
[[gnu::target("arch=x86-64-v4")]] inline std::int64_t wide_float_orders(const float* x, std::int64_t n,
                                                                        std::uint32_t* out) {
  constexpr std::int64_t lanes = 16;
  const __m512i sign = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min());
  const __m512i last = _mm512_set1_epi32(turned ? 0 : -1);
  constexpr int straight = 0x1e, reversed = 0xe1;  // bits ^ (all of the sign | sign), and what it leaves out
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    if constexpr (row) __builtin_prefetch(x + n + i, 0, 2);
    const __m512 value = _mm512_add_ps(_mm512_loadu_ps(x + i), _mm512_setzero_ps());  // of -0 and 0: 0
    const __m512i bits = _mm512_castps_si512(value), signs = _mm512_srai_epi32(bits, 31);
    const __m512i word = _mm512_ternarylogic_epi32(bits, signs, sign, turned ? reversed : straight);
    const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    _mm512_storeu_si512(out + i, _mm512_mask_mov_epi32(word, nan, last));
  }
  return i;
}
#endif

/// The elements of words, many at a time: of float32, float64 and integers of as many bits.
template <class T>
[[gnu::always_inline]] inline std::int64_t wide_elements(const OrderWord<T>* words, std::int64_t n, OrderWord<T> turn,
                                                         T* out) {
  using Int = std::make_signed_t<OrderWord<T>>;
  using Side = lane::Side<Int>;
  constexpr Int sign = std::numeric_limits<Int>::min();
  constexpr int last = 8 * sizeof(T) - 1;
  std::int64_t i = 0;
  for (; i + Side::lanes <= n; i += Side::lanes) {
    typename Side::V order = *reinterpret_cast<const typename Side::Unaligned*>(words + i) ^ static_cast<Int>(turn);
    if constexpr (std::floating_point<T>)
      order ^= ~(order >> last) | sign;
    else if constexpr (std::signed_integral<T>)
      order ^= sign;
    *reinterpret_cast<typename Side::Unaligned*>(out + i) = order;
  }
  return i;
}
}  // namespace detail

/// What `ordered` and `turn` made a word of; of a zero the positive one.
template <Orderable T> T element_of(OrderWord<T> word, OrderWord<T> turn) {
  using U = OrderWord<T>;
  constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
  const U order = static_cast<U>(word ^ turn);
  if constexpr (std::same_as<T, bool>)
    return order != 0;
  else if constexpr (std::unsigned_integral<T>)
    return order;
  else if constexpr (std::integral<T>)
    return static_cast<T>(order ^ sign);
  else
    return std::bit_cast<T>(static_cast<U>(order & sign ? order ^ sign : ~order));
}
/// out[i * step] = element_of(words[i]); with a step of 1, `out` may be where the words are.
template <Orderable T, class Word>
void from_orders(const Word* words, std::int64_t n, OrderWord<T> turn, T* out, std::int64_t step) {
  std::int64_t i = 0;
  if constexpr (sizeof(T) == sizeof(Word) && sizeof(T) >= 4)
    if (step == 1) lane::with_widest([&] [[gnu::always_inline]] { i = detail::wide_elements(words, n, turn, out); });
  for (; i < n; ++i) out[i * step] = element_of<T>(static_cast<OrderWord<T>>(words[i]), turn);
}

/// out[i] = ordered(x[i * step]) ^ turn, to be compared as unsigned numbers of as many bits.
template <Orderable T>
requires has_short_order<T>
void row_orders(const T* x, std::int64_t step, std::int64_t n, bool descending, std::uint32_t* out) {
  const auto turn = static_cast<OrderWord<T>>(descending ? -1 : 0);
  std::int64_t i = 0;
#if TUTTI_X86
  if constexpr (std::same_as<T, float>)
    if (step == 1 && lane::has_avx512()) {
      constexpr std::int64_t kLongestRow = 1 << 13;
      i = n > kLongestRow ? descending ? detail::wide_float_orders<true, false>(x, n, out)
                                       : detail::wide_float_orders<false, false>(x, n, out)
          : descending ? detail::wide_float_orders<true, true>(x, n, out)
                          : detail::wide_float_orders<false, true>(x, n, out);
    }
#endif
  if constexpr (std::same_as<T, float> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t>)
    if (step == 1 && i == 0)
      lane::with_widest([&] [[gnu::always_inline]] { i = detail::wide_orders(x, n, turn, out); });
  for (; i < n; ++i) out[i] = static_cast<OrderWord<T>>(ordered(x[i * step]) ^ turn);
}

}  // namespace tutti::kernels
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
