// From devices to processes: what propagation said of devices, said of the processes in which they are.
#pragma once

#include <memory>
#include <vector>

#include "mesh/places.hpp"
#include "propagate/sharded_program.hpp"

namespace tutti {

/// `sharded` on the mesh of processes: layouts keep the axes that cross them. `inputs`: the shardings of the arrays
/// that come, empty for one that every process holds whole.
ShardedProgram between_processes(const ShardedProgram& sharded, const std::shared_ptr<const Places>& places,
                                 const std::vector<Sharding>& inputs);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
