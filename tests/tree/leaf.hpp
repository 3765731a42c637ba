// Arrays that are told apart by who they are: trees never look at values.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "array/node.hpp"
#include "tutti/array/array.hpp"

namespace tutti {

inline Array leaf(DType dtype = float32) {
  auto node = std::make_shared<ArrayNode>();
  node->type.dtype = dtype;
  return Array(std::move(node));
}

inline bool same(const Array& a, const Array& b) { return a.node() == b.node(); }
inline bool same(const std::vector<Array>& a, const std::vector<Array>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Array& x, const Array& y) { return same(x, y); });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
