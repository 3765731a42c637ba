// error: a const or reference member cannot be in a tree
// field: w
#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Model {
  const Array w;
  Array b;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
