// error: tutti: switch_: all branches must return the same type
#include "tutti/lax/control_flow.hpp"

using namespace tutti;

auto use(const Array& i, const Array& x) {
  auto one = [](const Array& v) { return v; };
  auto two = [](const Array& v) { return std::pair{v, v}; };
  return lax::switch_(i, std::tuple{one, two}, x);
}

// SPDX-License-Identifier: Apache-2.0
