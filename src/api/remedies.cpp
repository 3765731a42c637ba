// What would remove a collective: arguments placed otherwise, each tried by planning with it.
#include <algorithm>

#include "api/argument_groups.hpp"

namespace tutti::detail {
namespace {

// Plans that are made for one collective, at most.
constexpr std::size_t most_tries = 16;

struct Try {
  const ArgumentGroup* group;
  std::vector<Layout> layouts;  // of its inputs
};

bool same_place(const Explanation::Collective& a, const Explanation::Collective& b) {
  return a.kind == b.kind && a.axes == b.axes && a.loc == b.loc && pattern_of(a.what) == pattern_of(b.what);
}

AxisRefs axes_of(const Explanation::Collective& c, const Mesh& mesh) {
  AxisRefs out;
  for (const std::string& name : c.axes) {
    int a = mesh.axis_index(name);
    if (a < 0) a = mesh.axis_index(name.substr(0, name.rfind('.')));  // a part of an axis: "x.1"
    if (a < 0) continue;
    const AxisRef whole = whole_axis(mesh, a);
    if (std::find(out.begin(), out.end(), whole) == out.end()) out.push_back(whole);
  }
  return out;
}

// The group with the collective's axes on another dim, or on none.
std::vector<Try> tries_of(const ArgumentGroup& g, const AxisRefs& axes) {
  std::vector<Try> out;
  for (const AxisRef& axis : axes)
    for (int d = -1; d < g.type.ndim(); ++d) {
      Try t{&g, {}};
      for (const Layout& l : g.lies)
        if (std::optional<Layout> other = with_axis_on(l, axis, d, g.type.shape)) t.layouts.push_back(*other);
      if (t.layouts.size() == g.lies.size() && t.layouts != g.lies) out.push_back(std::move(t));
    }
  return out;
}

std::string spec_of(const Mesh& mesh, const Layout& layout) {
  const Sharding s = sharding_from_layout(mesh, layout);
  return s.kind() == Sharding::Kind::named ? s.spec().str() : s.str();
}

}  // namespace

std::vector<Remedy> remedies_of(const PlanRequest& request, const Explanation& of, std::size_t collective) {
  const Explanation::Collective& c = of.collectives.at(collective);
  const Planned now = planned(request);
  const Mesh& mesh = now.sharded->mesh;
  if (!mesh.has_value()) return {};
  const AxisRefs axes = axes_of(c, mesh);
  const std::vector<ArgumentGroup> groups = argument_groups(request, mesh);
  std::vector<Try> tries;
  for (const ArgumentGroup& g : groups) {
    const bool meets = std::any_of(g.inputs.begin(), g.inputs.end(), [&](int i) {
      return std::find(c.inputs.begin(), c.inputs.end(), i) != c.inputs.end();
    });
    if (!meets) continue;
    for (Try& t : tries_of(g, axes)) tries.push_back(std::move(t));
  }
  // Small arguments first: to move them asks the least of memory.
  std::stable_sort(tries.begin(), tries.end(),
                   [](const Try& a, const Try& b) { return a.group->bytes() < b.group->bytes(); });
  if (tries.size() > most_tries) tries.resize(most_tries);

  std::vector<Remedy> out;
  for (const Try& t : tries) {
    std::vector<Sharding> inputs(request.inputs.size());
    for (std::size_t k = 0; k < t.layouts.size(); ++k)
      inputs[static_cast<std::size_t>(t.group->inputs[k])] = sharding_from_layout(mesh, t.layouts[k]);
    const Planned then = planned(request, &inputs);
    const std::vector<Explanation::Collective>& left = then.report.collectives;
    if (!(then.report.planned_bytes < of.planned_bytes) ||
        std::any_of(left.begin(), left.end(), [&](const auto& other) { return same_place(c, other); }))
      continue;
    out.push_back({t.group->names(request), t.group->pattern, spec_of(mesh, t.layouts[0]), then.report.planned_bytes,
                   then.report.step_seconds, memory_of(then.local, request.donatable).peak,
                   then.report.flop_inflation});
  }
  std::stable_sort(out.begin(), out.end(), [](const Remedy& a, const Remedy& b) { return a.seconds < b.seconds; });
  if (out.size() > 3) out.resize(3);
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
