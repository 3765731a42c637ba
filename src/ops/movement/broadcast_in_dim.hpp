#pragma once

#include "ir/home.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

struct BroadcastInDim {
  Shape shape;
  lax::Dims dims;  // result dim of each operand dim, increasing
  friend bool operator==(const BroadcastInDim&, const BroadcastInDim&) = default;
};

extern const Home broadcast_in_dim;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
