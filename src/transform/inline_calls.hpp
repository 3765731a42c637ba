// The passes that end the transformations, inline, complex_parts and needed_elements: where nothing is transformed any
// more, calls are their bodies, and operations on 8-bit floats and 4-bit integers are operations on the numbers in
// which they are computed, each result rounded.
#pragma once

#include "ir/program.hpp"

namespace tutti {

/// The program with every call (custom_jvp, custom_vjp, remat) replaced by the body of its function, also in
/// sub-programs, complex arithmetic in parts, and results narrowed to what is read; the program itself when nothing
/// changes. TypeError where a reverse rule is asked for a derivative
/// forwards.
ProgramPtr inline_calls(const ProgramPtr& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
