// Windows whose place along one dim is counted by the indices themselves, as that of x[arange(n), y].
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with gathers and scatters of which a column of the indices counts along a batch dim, 0, 1 ... up to the
/// extent of the dim that it names: that dim is an operand_batching_dim instead, so that both may be cut alike.
/// Gathers of one element each then have the form of take_along_axis. The same program where there is none.
ShardedProgram with_counted_dims(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
