// Shardings of all values: one mesh for all annotations, seeds from what the user wrote, then flow.
#include "propagate/propagate.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "mesh/checks.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "propagate/annotations.hpp"
#include "propagate/flow.hpp"
#include "propagate/sites.hpp"

namespace tutti {
namespace {

// The shardings of inputs that have to stay: of those that somebody put somewhere, and of those cut already.
std::vector<Sharding> fixed_inputs(const Asked& asked) {
  std::vector<Sharding> out;
  for (const Placement& p : asked.inputs) {
    bool fixed = p.sharding.has_value() && (p.committed || p.sharding.num_devices() > 1);
    out.push_back(fixed ? p.sharding : Sharding());
  }
  return out;
}

// Whatever names devices has to name the same ones, and all of them must be there.
void check_all_devices(const Program& p, const Asked& asked, const std::vector<Sharding>& fixed) {
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < fixed.size(); ++i)
    if (fixed[i].has_value())
      placed.push_back({argument_text(asked.inputs[i].name, asked.what, p.types[p.inputs[i]]), fixed[i], {}});
  for (Placed& inside : placed_inside(p)) placed.push_back(std::move(inside));
  for (const Sharding& s : asked.outputs)
    if (s.has_value()) placed.push_back({"explicit output sharding with", s, {}});
  check_devices(placed);
}

// A program that computes with a committed input, or in which a constraint or region names devices, commits all that
// it computes, as in JAX. An input that is handed on is as it came.
std::vector<bool> committed_outputs(const Program& p, const Asked& asked) {
  enum : char { computed, open, committed };
  std::vector<char> as(p.types.size(), computed);
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    as[p.inputs[i]] = i < asked.inputs.size() && asked.inputs[i].committed ? committed : open;
  auto commits = [&](const Eqn& e) {
    return constraint_of(e) || !region_shardings(e).empty() ||
           std::any_of(e.operands.begin(), e.operands.end(),
                       [&](const Atom& a) { return !a.is_literal() && as[a.id] == committed; });
  };
  const bool all = std::any_of(p.eqns.begin(), p.eqns.end(), commits);
  std::vector<bool> out;
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    const Atom& a = p.outputs[i];
    bool wanted = i < asked.outputs.size() && asked.outputs[i].has_value();
    bool is_computed = a.is_literal() || as[a.id] == computed;
    out.push_back(wanted || (is_computed ? all : as[a.id] == committed));
  }
  return out;
}

ProgramPtr with_output_constraints(const ProgramPtr& program, const std::vector<Sharding>& outputs) {
  if (std::none_of(outputs.begin(), outputs.end(), [](const Sharding& s) { return s.has_value(); })) return program;
  auto out = std::make_shared<Program>(*program);
  for (std::size_t i = 0; i < outputs.size() && i < out->outputs.size(); ++i) {
    if (!outputs[i].has_value() || out->outputs[i].is_literal()) continue;
    auto v = static_cast<ValueId>(out->types.size());
    out->types.push_back(Type(out->types[out->outputs[i].id]));
    out->eqns.push_back(ops::constraint_eqn(outputs[i], out->outputs[i], v, {}));
    out->outputs[i] = v;
  }
  return out;
}

Layout layout_from(const ValueAxes& place, const Mesh& mesh) {
  Layout out = Layout::replicated(static_cast<int>(place.dims.size()));
  for (std::size_t d = 0; d < place.dims.size(); ++d)
    for (int a : place.dims[d]) out.dims[d].push_back(whole_axis(mesh, a));
  return out;
}

void seed(ShardedProgram& sharded, ValueAxes& place, ValueId v, const Sharding& s, const Origin& origin) {
  std::optional<Layout> layout = whole_axis_layout(s, static_cast<int>(place.dims.size()), sharded.mesh);
  for (std::size_t d = 0; d < place.dims.size(); ++d) {
    bool open = s.kind() == Sharding::Kind::named && d < s.spec().size() && s.spec()[d].is_unconstrained();
    if (open) continue;
    place.closed[d] = 1;
    if (!layout) continue;
    for (const AxisRef& ref : layout->dims[d]) {
      place.dims[d].push_back(ref.axis);
      sharded.origins[{v, static_cast<int>(d), ref.axis}] = origin;
    }
  }
}

// Cuts open dims that nobody has cut yet as `s` does.
void wish(ShardedProgram& sharded, ValueAxes& place, ValueId v, const Sharding& s, const Origin& origin) {
  bool untouched = std::all_of(place.dims.begin(), place.dims.end(), [](const auto& axes) { return axes.empty(); }) &&
                   std::none_of(place.closed.begin(), place.closed.end(), [](char c) { return c; });
  if (!untouched) return;
  seed(sharded, place, v, s, origin);
  std::fill(place.closed.begin(), place.closed.end(), 0);
}

// A region's results are as it says; its operands better come so, but need not.
void seed_region(ShardedProgram& sharded, std::vector<ValueAxes>& places, int eqn) {
  const Eqn& e = sharded.program->eqns[eqn];
  const std::vector<Sharding> said = region_shardings(e);
  for (std::size_t k = 0; k < said.size(); ++k) {
    bool operand = k < e.operands.size();
    if (operand && e.operands[k].is_literal()) continue;
    ValueId v = operand ? e.operands[k].id : e.results[k - e.operands.size()];
    Origin origin{Origin::Kind::region, eqn, e.loc, -1, -1};
    if (operand)
      wish(sharded, places[v], v, said[k], origin);
    else
      seed(sharded, places[v], v, said[k], origin);
  }
}

// `constraints`: how many Eqns stand before the constraints of outputs.
void seed_all(ShardedProgram& sharded, std::vector<ValueAxes>& places, const std::vector<Sharding>& inputs,
              int constraints) {
  const Program& p = *sharded.program;
  for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
    ValueId v = p.inputs[i];
    if (inputs[i].has_value()) seed(sharded, places[v], v, inputs[i], {Origin::Kind::input, i, {}, -1, -1});
  }
  for (int i = 0; i < static_cast<int>(p.eqns.size()); ++i) {
    const Eqn& e = p.eqns[i];
    seed_region(sharded, places, i);
    const std::optional<Sharding> s = constraint_of(e);
    if (!s) continue;
    const bool output = i >= constraints;
    Origin origin{output ? Origin::Kind::output : Origin::Kind::constraint, output ? i - constraints : i, e.loc, -1,
                  -1};
    seed(sharded, places[e.results[0]], e.results[0], *s, origin);
  }
}

std::vector<ValueAxes> no_places(const Program& p) {
  std::vector<ValueAxes> out(p.types.size());
  for (std::size_t v = 0; v < p.types.size(); ++v) {
    out[v].dims.resize(static_cast<std::size_t>(p.types[v].ndim()));
    out[v].closed.resize(out[v].dims.size(), 0);
  }
  return out;
}

}  // namespace

std::optional<Layout> whole_axis_layout(const Sharding& s, int ndim, const Mesh& mesh) {
  std::optional<Layout> layout = layout_of(s, ndim, mesh);
  if (!layout) return std::nullopt;
  Layout out = Layout::replicated(ndim);
  for (int d = 0; d < ndim; ++d)
    for (const AxisRef& ref : layout->dims[d]) {
      // A run of neighbouring axes may have been merged into nothing smaller than one of them; parts cannot be said.
      if (ref != whole_axis(mesh, ref.axis)) return std::nullopt;
      out.dims[d].push_back(ref);
    }
  return out;
}

ShardedProgram propagate(const ProgramPtr& given, const Asked& asked) {
  const std::vector<Sharding> fixed = fixed_inputs(asked);
  const std::vector<Inspected> inspected = inspected_values(*given);
  const ProgramPtr body = without_inspections(given);
  check_all_devices(*body, asked, fixed);

  ShardedProgram out;
  out.output_committed = committed_outputs(*given, asked);
  out.program = with_output_constraints(body, asked.outputs);
  const Program& p = *out.program;
  Annotations said(p, fixed);
  out.mesh = said.mesh();
  std::vector<ValueAxes> places = no_places(p);
  if (out.mesh.has_value()) {
    seed_all(out, places, fixed, static_cast<int>(body->eqns.size()));
    flow(out, places);
  }
  for (const ValueAxes& place : places) out.layouts.push_back(layout_from(place, out.mesh));

  auto laid_out = [&](const Atom& a) { return a.is_literal() ? Layout::replicated(0) : out.layouts[a.id]; };
  for (const Inspected& i : inspected)
    out.inspections.push_back({i.op, i.params, p.type(i.value).shape, said.face_of(laid_out(i.value))});
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    out.outputs.push_back(laid_out(p.outputs[i]));
    const Sharding wanted = i < asked.outputs.size() ? asked.outputs[i] : Sharding();
    if (!out.output_committed[i])
      out.output_shardings.emplace_back();
    else if (wanted.has_value() && is_constrained(wanted))
      out.output_shardings.push_back(wanted);
    else
      out.output_shardings.push_back(said.face_of(out.outputs[i]));
  }
  return out;
}

ShardedProgram propagate(const ProgramPtr& program, const std::vector<Sharding>& inputs,
                         const std::vector<Sharding>& outputs) {
  Asked asked{{}, outputs, "the program"};
  for (const Sharding& s : inputs) asked.inputs.push_back({s, s.has_value(), std::to_string(asked.inputs.size())});
  return propagate(program, asked);
}

}  // namespace tutti
