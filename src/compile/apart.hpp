// Stacks are taken apart.
#pragma once

#include "ir/program.hpp"

namespace tutti::compile {

/// Where a slice of elementwise work on joined arrays is one of these arrays' share of it, that share is computed and
/// nothing else: y + h * stack(a, b) whose component 0 is read becomes y[0] + h * a. So systems of equations that are
/// written with stacks become loops over their components. A sum over the arrays of a stack, or over a short dim of
/// elementwise work that only reductions need (the three coordinates of all pairs), is elementwise work on components,
/// and reductions over other dims are one for each. A box of several arrays of a stack that nobody reads whole is a
/// stack of their shares, and elementwise work along a short dim that is only read by boxes is made component by
/// component (the two coordinates of a pixel, and the depth that divides them). Keeps bits but for the order of
/// additions.
Program take_apart(const Program& program);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
