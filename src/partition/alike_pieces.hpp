// What a program does to each slice of a dim in turn (one head of attention after the other), done to the whole dim.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with each array that is put together of pieces, piece h made of slices h of other arrays in the same way
/// as all others, made by one batch of that way: so the pieces' dim can be cut. The same program where there is none.
ShardedProgram with_alike_pieces(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
