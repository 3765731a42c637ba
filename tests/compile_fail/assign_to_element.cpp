// error: discards qualifiers|no viable overloaded
#include "tutti/numpy/numpy.hpp"

using namespace tutti;

void use(Array x) { x[1] = zeros({}); }

// SPDX-License-Identifier: Apache-2.0
