// error: the function takes another number of arguments than the call gives it.*NumberOfArguments<1, 3>
#include "tutti/tutti.hpp"

using namespace tutti;

auto use(const Array& x) {
  return vmap([](const Array& a) { return a * 2; })(x, x, x);
}

// SPDX-License-Identifier: Apache-2.0
