#pragma once

#include <vector>

#include "ir/home.hpp"

namespace tutti::ops {

/// Of the reduce_* ops: sorted dims that disappear.
struct Reduction {
  std::vector<int> axes;
  bool any_order = false;  // a float's sum may be added in another order, which gives other bits
  friend bool operator==(const Reduction&, const Reduction&) = default;
};

extern const Home reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_any, reduce_all;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
