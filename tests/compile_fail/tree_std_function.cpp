// error: std::function cannot be in a tree, as it has no equality
// field: activation
#include <functional>

#include "tutti/tree/tree.hpp"

using namespace tutti;

struct Model {
  Array w;
  std::function<int(int)> activation;
};

auto use(const Model& model) { return tree::leaves(model); }

// SPDX-License-Identifier: Apache-2.0
