// Boxes of values that are seen as steps: a dim of 2 n elements as n steps of 2, whichever element the first begins at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "partition/rewriting.hpp"

namespace tutti {

/// A dim of whole steps as two, `dim` and the one behind it, of which another value sees elements from `offset` on: its
/// element i is number i + offset of them, if there is such a one.
struct Stepped {
  int dim;
  std::int64_t step, offset;
};
struct Range {
  std::int64_t from, to;
};
/// `source` with dims of steps, and what there is beyond it.
struct Seen {
  Atom source;
  std::vector<Stepped> dims;
  std::optional<Atom> fill;
};

class SteppedBoxes : protected Rewriting {
 protected:
  using Rewriting::Rewriting;

  /// A box of what is seen: `ranges` of its dims, each of the stepped ones being two. The other dims come last, so that
  /// several boxes share what is moved.
  Atom taken(const Seen& seen, std::vector<Range> ranges, Loc loc);
  /// The box of these ranges, dim by dim; what lies outside is `fill`.
  Atom box(const Atom& x, const std::vector<Range>& ranges, const std::optional<Atom>& fill, Loc loc);
  std::vector<Range> all_of(const Atom& x) const;
  /// With dim `d` as steps, of a value that lies so; with dims `d` and d + 1 as one.
  Atom with_steps(const Atom& x, int d, std::int64_t step, Layout apart, Loc loc);
  Atom without_steps(const Atom& x, int d, Loc loc);
  Atom reshaped(const Atom& x, Shape shape, Layout layout, Loc loc);

 private:
  Atom of_steps(const Atom& x, int d, Range elements, Loc loc);
  Atom part_of(const Atom& x, int d, Range steps, Range elements, const std::optional<Atom>& fill, Loc loc);

  std::map<std::tuple<ValueId, int, std::int64_t, std::int64_t>, Atom> of_steps_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
