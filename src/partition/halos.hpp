// Halo exchange: what several operations read of a neighbour's block is sent once.
#pragma once

#include "partition/local_program.hpp"

namespace tutti {

/// Permutations of blocks along the same devices that bring elements of one value bring their union once, corners of
/// blocks among them. What is computed elementwise is computed on the receiving device where what it is made of is
/// less, or comes anyway. The same program where nothing is gained.
LocalProgram with_shared_halos(LocalProgram local);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
