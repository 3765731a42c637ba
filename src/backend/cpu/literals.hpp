// Literals that change from program to program: arguments of kernels, not parts of them.
#pragma once

#include "compile/plan.hpp"

namespace tutti::cpu {

/// A literal in a long loop is a constant of its machine code, which is faster. Where the same body has come before
/// with other literals, as with a learning rate that is a plain number, it is loaded instead: all of them share one
/// code.
compile::Plan load_changing_literals(compile::Plan plan);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
