// Elements as unsigned numbers in the order of sort: what has no order (complex numbers, keys) has none.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "base/half.hpp"

namespace tutti::ops {

template <class T>
concept Half = std::same_as<T, BFloat16> || std::same_as<T, Float16>;
/// Storage types that sort and search take.
template <class T>
concept Orderable = std::same_as<T, bool> || std::integral<T> || std::floating_point<T> || Half<T>;

namespace detail {
template <std::size_t bytes> struct Word;
template <> struct Word<1> { using type = std::uint8_t; };
template <> struct Word<2> { using type = std::uint16_t; };
template <> struct Word<4> { using type = std::uint32_t; };
template <> struct Word<8> { using type = std::uint64_t; };
}  // namespace detail
template <Orderable T> using OrderWord = typename detail::Word<sizeof(T)>::type;

/// A number that compares with others as elements do in JAX: -0 equals 0, all NaN are equal and behind infinity.
template <Orderable T> inline OrderWord<T> ordered(T x) {
  using U = OrderWord<T>;
  constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
  if constexpr (std::floating_point<T> || Half<T>) {
    using F = std::conditional_t<Half<T>, float, T>;
    const F value = static_cast<F>(x);
    const U bits = value == 0 ? U{0} : std::bit_cast<U>(x);
    const U word = static_cast<U>(bits ^ (bits & sign ? static_cast<U>(~U{0}) : sign));
    return value != value ? static_cast<U>(~U{0}) : word;
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<U>(static_cast<U>(x) ^ sign);
  } else {
    return static_cast<U>(x);
  }
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
