// error: a type that cannot be copied cannot be in a tree
// field: inner
#include "tutti/tree/tree.hpp"

using namespace tutti;

class Unique {
 public:
  Unique() {}
  Unique(Unique&&) {}
};
struct Model {
  Array w;
  Unique inner;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
