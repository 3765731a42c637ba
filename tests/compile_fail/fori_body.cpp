// error: tutti: fori_loop: the body must return a carry of the type that it takes
#include "tutti/lax/control_flow.hpp"

using namespace tutti;

auto use(const Array& x) {
  return lax::fori_loop(
      0, 3,
      [](const Array&, const Array& c) {
        return std::pair{c, c};
      },
      x);
}

// SPDX-License-Identifier: Apache-2.0
