// Homes: where an order of axes is in nobody's way. Dims that stand for the same thing throughout a program (the
// tokens, the hidden units) are one class; each mesh axis has one place among the parts of such a dim, the same in the
// whole program, whichever other axes cut it: a dim of 1024 with the home (x, y) of a 2x4 mesh is [2, 4, 128], x cuts
// the first part, y the second one, together or alone. Alone, y leaves every device rows from all over the dim. Then
// any axis can be gathered before any other, and nothing is ever permuted.
#pragma once

#include <vector>

#include "mesh/layout.hpp"
#include "tutti/base/shape.hpp"

namespace tutti {

struct Graph;
class Planner;

/// Of each dim of a value: all axes, major first, or none: axes cut the dim one behind the other, as layouts say.
using Homes = std::vector<AxisRefs>;

/// Gives the values of a graph their homes, and its nodes the rows that go with them. A class has a home where its
/// extents divide and everything that is placed from outside begins with the same axes.
void settle(Graph& graph, Planner& planner, const AxisRefs& axes);

/// Whether dims of one class are placed from outside by axes in different orders.
bool contradicts(const Graph& graph, std::int64_t devices);

/// By dim: whether it has a home.
std::vector<char> sets(const Homes& homes);
/// The layout with axes of dims that have homes in the order of the mesh, as the planner names it.
Layout as_sets(Layout layout, const Homes& homes);
/// `refs` in the order of the home.
AxisRefs at_home(AxisRefs refs, const AxisRefs& home);
/// Whether these axes, in this order, cut the dim into blocks that lie together: as without homes.
bool lies_together(const AxisRefs& refs, const AxisRefs& home);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
