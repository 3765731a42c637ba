#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct IntegerPow {
  std::int64_t exponent = 1;
  friend bool operator==(const IntegerPow&, const IntegerPow&) = default;
};

extern const Home sqrt, rsqrt, cbrt, integer_pow, pow;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
