#include "transform/variance.hpp"

#include <algorithm>

#include "ir/collective.hpp"
#include "ir/replay.hpp"

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
    const Collective* c = e.op->collective.get();
    if (c && c->variance == Collective::Variance::begins) out = merge_names(out, sorted(c->group(e.params).axes));
    for (const ProgramPtr& sub : e.subs) out = merge_names(out, named_inside(*sub));
  }
  return out;
}

AxisNames of_results(const Eqn& e, const AxisNames& operands) {
  if (const Collective* c = e.op->collective.get()) {
    const AxisNames& axes = c->group(e.params).axes;
    switch (c->variance) {
      case Collective::Variance::ends: return without(operands, axes);
      case Collective::Variance::begins: return merge_names(operands, sorted(axes));
      case Collective::Variance::stays: return operands;
    }
  }
  AxisNames out = operands;
  for (const ProgramPtr& sub : e.subs) out = merge_names(out, named_inside(*sub));
  if (e.op->binds)
    for (const auto& [name, size] : e.op->binds(e.params)) out = without(out, {name});
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
