// Arguments that are placed alike: those of equal layers, and what an optimiser keeps of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/planning.hpp"
#include "mesh/layout.hpp"

namespace tutti::detail {

struct ArgumentGroup {
  std::string pattern;       // of the first: `arg0.layers[*].weight`
  std::vector<int> inputs;   // of the request
  Type type;                 // of each
  std::vector<Layout> lies;  // of each, on the mesh that is planned for; replicated where nothing is said

  std::vector<std::string> names(const PlanRequest& request) const;
  double bytes() const { return static_cast<double>(type.nbytes()) * static_cast<double>(inputs.size()); }
};

/// Arguments of one type whose names differ in the numbers of layers alone are a group; so are those of another
/// argument whose names end as these do (`arg1.mu.layers[3].weight`).
std::vector<ArgumentGroup> argument_groups(const PlanRequest& request, const Mesh& mesh);

/// `layout` with `axis` on dim `d` alone, behind what cuts it there; -1: on none. Nothing where the extent is too small
/// or does not divide.
std::optional<Layout> with_axis_on(Layout layout, const AxisRef& axis, int d, const Shape& shape);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
