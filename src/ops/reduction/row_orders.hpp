// Elements of a row as 32-bit words in the order of sort, many at a time where the processor has instructions for it.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "lane/side_by_side.hpp"
#include "ops/reduction/ordered.hpp"

namespace tutti::ops {

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
}  // namespace detail

/// out[i] = ordered(x[i * step]) ^ turn, to be compared as unsigned numbers of as many bits.
template <Orderable T>
requires has_short_order<T>
void row_orders(const T* x, std::int64_t step, std::int64_t n, bool descending, std::uint32_t* out) {
  const auto turn = static_cast<OrderWord<T>>(descending ? -1 : 0);
  std::int64_t i = 0;
  if constexpr (std::same_as<T, float> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t>)
    if (step == 1) lane::with_widest([&] [[gnu::always_inline]] { i = detail::wide_orders(x, n, turn, out); });
  for (; i < n; ++i) out[i] = static_cast<OrderWord<T>>(ordered(x[i * step]) ^ turn);
}

}  // namespace tutti::ops
