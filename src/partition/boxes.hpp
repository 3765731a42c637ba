// Boxes of elements, and sets of them that are kept small.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tutti/base/shape.hpp"

namespace tutti {

/// Per dim the elements first..second-1.
using IndexBox = std::vector<std::pair<std::int64_t, std::int64_t>>;

IndexBox all_of_shape(const Shape& shape);
Shape extents_of(const IndexBox& box);
std::int64_t volume(const IndexBox& box);
bool covers(const IndexBox& all, const IndexBox& part);
/// What both have; an extent is 0 where there is nothing.
IndexBox intersection(const IndexBox& a, const IndexBox& b);
/// The box as it lies where the start of `from` is the origin.
IndexBox relative(const IndexBox& box, const IndexBox& from);

/// Adds a box: those that overlap or touch become one where that holds no element more than they do.
void add_box(std::vector<IndexBox>& boxes, IndexBox box);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
