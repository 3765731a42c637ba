// Parts of arrays.
#pragma once

#include <optional>
#include <string>

#include "tutti/base/shape.hpp"

namespace tutti::checkpoint::detail {

/// The elements [start, start + extent) of each dim.
struct Region {
  Shape start, extent;

  static Region whole(const Shape& shape) { return {std::vector<std::int64_t>(shape.size()), shape}; }
  std::int64_t num_elements() const { return extent.num_elements(); }
  /// Whether it lies within an array of that shape.
  bool within(const Shape& shape) const;
  /// `[0:4,8:16]`.
  std::string str() const;
  friend bool operator==(const Region&, const Region&) = default;
};

/// What two regions of one array have in common; none where that is empty.
std::optional<Region> common(const Region& a, const Region& b);

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
