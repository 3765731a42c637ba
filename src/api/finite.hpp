// config::debug_nans and config::debug_infs: which operation made the first number that is none.
#pragma once

#include <span>
#include <string>

#include "device/buffer.hpp"
#include "ir/program.hpp"

namespace tutti {

/// Whether results of calls are looked at.
bool finite_is_asked();
/// FloatingPointError where a result of the program holds what is forbidden: names the first operation that made it of
/// operands that did not, running the program once more, operation by operation.
void check_finite(const ProgramPtr& program, const std::string& what, std::span<const BufferPtr> inputs,
                  std::span<const BufferPtr> results);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
