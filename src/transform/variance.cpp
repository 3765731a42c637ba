#include "transform/variance.hpp"

#include <algorithm>

#include "ir/replay.hpp"
#include "ops/collective/collective.hpp"
#include "ops/region/shard_map.hpp"

namespace tutti {
namespace {

AxisNames sorted(AxisNames names) {
  std::sort(names.begin(), names.end());
  return names;
}
AxisNames without(const AxisNames& from, const AxisNames& gone) {
  AxisNames out;
  for (const std::string& n : from)
    if (std::find(gone.begin(), gone.end(), n) == gone.end()) out.push_back(n);
  return out;
}

// Axes along which collectives may bring variance into a sub-program.
AxisNames named_inside(const Program& p) {
  AxisNames out;
  for (const Eqn& e : p.eqns) {
    if (e.op == &ops::axis_index || e.op == &ops::pvary)
      out = merge_names(out, sorted(e.params.get<ops::ReduceOver>().axes));
    if (e.op == &ops::reduce_scatter) out = merge_names(out, sorted(e.params.get<ops::GatherOver>().axes));
    if (e.op == &ops::all_to_all) out = merge_names(out, sorted(e.params.get<ops::Exchange>().axes));
    if (e.op == &ops::ppermute) out = merge_names(out, sorted(e.params.get<ops::Permute>().axes));
    for (const ProgramPtr& sub : e.subs) out = merge_names(out, named_inside(*sub));
  }
  return out;
}

AxisNames of_results(const Eqn& e, const AxisNames& operands) {
  if (e.op == &ops::psum || e.op == &ops::pmax || e.op == &ops::pmin)
    return without(operands, e.params.get<ops::ReduceOver>().axes);
  if (e.op == &ops::all_gather) return without(operands, e.params.get<ops::GatherOver>().axes);
  if (e.op == &ops::reduce_scatter) return merge_names(operands, sorted(e.params.get<ops::GatherOver>().axes));
  if (e.op == &ops::all_to_all) return merge_names(operands, sorted(e.params.get<ops::Exchange>().axes));
  if (e.op == &ops::ppermute) return merge_names(operands, sorted(e.params.get<ops::Permute>().axes));
  if (e.op == &ops::axis_index) return sorted(e.params.get<ops::ReduceOver>().axes);
  AxisNames out = operands;
  if (e.op == &ops::pvary) return out;
  for (const ProgramPtr& sub : e.subs) out = merge_names(out, named_inside(*sub));
  if (e.op == &ops::shard_map) out = without(out, e.params.get<ops::ShardMap>().axis_names);
  return out;
}

}  // namespace

std::vector<AxisNames> output_variance(const Program& body, const std::vector<AxisNames>& inputs) {
  Environment<AxisNames> env(body, inputs, [](const Atom&) { return AxisNames(); });
  return replay(body, env, [](const Eqn& e, const std::vector<AxisNames>& operands) {
    AxisNames varying;
    for (const AxisNames& names : operands) varying = merge_names(varying, names);
    return std::vector<AxisNames>(e.results.size(), of_results(e, varying));
  });
}

}  // namespace tutti
