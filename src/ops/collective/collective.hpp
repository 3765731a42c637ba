// Collectives: operations among the devices along named mesh axes. Manual regions and the partitioner emit them. What
// each says about itself is in its home and reaches the stages as Op::collective (ir/collective.hpp).
#pragma once

#include <utility>
#include <vector>

#include "ir/collective.hpp"
#include "ir/home.hpp"

namespace tutti::ops {

/// Of all_gather and reduce_scatter (named psum_scatter in lax).
struct GatherOver {
  Group group;
  int dim = 0;  // untiled: position of the new (or removed) dim; tiled: the dim that grows (or shrinks)
  bool tiled = false;
  bool operator==(const GatherOver&) const = default;
};
/// Of ppermute: (source, destination) positions in the group; zeros where nothing arrives.
struct Permute {
  Group group;
  std::vector<std::pair<int, int>> pairs;
  bool operator==(const Permute&) const = default;
};
/// Of all_to_all.
struct Exchange {
  Group group;
  int split = 0, concat = 0;
  bool tiled = false;
  bool operator==(const Exchange&) const = default;
};

/// The parameters are a Group: the sum, maximum and minimum over it; the same value, typed as varying over its axes;
/// and the position of the device in it, int32[], from no operand.
extern const Home psum, pmax, pmin, pvary, axis_index;
extern const Home all_gather, reduce_scatter, ppermute, all_to_all;

}  // namespace tutti::ops
