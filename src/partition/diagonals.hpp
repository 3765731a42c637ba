// Diagonals of matrices that are cut.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// A diagonal is recorded as every (n + 1)th element of all rows in one, and a matrix with a given one as its way back:
/// both run across blocks. Where rows or columns are cut, an element is taken of each row, and numbers are put where
/// row and column agree: both stay inside of blocks.
ShardedProgram with_diagonals(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
