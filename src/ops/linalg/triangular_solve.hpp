#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Triangular {
  bool left, lower, transpose, conjugate, unit;
  friend bool operator==(const Triangular&, const Triangular&) = default;
};

/// Operands: a (of which one triangle is read), b.
extern const Home triangular_solve;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
