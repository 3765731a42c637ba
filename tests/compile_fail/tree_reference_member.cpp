// error: a reference cannot be in a tree
#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Model {
  Array& w;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
