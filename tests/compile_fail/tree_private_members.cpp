// error: a class with constructors or private members is not a tree
// field: inner
#include "tutti/tree/tree.hpp"

using namespace tutti;

class Hidden {
 public:
  Hidden(int w) : w_(w) {}

 private:
  int w_;
};
struct Model {
  Array w;
  Hidden inner{1};
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
