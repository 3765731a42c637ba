// Stacks are taken apart.
#pragma once

#include "ir/program.hpp"

namespace tutti::compile {

/// Where a slice of elementwise work on joined arrays is one of these arrays' share of it, that share is computed and
/// nothing else: y + h * stack(a, b) whose component 0 is read becomes y[0] + h * a. So systems of equations that are
/// written with stacks become loops over their components. Keeps bits.
Program take_apart(const Program& program);

}  // namespace tutti::compile
