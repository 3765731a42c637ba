// Collectives: operations among the devices along named mesh axes. Manual regions and the partitioner emit them. What
// each says about itself is in its home and reaches the stages as Op::collective (ir/collective.hpp).
#pragma once

#include <cstdint>
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
/// Of ppermute: (source, destination) positions in the group; zeros where nothing arrives. What the partitioner emits
/// is a rule instead, whose size does not depend on the group's: a turn, after which position i has come to i + turn,
/// round the group; or digits, the position being written in them, major first: digit k of the destination is digit
/// order[k] of the source.
struct Permute {
  Group group;
  std::vector<std::pair<int, int>> pairs = {};
  std::int64_t turn = 0;
  std::vector<std::int64_t> digits = {};
  std::vector<int> order = {};
  bool operator==(const Permute&) const = default;

  /// Where what is at a position goes, and where what comes there is from; -1: nowhere.
  std::int64_t destination(std::int64_t position) const;
  std::int64_t source(std::int64_t position) const;
  /// All pairs, one by one.
  std::vector<std::pair<int, int>> list() const;
  /// The other way round.
  Permute inverse() const;
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

// SPDX-License-Identifier: Apache-2.0
