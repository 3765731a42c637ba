#pragma once

#include <optional>

#include "ir/home.hpp"
#include "ir/index.hpp"

namespace tutti::ops {

/// Operands: a, b; a^-1 b, of which no factors are left.
extern const Home direct_solve;

/// Of a solve by factors that nobody else reads, and whose extents have a kernel: the same in one.
std::optional<Eqn> solved_directly(const Program& program, const ProgramIndex& index, const Eqn& solve);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
