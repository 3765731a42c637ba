#include "checkpoint/region.hpp"

#include <algorithm>

namespace tutti::checkpoint::detail {

bool Region::within(const Shape& shape) const {
  if (start.size() != shape.size() || extent.size() != shape.size()) return false;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (start[d] < 0 || extent[d] < 0 || start[d] > shape[d] || extent[d] > shape[d] - start[d]) return false;
  return true;
}

std::string Region::str() const {
  if (start.size() != extent.size()) return start.str() + "+" + extent.str();  // a manifest that makes no sense
  std::string out;
  for (std::size_t d = 0; d < start.size(); ++d)
    out += (d ? "," : "") + std::to_string(start[d]) + ":" + std::to_string(extent::add(start[d], extent[d]));
  return "[" + out + "]";
}

std::optional<Region> common(const Region& a, const Region& b) {
  Region out = a;
  for (std::size_t d = 0; d < a.start.size(); ++d) {
    out.start[d] = std::max(a.start[d], b.start[d]);
    out.extent[d] = std::min(a.start[d] + a.extent[d], b.start[d] + b.extent[d]) - out.start[d];
    if (out.extent[d] <= 0) return std::nullopt;
  }
  return out;
}

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
