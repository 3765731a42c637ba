// Boundary conditions: a few rows of a sharded dim, of which others of the same block or of another one are made.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with rows that are read of one block of a sharded dim, as u[1] and u[-2] are, and written to another
/// place of a dim sharded alike, computed by every device of its own block: what only one of them needs is sent to
/// nobody, and between two blocks by a permutation. The same program where there are no such rows.
ShardedProgram with_rows_in_blocks(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
