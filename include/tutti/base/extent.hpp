// Arithmetic of extents and element counts that stops at the ends of int64 instead of wrapping around: what is too
// large stays too large, and is refused where a type is made (trace/bind.cpp).
#pragma once

#include <cstdint>

namespace tutti::extent {

/// More bytes than any memory has, and few enough that rounding a count up to blocks does not overflow.
inline constexpr std::int64_t most = std::int64_t(1) << 56;

constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}
constexpr std::int64_t mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}
/// |a|, also of the least integer.
constexpr std::uint64_t magnitude(std::int64_t a) {
  return a < 0 ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
}
/// How many parts of `size` (1 or more) it takes to hold `n` (0 or more).
constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t size) { return n / size + (n % size != 0); }

}  // namespace tutti::extent

// SPDX-License-Identifier: Apache-2.0
