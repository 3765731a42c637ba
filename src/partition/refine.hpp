// Dims in parts, where that is better to partition.
#pragma once

#include <cstdint>

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with dims in parts where it regroups or joins dims in ways that hide parts from so many devices
/// (partition/dim_parts.hpp). Inputs and outputs stay as they are. The same program where there is none.
ShardedProgram with_dims_in_parts(const ShardedProgram& sharded, std::int64_t devices);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
