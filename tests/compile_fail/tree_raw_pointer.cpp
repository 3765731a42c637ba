// error: a raw pointer cannot be in a tree
// field: cursor
#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Model {
  Array w;
  int* cursor = nullptr;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
