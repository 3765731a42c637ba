// Manual regions whose axes are all boundaries: the body is what every device runs.
#pragma once

#include <functional>
#include <vector>

#include "partition/rows.hpp"
#include "tutti/array/array.hpp"

namespace tutti {

/// Where operands and results of a shard_map Eqn lie on `mesh`. UnsupportedError when the region's mesh and `mesh` have
/// no common axes, or one of its axes is no boundary.
Candidate region_candidate(const Eqn& eqn, const Program& program, const Mesh& mesh, const AxisRefs& boundary);

/// Records the body on this device's blocks, collectives named after axes of `mesh`. `live[k]`: somebody reads result
/// k; the others come back empty. `on_collective` sees each Eqn that sends something.
std::vector<Array> inline_region(
    const Eqn& eqn, const Mesh& mesh, std::vector<Array> blocks, const std::vector<bool>& live,
    const std::function<void(const Eqn&, const Params&, const Type& operand)>& on_collective);

}  // namespace tutti
