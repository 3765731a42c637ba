// Updates at places that count, as those of `x.at(slice(0, n, 2))`.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with scatters to a sharded dim at places that count evenly along a dim of the updates, known before
/// anything runs, as selections between the operand and the updates with gaps between them. The same program where
/// there is none.
ShardedProgram with_counted_updates(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
