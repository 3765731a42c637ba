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

/// Where one input lies. An empty sharding: on the default device.
struct Placement {
  Sharding sharding;
  bool committed = false;
  std::string name;  // for errors: "x1" or "params.layers[0].weight"
};
/// What is known and wanted of places before propagation.
struct Asked {
  std::vector<Placement> inputs;
  std::vector<Sharding> outputs;  // empty ones are open; or nothing at all
  std::string what;               // whose arguments the inputs are, for errors
};

/// Of a program without calls (transform/inline_calls.hpp). DeviceError names the two that disagree about the devices;
/// a mesh that has no common refinement with those before it stays out of the flow.
ShardedProgram propagate(const ProgramPtr& program, const Asked& asked);
/// The same for inputs that are committed where they have a sharding.
ShardedProgram propagate(const ProgramPtr& program, const std::vector<Sharding>& inputs = {},
                         const std::vector<Sharding>& outputs = {});

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
