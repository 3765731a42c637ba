// Manual regions whose axes are all boundaries: the body is what every device runs.
#pragma once

#include <functional>
#include <vector>

#include "partition/causes.hpp"
#include "partition/rows.hpp"
#include "tutti/array/array.hpp"

namespace tutti {

/// Where operands and results of a shard_map Eqn lie on `mesh`. UnsupportedError when the region's mesh and `mesh` have
/// no common axes, or one of its axes is no boundary.
Candidate region_candidate(const Eqn& eqn, const Program& program, const Mesh& mesh, const AxisRefs& boundary);

/// Sees an Eqn that sends something, the parameters that it has on `mesh`, and the loops around it inside of the
/// region.
using OnCollective = std::function<void(const Eqn&, const Params&, const Type& operand, const Surroundings&)>;

/// Records the body on this device's blocks, collectives named after axes of `mesh`. `live[k]`: somebody reads result
/// k; the others come back empty.
std::vector<Array> inline_region(const Eqn& eqn, const Mesh& mesh, std::vector<Array> blocks,
                                 const std::vector<bool>& live, const OnCollective& on_collective);

}  // namespace tutti
