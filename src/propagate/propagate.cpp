// Shardings of all values: one mesh for all annotations, seeds from what the user wrote, then flow.
#include "propagate/propagate.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "mesh/checks.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "propagate/annotations.hpp"
#include "propagate/flow.hpp"
#include "propagate/scopes.hpp"
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
    return names_devices(e) || std::any_of(e.operands.begin(), e.operands.end(),
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

// Where the user's annotations put values, before anything flows.
class Seeds {
 public:
  explicit Seeds(Placements& placements) : placements_(placements) {}

  // `constraints`: how many Eqns stand before the constraints of outputs.
  void plant(const Scope& scope, const std::vector<Sharding>& inputs, int constraints) {
    const Program& p = scope.program();
    for (int i = 0; i < static_cast<int>(inputs.size()); ++i)
      if (inputs[i].has_value()) seed(scope, p.inputs[i], inputs[i], {Origin::Kind::input, i, {}});
    for (int i = 0; i < static_cast<int>(p.eqns.size()); ++i) {
      const Eqn& e = p.eqns[i];
      region(scope, e, i);
      for (const Scope& body : scope.bodies[i]) plant(body, {}, static_cast<int>(body.program().eqns.size()));
      const std::optional<Sharding> s = constraint_of(e);
      if (!s) continue;
      const bool output = i >= constraints;
      seed(scope, e.results[0], *s,
           {output ? Origin::Kind::output : Origin::Kind::constraint, output ? i - constraints : i, e.loc});
    }
  }

 private:
  void seed(const Scope& scope, ValueId v, const Sharding& s, const Origin& origin) {
    const int value = scope.first + v;
    ValueAxes& place = placements_.axes[value];
    std::optional<Layout> layout = whole_axis_layout(s, static_cast<int>(place.dims.size()), scope.sharded->mesh);
    for (std::size_t d = 0; d < place.dims.size(); ++d) {
      bool open = s.kind() == Sharding::Kind::named && d < s.spec().size() && s.spec()[d].is_unconstrained();
      if (open) continue;
      place.closed[d] = 1;
      if (!layout) continue;
      for (const AxisRef& ref : layout->dims[d]) {
        place.dims[d].push_back(ref.axis);
        placements_.origins[{value, static_cast<int>(d), ref.axis}] = origin;
      }
    }
  }

  // Cuts open dims that nobody has cut yet as `s` does.
  void wish(const Scope& scope, ValueId v, const Sharding& s, const Origin& origin) {
    ValueAxes& place = placements_.axes[scope.first + v];
    bool untouched = std::all_of(place.dims.begin(), place.dims.end(), [](const auto& axes) { return axes.empty(); }) &&
                     std::none_of(place.closed.begin(), place.closed.end(), [](char c) { return c; });
    if (!untouched) return;
    seed(scope, v, s, origin);
    std::fill(place.closed.begin(), place.closed.end(), 0);
  }

  // A region's results are as it says; its operands better come so, but need not.
  void region(const Scope& scope, const Eqn& e, int index) {
    const std::vector<Sharding> said = region_shardings(e);
    for (std::size_t k = 0; k < said.size(); ++k) {
      bool operand = k < e.operands.size();
      if (operand && e.operands[k].is_literal()) continue;
      ValueId v = operand ? e.operands[k].id : e.results[k - e.operands.size()];
      Origin origin{Origin::Kind::region, index, e.loc};
      if (operand)
        wish(scope, v, said[k], origin);
      else
        seed(scope, v, said[k], origin);
    }
  }

  Placements& placements_;
};

// Inspected values of the program and of the bodies of its loops, with their layouts.
void add_inspections(const ShardedProgram& at, const Program& given, Annotations& said, std::vector<Inspection>& out) {
  for (const Inspected& i : inspected_values(given)) {
    const ShardedProgram* where = &at;
    for (auto [eqn, sub] : i.path) where = &where->bodies[eqn][sub];
    const Layout layout = i.value.is_literal() ? Layout::replicated(0) : where->layouts[i.value.id];
    out.push_back({i.op, i.params, where->program->type(i.value).shape, said.face_of(layout)});
  }
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
  const ProgramPtr body = without_inspections(given);
  check_all_devices(*body, asked, fixed);

  ShardedProgram out;
  out.output_committed = committed_outputs(*given, asked);
  out.program = with_output_constraints(body, asked.outputs);
  const Program& p = *out.program;
  Annotations said(p, fixed);
  out.mesh = said.mesh();
  Placements placements;
  const Scope scope = numbered(out, placements);
  if (out.mesh.has_value()) {
    Seeds(placements).plant(scope, fixed, static_cast<int>(body->eqns.size()));
    flow(scope, placements);
  }
  hand_out(scope, placements);
  add_inspections(out, *given, said, out.inspections);

  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
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

// SPDX-License-Identifier: Apache-2.0
