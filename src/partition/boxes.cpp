#include "partition/boxes.hpp"

#include <algorithm>

namespace tutti {
namespace {

IndexBox bounds_of(const IndexBox& a, const IndexBox& b) {
  IndexBox out = a;
  for (std::size_t d = 0; d < out.size(); ++d)
    out[d] = {std::min(a[d].first, b[d].first), std::max(a[d].second, b[d].second)};
  return out;
}

}  // namespace

IndexBox all_of_shape(const Shape& shape) {
  IndexBox out;
  for (std::int64_t n : shape) out.emplace_back(0, n);
  return out;
}

Shape extents_of(const IndexBox& box) {
  Shape out;
  for (const auto& [from, to] : box) out.push_back(to - from);
  return out;
}

std::int64_t volume(const IndexBox& box) { return extents_of(box).num_elements(); }

bool covers(const IndexBox& all, const IndexBox& part) {
  for (std::size_t d = 0; d < all.size(); ++d)
    if (part[d].first < all[d].first || part[d].second > all[d].second) return false;
  return true;
}

IndexBox intersection(const IndexBox& a, const IndexBox& b) {
  IndexBox out = a;
  for (std::size_t d = 0; d < out.size(); ++d) {
    out[d].first = std::max(a[d].first, b[d].first);
    out[d].second = std::max(out[d].first, std::min(a[d].second, b[d].second));
  }
  return out;
}

IndexBox relative(const IndexBox& box, const IndexBox& from) {
  IndexBox out = box;
  for (std::size_t d = 0; d < out.size(); ++d) out[d] = {box[d].first - from[d].first, box[d].second - from[d].first};
  return out;
}

void add_box(std::vector<IndexBox>& boxes, IndexBox box) {
  for (std::size_t i = 0; i < boxes.size();) {
    const IndexBox both = bounds_of(boxes[i], box);
    if (volume(both) > volume(boxes[i]) + volume(box)) {
      ++i;
      continue;
    }
    box = both;
    boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;  // the larger one may touch those before
  }
  boxes.push_back(std::move(box));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
