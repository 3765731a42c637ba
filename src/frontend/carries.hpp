// What loops carry: recorded with types that stay the same from step to step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trace/trace.hpp"
#include "tutti/lax/control_flow.hpp"

namespace tutti::detail {

/// A step recorded from (carry, further inputs) to (the next carry, the rest), and the carry as it begins: what the
/// body promotes is converted.
struct RecordedStep {
  Traced step;
  std::vector<Array> init;
  std::vector<Type> types;  // of the carry
};
/// TypeError names the member of the carry, and both types, when a step changes what no conversion allows.
RecordedStep record_step(const char* what, Loc loc, const FirstCarry& carry, const std::vector<Type>& further,
                         const std::function<StepResult(const Arrays& carry, const Arrays& further)>& step);

/// The program with its captured arrays in front of its own inputs.
ProgramPtr captured_first(const Traced& traced);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
