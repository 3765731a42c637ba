// error: the function takes another number of arguments than the call gives it.*NumberOfArguments<2, 1>
#include "tutti/tutti.hpp"

using namespace tutti;

auto use(const Array& x) {
  return jit([](const Array& a, const Array& b) { return a * b; })(x);
}

// SPDX-License-Identifier: Apache-2.0
