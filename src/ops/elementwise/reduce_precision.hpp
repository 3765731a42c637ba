#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct ReducePrecision {
  int exponent_bits = 8, mantissa_bits = 23;
  friend bool operator==(const ReducePrecision&, const ReducePrecision&) = default;
};

extern const Home reduce_precision;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
