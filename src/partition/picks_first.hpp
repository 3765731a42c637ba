// Single elements of what is computed elementwise.
#pragma once

#include <optional>

#include "propagate/sharded_program.hpp"

namespace tutti {

/// Whether there is a gather in the program or one of its bodies.
bool reads_windows(const Program& program);
/// The dim along which a gather takes single elements, all other dims going hand in hand (take_along_axis). Nothing for
/// any other Eqn.
std::optional<int> taken_along(const Eqn& eqn, const Program& program);

/// The program with elements taken of the operand of an elementwise op, where that is one array and what is the same
/// along the dim, in place of its result: `take(x - log(sum)) = take(x) - log(sum)`. The same program where there is
/// none.
ShardedProgram with_picks_first(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
