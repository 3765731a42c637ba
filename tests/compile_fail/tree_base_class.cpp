// error: a struct with a base class is not a tree
#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Base {
  Array w;
};
struct Model : Base {
  Array b;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
