// Lowering of one unit of fused Eqns to a loop nest.
#pragma once

#include <vector>

#include "compile/fuse.hpp"
#include "compile/plan.hpp"

namespace tutti::compile {

/// Which values have which storage, and new temporaries.
class Storages {
 public:
  virtual ~Storages() = default;
  virtual int of(ValueId v) = 0;
  virtual int literal(const Scalar& value) = 0;  // one element, constant
  virtual int temporary(std::int64_t bytes) = 0;
};

/// A unit's loop over collapsed dims, before storages are known.
struct Draft {
  Loop loop;
  std::vector<Atom> atoms;         // per access: what it reads or writes
  std::vector<char> reduced_dims;  // per dim
};
/// The dims of `extents`, a refinement of those that a reduction goes over, that it reduces.
std::vector<char> reduced_dims(const Program& program, const Eqn& reduction, const Extents& extents);
/// Nothing when several Eqns together would need more than one reduced dim. One loop, or one for each of the boxes into
/// which values that are put together cut it.
std::vector<Draft> draft_loops(const Program& program, const Fusion& fusion, const Unit& unit);

/// Loops of a unit: one, or several when a reduction needs more than one stage.
std::vector<Loop> lower_loop(const Program& program, const Fusion& fusion, const Unit& unit, Storages& storages);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
