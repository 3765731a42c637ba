// Parts of dense arrays.
#pragma once

#include "mesh/layout.hpp"

namespace tutti {

/// A dense array of which a box is looked at: where the box begins in an array of these extents.
struct Corner {
  const Shape& extents;
  std::vector<std::int64_t> at;
};
/// Copies `box` elements of `item` bytes, row by row, from one dense array to another.
void copy_box(const Shape& box, std::int64_t item, const Corner& source, const void* from, const Corner& target,
              void* to);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
