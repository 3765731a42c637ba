#pragma once

#include <optional>

#include "ir/home.hpp"

namespace tutti::ops {

struct ArgReduction {
  int axis = 0;
  DType index = int32;
  friend bool operator==(const ArgReduction&, const ArgReduction&) = default;
};

extern const Home argmax, argmin;

/// What an Eqn gives the first place of: the max or the min along a dim. Nothing for other Eqns.
struct PlaceOf {
  Op::Reduce extremum;
  int axis;
  DType index;
};
std::optional<PlaceOf> place_of(const Eqn& eqn);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
