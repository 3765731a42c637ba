#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Solve {
  bool transposed = false;  // the transpose of a, without a conjugate
  friend bool operator==(const Solve&, const Solve&) = default;
};

/// Operands: a, which only derivatives look at, its factors and pivots (ops::lu), b.
extern const Home solve;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
