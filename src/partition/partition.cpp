#include "partition/partition.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "ir/passes.hpp"
#include "partition/align.hpp"
#include "partition/alike_pieces.hpp"
#include "partition/axis_parts.hpp"
#include "partition/counted_dims.hpp"
#include "partition/counted_updates.hpp"
#include "partition/diagonals.hpp"
#include "partition/fft_dims.hpp"
#include "partition/halos.hpp"
#include "partition/known_rows.hpp"
#include "partition/live.hpp"
#include "partition/manual_regions.hpp"
#include "partition/part.hpp"
#include "partition/picks_first.hpp"
#include "partition/refine.hpp"
#include "partition/reversals.hpp"
#include "partition/rolls.hpp"
#include "partition/rows_in_blocks.hpp"
#include "partition/running_sums.hpp"
#include "partition/selections.hpp"
#include "partition/sorted_rows.hpp"
#include "partition/strides.hpp"
#include "propagate/sites.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// A strategy for every Eqn: what the pass hands on.
struct Strategies {
  BodyPlan plan;
  const ShardedProgram& sharded;
};

std::string str(const Strategies& s) {
  auto listed = [&](const std::vector<Layout>& layouts) {
    std::string out;
    for (const Layout& l : layouts) out += (out.empty() ? "" : ", ") + str(l, s.sharded.mesh);
    return "(" + out + ")";
  };
  std::string out;
  for (std::size_t i = 0; i < s.plan.chosen.size(); ++i)
    out += std::to_string(i) + "  " + s.sharded.program->eqns[i].op->name + "  " + listed(s.plan.chosen[i].operands) +
           " -> " + listed(s.plan.chosen[i].results) + "\n";
  return out;
}
std::string size_text(const Strategies& s) { return std::to_string(s.plan.chosen.size()) + " strategies"; }
void verify(const Strategies& s) {
  if (s.plan.chosen.size() != s.sharded.program->eqns.size())
    throw InternalError("verify: not every Eqn has a strategy in\n" + str(s.sharded));
}

LocalProgram emitted(const Problem& problem, const Strategies& strategies, Planner& planner) {
  const ShardedProgram& sharded = strategies.sharded;
  const BodyPlan& plan = strategies.plan;
  const Program& p = *sharded.program;
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
  return out;
}

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
  const Strategies strategies = run_pass(PassId::strategies, [&] {
    return Strategies{chooser(problem, planner), sharded};
  });
  LocalProgram local = run_pass(PassId::emit, emitted, problem, strategies, planner);
  local = run_pass(PassId::axis_parts, on_parts, std::move(local));
  return run_pass(
      PassId::halos, [](LocalProgram l) { return with_selections_at_borders(with_shared_halos(std::move(l))); },
      std::move(local));
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

struct Rewrite {
  PassId id;
  ShardedProgram (*run)(const ShardedProgram& sharded, const AxisRefs& axes);
};

// The passes to the normal form, in which sharding strategies see what may be cut.
constexpr Rewrite kNormalForm[] = {
    {PassId::counted_dims, [](const ShardedProgram& s, const AxisRefs&) { return with_counted_dims(s); }},
    {PassId::sorted_rows, [](const ShardedProgram& s, const AxisRefs&) { return with_sorted_rows(s); }},
    {PassId::picks_first, [](const ShardedProgram& s, const AxisRefs&) { return with_picks_first(s); }},
    {PassId::known_rows, [](const ShardedProgram& s, const AxisRefs&) { return with_known_rows(s); }},
    {PassId::counted_updates, [](const ShardedProgram& s, const AxisRefs&) { return with_counted_updates(s); }},
    {PassId::running_sums, [](const ShardedProgram& s, const AxisRefs&) { return with_running_sums(s); }},
    {PassId::reversals, [](const ShardedProgram& s, const AxisRefs&) { return with_reversals(s); }},
    {PassId::fft_dims, [](const ShardedProgram& s, const AxisRefs&) { return with_fft_dims(s); }},
    {PassId::diagonals, [](const ShardedProgram& s, const AxisRefs&) { return with_diagonals(s); }},
    {PassId::alike_pieces, [](const ShardedProgram& s, const AxisRefs&) { return with_alike_pieces(s); }},
    {PassId::dim_parts,
     [](const ShardedProgram& s, const AxisRefs& axes) { return with_dims_in_parts(s, ways(axes)); }},
    {PassId::steps_as_dims, [](const ShardedProgram& s, const AxisRefs&) { return with_steps_as_dims(s); }},
    {PassId::aligned_dims, [](const ShardedProgram& s, const AxisRefs&) { return with_aligned_dims(s); }},
    {PassId::rolls, [](const ShardedProgram& s, const AxisRefs&) { return with_rows_in_blocks(with_rolls(s)); }},
    {PassId::sharded_live, [](const ShardedProgram& s, const AxisRefs&) { return with_live_code(s); }},
};

ShardedProgram brought_to_form(const ShardedProgram& sharded, const AxisRefs& axes) {
  ShardedProgram out = sharded;
  for (const Rewrite& pass : kNormalForm) out = run_pass(pass.id, pass.run, std::move(out), axes);
  return out;
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
    const ProgramPtr opened = run_pass(PassId::manual_regions, open_manual_regions, sharded.program);
    LocalProgram out = on_one_device(run_pass(PassId::constraints, without_constraints, opened));
    if (boundary.all && sharded.mesh.has_value()) out.mesh = sharded.mesh;  // all its axes have size 1
    return out;
  }
  return chooser ? over(sharded, axes, chooser) : over(brought_to_form(sharded, axes), axes, choose);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
