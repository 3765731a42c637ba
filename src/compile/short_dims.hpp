// Values that loops never store, with a dim of a few elements that ends in reductions.
#pragma once

#include <set>
#include <utility>

#include "compile/views.hpp"
#include "ir/program.hpp"

namespace tutti::compile {

/// Results of elementwise work, with the dims of few elements along which every reader goes component by component:
/// elementwise work of the same kind, a box of some of them, a reduction over that dim alone, or, where it is the last
/// one (and fills no vector), a reduction over others.
class ShortDims {
 public:
  explicit ShortDims(const Program& program);
  bool contain(ValueId v, int dim) const { return found_.contains({v, dim}); }
  /// The dim along which the operand of this box is taken apart; -1: none.
  int of_box(const Program& program, const Eqn& view) const;
  /// The dim along which the operand of this reduction is taken apart; -1: none.
  int of_reduction(const Program& program, const Eqn& reduction) const;

 private:
  std::set<std::pair<ValueId, int>> found_;
};

/// Where a view that reads some neighbours along a dim, and all along the others, begins; -1: it is none.
std::int64_t box_along(const Program& program, const Eqn& view, int dim);
/// Whether the results of a reduction may be combined by elementwise work, keeping the type that they are combined in.
bool combines_elementwise(const Program& program, const Eqn& reduction);
/// The elementwise op that combines two elements as a reduction does.
const Op& combining_op(Op::Reduce kind);

/// Whether a view repeats what is much smaller: `box`, some of its result, then keeps each element once.
bool repeats(const Program& program, const Eqn& view, Extents& box);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
