// Shardings of all values of a Program, by factors. In: a Program, the shardings of its inputs, wanted ones of its
// outputs. Out: a ShardedProgram, whose output shardings are final. Start reading at propagate.cpp; the rules are in
// flow.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mesh/conflict.hpp"
#include "propagate/sharded_program.hpp"

namespace tutti {

/// `argument x of add with shape int32[24] and`.
inline std::string argument_text(const std::string& argument, const std::string& function, const Type& type) {
  return argument_text(argument, function, Type{type.dtype, type.shape, false, {}}.str());
}
/// Constraints and manual regions inside `program`, in program order, for check_devices.
std::vector<Placed> placed_inside(const Program& program);

/// `inputs[i]` empty: uncommitted, goes where it is wanted. `outputs` (may be empty as a whole or each) are wanted
/// shardings. Device lists must agree (check_devices); a mesh that has no common refinement with those before it stays
/// out of the flow.
ShardedProgram propagate(const ProgramPtr& program, const std::vector<Sharding>& inputs = {},
                         const std::vector<Sharding>& outputs = {});

}  // namespace tutti
