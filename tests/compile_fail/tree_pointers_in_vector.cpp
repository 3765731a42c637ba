// error: a smart pointer cannot be in a tree
// field: children
#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Model {
  Array w;
  std::vector<std::shared_ptr<int>> children;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
