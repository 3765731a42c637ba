#include "partition/partition.hpp"

#include <algorithm>

#include "partition/alike_pieces.hpp"
#include "partition/axis_parts.hpp"
#include "partition/known_rows.hpp"
#include "partition/manual_regions.hpp"
#include "partition/part.hpp"
#include "partition/picks_first.hpp"
#include "partition/refine.hpp"
#include "partition/rolls.hpp"
#include "partition/running_sums.hpp"
#include "partition/sorted_rows.hpp"
#include "propagate/sites.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

LocalProgram over(const ShardedProgram& sharded, const AxisRefs& axes, const Chooser& chooser) {
  const Program& p = *sharded.program;
  const Problem problem = problem_of(sharded, axes);
  // On parts of an axis blocks of an uneven dim are others than on the whole.
  bool even = true;
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    even = even && divides(problem.inputs[i], p.types[p.inputs[i]].shape);
  for (std::size_t k = 0; k < p.outputs.size(); ++k)
    even = even && divides(problem.outputs[k], p.type(p.outputs[k]).shape);
  Planner planner(sharded.mesh, even && !sharded.places);
  const BodyPlan plan = chooser(problem, planner);
  LocalProgram out;
  out.mesh = sharded.mesh;
  Part part(sharded, planner, plan.homes);
  std::vector<ValuePtr> inputs;
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    const ValueId v = p.inputs[i];
    out.input_types.push_back(p.types[v]);
    out.inputs.push_back(problem.inputs[i]);
    inputs.push_back(part.input(v, problem.inputs[i], i < p.input_names.size() ? p.input_names[i] : ""));
  }
  for (const Atom& a : p.outputs) out.output_types.push_back(p.type(a));
  out.outputs = problem.outputs;
  Recorded done = part.record(plan, inputs, out.outputs);
  out.program = done.traced.program;
  out.causes = std::move(done.causes);
  if (!done.traced.captured.empty() || count_sends(*out.program) != static_cast<int>(out.causes.size()))
    throw InternalError("partition: " + std::to_string(count_sends(*out.program)) + " collectives, " +
                        std::to_string(out.causes.size()) + " causes, " + std::to_string(done.traced.captured.size()) +
                        " captured arrays");
  return on_parts(std::move(out));
}

// Those of its axes that are boundaries.
AxisRefs axes_of(const Mesh& mesh, const BoundaryAxes& boundary) {
  AxisRefs out;
  if (!mesh.has_value()) return out;
  const std::vector<std::string>& names = boundary.names;
  for (int a = 0; a < mesh.ndim(); ++a) {
    const bool is_boundary = boundary.all || std::find(names.begin(), names.end(), mesh.axis_names()[a]) != names.end();
    if (mesh.shape()[a] > 1 && is_boundary) out.push_back(whole_axis(mesh, a));
  }
  return out;
}

// As rows can best be put on it.
ShardedProgram brought_to_form(const ShardedProgram& sharded, const AxisRefs& axes) {
  ShardedProgram plain = sharded;
  for (const auto pass : {with_sorted_rows, with_picks_first, with_known_rows, with_running_sums, with_alike_pieces})
    plain = pass(plain);
  return with_rolls(with_dims_in_parts(plain, ways(axes)));
}

}  // namespace

Proof prove(const ShardedProgram& sharded, std::int64_t limit) {
  const AxisRefs axes = axes_of(sharded.mesh, {});
  const ShardedProgram brought = brought_to_form(sharded, axes);
  Planner planner(sharded.mesh);
  return prove(problem_of(brought, axes), planner, limit);
}

LocalProgram partition(const ShardedProgram& sharded, const BoundaryAxes& boundary, const Chooser& chooser) {
  const AxisRefs axes = axes_of(sharded.mesh, boundary);
  if (axes.empty()) {
    // Nothing lies behind a boundary: constraints are labels, and of a manual region all devices run as one batch.
    LocalProgram out = on_one_device(without_constraints(open_manual_regions(sharded.program)));
    if (boundary.all && sharded.mesh.has_value()) out.mesh = sharded.mesh;  // all its axes have size 1
    return out;
  }
  return chooser ? over(sharded, axes, chooser) : over(brought_to_form(sharded, axes), axes, choose);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
