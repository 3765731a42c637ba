// error: tutti: update: gradients and parameters are trees of different types
#include "tutti/optim/optim.hpp"

using namespace tutti;

auto use(const Array& a) {
  auto adam = optim::adam(1e-3);
  std::vector<Array> params{a};
  auto state = adam.init(params);
  return adam.update(std::tuple{a}, state, params);
}

// SPDX-License-Identifier: Apache-2.0
