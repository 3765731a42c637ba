// Every second element of a sharded dim, and zeros between the elements of one.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with slices and pads that go along a sharded dim in steps, as those of a dim in two, of which the minor
/// one is nowhere sharded: x[1::2] is x.reshape(n / 2, 2)[:, 1]. Where steps divide blocks nothing is sent. The same
/// program where there is none.
ShardedProgram with_steps_as_dims(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
