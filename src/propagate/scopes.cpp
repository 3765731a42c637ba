#include "propagate/scopes.hpp"

#include "ir/loop_form.hpp"

namespace tutti {
namespace {

Layout layout_from(const ValueAxes& place, const Mesh& mesh) {
  Layout out = Layout::replicated(static_cast<int>(place.dims.size()));
  for (std::size_t d = 0; d < place.dims.size(); ++d)
    for (int a : place.dims[d]) out.dims[d].push_back(whole_axis(mesh, a));
  return out;
}

}  // namespace

Scope numbered(ShardedProgram& sharded, Placements& placements) {
  const Program& p = *sharded.program;
  Scope out{&sharded, static_cast<int>(placements.types.size()), {}};
  for (const Type& t : p.types) {
    placements.types.push_back(t);
    ValueAxes& axes = placements.axes.emplace_back();
    axes.dims.resize(static_cast<std::size_t>(t.ndim()));
    axes.closed.resize(axes.dims.size(), 0);
  }
  out.bodies.resize(p.eqns.size());
  sharded.bodies.resize(p.eqns.size());
  for (std::size_t i = 0; i < p.eqns.size(); ++i) {
    if (!loop_form(p.eqns[i])) continue;
    std::vector<ShardedProgram>& bodies = sharded.bodies[i];
    bodies.resize(p.eqns[i].subs.size());
    for (std::size_t s = 0; s < bodies.size(); ++s) {
      bodies[s].program = p.eqns[i].subs[s];
      bodies[s].mesh = sharded.mesh;
      bodies[s].outermost = sharded.outermost ? sharded.outermost : sharded.program;
      out.bodies[i].push_back(numbered(bodies[s], placements));
    }
  }
  return out;
}

void hand_out(const Scope& scope, const Placements& placements) {
  ShardedProgram& s = *scope.sharded;
  const int end = scope.first + static_cast<int>(s.program->types.size());
  for (int v = scope.first; v < end; ++v) s.layouts.push_back(layout_from(placements.axes[v], s.mesh));
  for (const Atom& a : s.program->outputs)
    s.outputs.push_back(a.is_literal() ? Layout::replicated(0) : s.layouts[a.id]);
  auto at = placements.origins.lower_bound({scope.first, 0, 0}), last = placements.origins.lower_bound({end, 0, 0});
  for (; at != last; ++at) {
    auto [value, dim, axis] = at->first;
    s.origins.emplace_hint(s.origins.end(), std::tuple(value - scope.first, dim, axis), at->second);
  }
  for (const std::vector<Scope>& bodies : scope.bodies)
    for (const Scope& body : bodies) hand_out(body, placements);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
