// Running Eqns by their ops' eval: the meaning of a Program.
#pragma once

#include <span>
#include <vector>

#include "device/buffer.hpp"
#include "ir/op.hpp"

namespace tutti {

/// Runs one Eqn by its op's eval. UnsupportedError when the op has none.
void evaluate(const Eqn& eqn, const std::vector<Type>& operand_types, std::span<const HostView> operands,
              std::span<const HostView> results);
/// Runs a Program Eqn by Eqn; a value is released after its last use.
std::vector<HostPtr> evaluate(const Program& program, std::span<const HostPtr> inputs);
/// The same of buffers that on_host takes.
std::vector<BufferPtr> evaluate(const Program& program, std::span<const BufferPtr> inputs);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
