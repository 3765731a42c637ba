// Which dims of which values are parts of one sharded dim: `x[1:] - x[:-1]` is 4095 elements of the 4096 of x, from the
// first or from the second on. Slices, pads, concatenations and box updates say how far dims lie apart, elementwise
// operations that they had better not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "propagate/sharded_program.hpp"

namespace tutti {

/// What an Eqn does along a dim of the base.
enum class AlignedForm {
  other,    // it takes its operands as they are
  slice,    // of one element after the other
  pad,      // without interior elements
  joined,   // concatenated along the dim
  update,   // dynamic_update_slice at places that are known
  index,    // every element is its own number along the dim
  each,     // every element of the dim by itself, as `factors` say
  reduced,  // Op::reduce over the dim
  product,  // contracted over the dim
};

/// Values of which one dim is a part of a base.
struct Alignment {
  struct Base {
    std::int64_t extent;
    AxisRefs axes;  // that cut it
  };
  struct Place {
    int dim, base;
    std::int64_t at;  // where in the base element 0 lies; of one that is longer than the base 0 or before it
  };
  std::vector<Base> bases;
  std::map<ValueId, Place> places;
  std::set<ValueId> constants;     // all elements along the dim are the same
  std::vector<AlignedForm> forms;  // by Eqn

  /// Where it is on that base, or nullptr.
  const Place* on(int base, const Atom& a) const {
    if (a.is_literal()) return nullptr;
    const auto at = places.find(a.id);
    return at != places.end() && at->second.base == base ? &at->second : nullptr;
  }
};

/// Bases in which something is computed of fewer or more elements than they have, no value being on two; nothing where
/// there is none. `seen`: first values and dims of those that were looked at, which are not again.
std::optional<Alignment> next_alignment(const ShardedProgram& sharded, std::set<std::pair<ValueId, int>>& seen);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
