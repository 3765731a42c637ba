// error: discards qualifiers|no viable overloaded
#include "tutti/numpy/numpy.hpp"

using namespace tutti;

void use(Array x) { x(slice(0, 2)) = 3.f; }

// SPDX-License-Identifier: Apache-2.0
