// What the halves of a loop that a split cuts in two agree on.
#pragma once

#include <vector>

#include "regions/lists.hpp"
#include "regions/loops.hpp"

namespace tutti::ops {

/// What of a loop is unknown where a split cuts it in two.
struct LoopCut {
  Loop loop;
  LoopParts<bool> given;  // operands
  LoopParts<bool> late;   // these, and carries that become unknown in some step
  LoopCut(const Call& c, const std::vector<bool>& unknown, const std::vector<bool>& all_late)
      : loop(loop_of(c)), given(unknown, loop), late(all_late, loop) {}
  /// Per carry: it begins known and becomes unknown. Its first value is a residual.
  std::vector<bool> turning() const;
  /// First values of the late carries: those that are `given`, and residuals.
  std::vector<Array> first_late(const std::vector<Array>& carries, const std::vector<Array>& turning_ones) const;
  /// What belongs to operands, or inputs of a body, that are known in every step.
  template <class T> LoopParts<T> known(const LoopParts<T>& x) const {
    return {where(x.before, late.before, false), where(x.consts, late.consts, false),
            where(x.carries, late.carries, false), where(x.slices, late.slices, false)};
  }
};

/// The body of a scan cut in two, where a carry that is unknown is made by the unknown half also where its steps know
/// it.
struct BodySplit {
  std::vector<bool> late;  // which inputs are unknown
  Split split;
};
BodySplit split_body(const Call& c, const std::vector<bool>& unknown);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
