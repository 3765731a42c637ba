// error: an Array is no range: write for .const Array& row : unstack.x.., index x.i., or read
#include "tutti/numpy/numpy.hpp"

using namespace tutti;

Array use(const Array& x) {
  Array sum = zeros({});
  for (const Array& row : x) sum += row;
  return sum;
}

// SPDX-License-Identifier: Apache-2.0
