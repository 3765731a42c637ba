// Halo exchange for values that are a little shorter than a sharded dim.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with values of a part of a sharded dim computed on all of it (partition/alignment.hpp): where elements
/// do not meet they are rolled, which sends rows to neighbours, and what does not count is masked where it would show.
/// The same program where nothing is gained.
ShardedProgram with_aligned_dims(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
