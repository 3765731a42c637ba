// error: a smart pointer cannot be in a tree
// field: child
#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Model {
  Array w;
  std::shared_ptr<int> child;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
