// error: tutti: cond: both sides must return the same type
#include "tutti/lax/control_flow.hpp"

using namespace tutti;

auto use(const Array& x) {
  return lax::cond(
      x > 0, [](const Array& v) { return v; },
      [](const Array& v) {
        return std::pair{v, v};
      },
      x);
}

// SPDX-License-Identifier: Apache-2.0
