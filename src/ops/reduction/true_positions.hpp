#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct TruePositions {  // operand: bool [batch..., n]; result: int32 [batch..., size]
  std::int64_t size = 0;
  friend bool operator==(const TruePositions&, const TruePositions&) = default;
};

/// Where the first `size` trues along the last dim stand, in order; n behind the last one.
extern const Home true_positions;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
