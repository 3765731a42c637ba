// error: tutti: a smart pointer cannot be in a tree
#include <memory>

#include "tutti/tutti.hpp"

using namespace tutti;

struct Model {
  Array w;
  std::unique_ptr<int> p;
};

auto use(const Model& m) {
  return jit([](const Model& model) { return model.w; })(m);
}

// SPDX-License-Identifier: Apache-2.0
