// error: tutti: Function: the jitted function returns another type
#include "tutti/transform/function.hpp"

using namespace tutti;

Function<Array(const Array&)> use() {
  return jit([](const Array& x) { return std::pair{x, x}; });
}

// SPDX-License-Identifier: Apache-2.0
