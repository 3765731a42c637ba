// error: write x = x.at.i..set.v. in place of x.i. = v
#include "tutti/array/array.hpp"

using namespace tutti;

void use(Array x) { x[1] = 2; }

// SPDX-License-Identifier: Apache-2.0
