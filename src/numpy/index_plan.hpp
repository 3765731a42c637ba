// Index expressions resolved against an array's shape.
#pragma once

#include <vector>

#include "tutti/array/array.hpp"

namespace tutti {

/// One dim of x under an index expression.
struct Pick {
  enum class Kind { range, integer, array } kind = Kind::range;
  std::int64_t start = 0, count = 0, step = 1;  // range; integer: start
  Array array;
};

/// An index expression resolved against a shape: a Pick per dim of x, and where new dims of extent 1 stand among the
/// entries.
struct IndexPlan {
  std::vector<Pick> picks;  // per dim
  std::vector<int> order;   // entries: a dim, or -1 for a new dim
  bool has_array = false;
};

/// The plan of `index`; IndexError and its kin name the dim that does not fit.
IndexPlan plan_of(const Array& x, const std::vector<Index>& index);

/// The entries for an update or a reading with `mode`: with one that says what becomes of places that are not there a
/// number may name such a place, as an array, which is looked at when it is used.
std::vector<Index> reachable(const Array& x, std::vector<Index> index, AtMode mode);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
