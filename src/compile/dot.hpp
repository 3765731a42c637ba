// Lowering of contractions to strided matrix products.
#pragma once

#include <vector>

#include "compile/fuse.hpp"
#include "compile/loop.hpp"
#include "compile/plan.hpp"

namespace tutti::compile {

/// Operands of a dot_general Eqn whose reading is no strided matrix: they need a dense copy.
std::vector<int> unreadable_operands(const Program& program, const Fusion& fusion, const Eqn& eqn);
Dot lower_dot(const Program& program, const Fusion& fusion, const Eqn& eqn, Storages& storages);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
