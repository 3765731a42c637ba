// error: a C array cannot be in a tree: use std::array
#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Model {
  Array w[3];
  int n = 0;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
