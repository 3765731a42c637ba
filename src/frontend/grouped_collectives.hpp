// Collectives within groups of devices along an axis, made of ppermutes: in each group values go round in a ring.
#pragma once

#include "tutti/lax/collectives.hpp"

namespace tutti::detail {

// Each takes a dim that exists, and throws ValueError when the groups do not hold every device once or, but for
// combine_groups, differ in size.
Array combine_groups(const Array& x, const Names& axes, Combine how, const lax::AxisGroups& groups);
Array gather_groups(const Array& x, const Names& axes, int dim, bool tiled, const lax::AxisGroups& groups);
Array scatter_groups(const Array& x, const Names& axes, int dim, bool tiled, const lax::AxisGroups& groups);
Array exchange_groups(const Array& x, const Names& axes, int split, int concat, bool tiled,
                      const lax::AxisGroups& groups);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
