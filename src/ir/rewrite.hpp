// Programs made of Programs, for every stage.
#pragma once

#include <functional>

#include "ir/program.hpp"

namespace tutti {

/// The program in which every Eqn that `is_same` picks stands for its operand, also in sub-programs; itself when there
/// are none.
ProgramPtr without_identities(const ProgramPtr& program, const std::function<bool(const Eqn&)>& is_same);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
