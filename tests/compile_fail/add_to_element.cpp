// error: an Array does not change, and x.i. is a new one: write x = x.at.i..set.v.
#include "tutti/numpy/numpy.hpp"

using namespace tutti;

void use(Array x) { x(2) += 1.f; }

// SPDX-License-Identifier: Apache-2.0
