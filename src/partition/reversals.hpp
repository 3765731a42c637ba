// What is done between two reversals of the same dims, done in the other direction.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// `rev(cumsum(rev(x)))` becomes the running sum from the end, which leaves blocks where they are; so do other running
/// ops and elementwise ones in between. Reversals of a few rows of a sharded dim (reflected borders) are these rows put
/// together.
ShardedProgram with_reversals(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
