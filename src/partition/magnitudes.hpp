// How large the values of a program can be: what decides whether a partial sum may be multiplied before it is complete.
#pragma once

#include <vector>

#include "ir/op.hpp"
#include "ir/program.hpp"

namespace tutti {

/// By ValueId; inputs and what no op knows about are unbounded.
std::vector<Magnitude> magnitudes(const Program& program);
/// Of an operand, given those of the values so far (none: nothing is known of values).
Magnitude magnitude_of(const Atom& a, const std::vector<Magnitude>& values);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
