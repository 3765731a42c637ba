// Loops that add up rows.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with each scan whose body does nothing but add its slices to its carries as running sums, which blocks
/// of a cut dim make with a few messages (ops/reduction/cumsum). The same program where there is none.
ShardedProgram with_running_sums(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
