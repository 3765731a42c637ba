// What a program computes, as far as it can be counted before it is compiled.
#pragma once

#include "ir/program.hpp"

namespace tutti {

struct Work {
  double flops = 0;  // of products, and one per element of elementwise operations
  double bytes = 0;  // of the program's inputs and outputs, and of what products read and write; elementwise
                     // operations are taken to be fused into their neighbours
};
/// Loops in all their steps, one step where a condition says how many there are, of branches the one with most.
Work work_of(const Program& program);
/// Of one Eqn of it, as part of the whole.
Work work_of(const Program& program, const Eqn& eqn);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
