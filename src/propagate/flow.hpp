// How axes flow through Eqns: by factors, in rounds of growing courage, until nothing changes.
#pragma once

#include <vector>

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The axes of a value's dims during propagation; whole mesh axes by number, major first.
struct ValueAxes {
  std::vector<std::vector<int>> dims;
  std::vector<char> closed;  // dims that somebody wrote down: they never change
};

/// Grows `placements` (per ValueId of program.program) to a fixpoint, and notes in program.origins where each axis came
/// from.
void flow(ShardedProgram& program, std::vector<ValueAxes>& placements);

}  // namespace tutti
