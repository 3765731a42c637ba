// Fourier transforms of several dims of which some are cut, as one transform after another.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// A transform of dims of which none is cut stays what it is: one kernel is faster. Others are taken apart: the dims
/// that are whole are transformed together, the cut ones each for itself, so that blocks can be exchanged in between,
/// and so that the way back can begin where the way there ended.
ShardedProgram with_fft_dims(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
