// Shardings of all values of a Program, by factors. In: a Program, the shardings of its inputs, wanted ones of its outputs.
// Out: a ShardedProgram, whose output shardings are final. Start reading at propagate.cpp; the rules are in flow.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "propagate/sharded_program.hpp"

namespace tutti {

/// Something that names devices in a call: `argument x of add with shape int32[24]`, `sharding_constraint inside jit`.
struct Placed {
  std::string text;
  Sharding sharding;
  Loc loc;             // printed where known
};
/// `argument x of add with shape int32[24]`.
std::string argument_text(const std::string& argument, const std::string& function, const Type& type);
/// All device lists must be equal, in order: else a DeviceError names the first two that clash. Empty shardings fit everywhere.
void check_devices(std::span<const Placed> placed);
/// Constraints and manual regions inside `program`, in program order, for check_devices.
std::vector<Placed> placed_inside(const Program& program);

/// `inputs[i]` empty: uncommitted, goes where it is wanted. `outputs` (may be empty as a whole or each) are wanted shardings.
/// Device lists must agree (check_devices); a mesh that has no common refinement with those before it stays out of the flow.
ShardedProgram propagate(const ProgramPtr& program, const std::vector<Sharding>& inputs = {}, const std::vector<Sharding>& outputs = {});

}  // namespace tutti
