// Small matrix products as loop nests, for functions of whole loops: a call costs more than they do.
#pragma once

#include <optional>

#include "compile/plan.hpp"

namespace tutti::cpu {

/// What a step computes as one loop nest: a loop itself, or a product of at most some thousand multiplications. Nothing
/// for other steps.
std::optional<compile::Loop> nest_of(const compile::Step& step);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
