// Manual regions: the body is what every device runs. Where some axes lie within processes, the devices along these are
// one batch, as in a single process.
#pragma once

#include <functional>
#include <vector>

#include "mesh/places.hpp"
#include "partition/causes.hpp"
#include "partition/rows.hpp"
#include "tutti/array/array.hpp"

namespace tutti {

/// The mesh over which is partitioned, and whose it is where it is one of processes.
struct Around {
  const Mesh& mesh;
  const Places* places = nullptr;
};

/// Where operands and results of a shard_map Eqn lie on `around.mesh`. UnsupportedError when the region's mesh and that
/// have no common axes, or one of its axes is no boundary.
Candidate region_candidate(const Eqn& eqn, const Program& program, const Around& around, const AxisRefs& boundary);

/// Sees an Eqn that sends something, the parameters that it has on `mesh`, and the loops around it inside of the
/// region.
using OnCollective = std::function<void(const Eqn&, const Params&, const Type& operand, const Surroundings&)>;

/// Records the body on this device's blocks, collectives named after axes of the mesh. `live[k]`: somebody reads result
/// k; the others come back empty.
std::vector<Array> inline_region(const Eqn& eqn, const Around& around, std::vector<Array> blocks,
                                 const std::vector<bool>& live, const OnCollective& on_collective);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
