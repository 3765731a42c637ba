#pragma once

#include "ir/home.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

struct Transpose {
  lax::Dims permutation;  // result dim i is operand dim permutation[i]
  friend bool operator==(const Transpose&, const Transpose&) = default;
};

extern const Home transpose;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
