// Reading an array in the order of its sorted elements.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with `take_along_axis(x, argsort(x))`, of all indices or a slice of them, as what the sort made of x
/// itself; also where -x was sorted. The same program where there is none.
ShardedProgram with_sorted_rows(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
