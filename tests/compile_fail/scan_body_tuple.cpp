// error: tutti: scan: the body must return std::pair
#include "tutti/lax/control_flow.hpp"

using namespace tutti;

auto use(const Array& xs) {
  return lax::scan([](const Array& c, const Array& x) { return std::tuple{c + x, c}; }, 0., xs);
}

// SPDX-License-Identifier: Apache-2.0
