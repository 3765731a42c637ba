// Views along a cut dim as rolls: what is put together of slices, pads and concatenations along one dim, and has the
// extent of an array that it is made of, is that array turned round, where parts of it are replaced. A roll is computed
// on blocks by a message to a neighbour; a slice that is one element shorter than its array is not.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// Of the program and its bodies, in which equal Eqns become one. Values keep their numbers; new ones come behind.
ShardedProgram with_rolls(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
