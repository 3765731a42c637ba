// error: an unordered container cannot be in a tree
// field: table
#include <unordered_map>

#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Model {
  std::unordered_map<std::string, Array> table;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
