// What a program computes, as far as it can be counted before it is compiled.
#pragma once

#include <functional>
#include <vector>

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

/// Of one program or body: what its operations do to data. Numbers that say where elements lie, comparisons of them and
/// selections by these are no work: they tell pieces of arrays apart, as moves do, and a compiler fuses them. What
/// Op::flops does not count takes the elements that it reads.
class Arithmetic {
 public:
  explicit Arithmetic(const Program& program);
  /// Of an Eqn without sub-programs.
  double of(const Eqn& eqn) const;

 private:
  const Program& p_;
  std::vector<char> positions_;  // by value: integers or truth values made of positions and numbers alone
};
/// Of a program, loops in all their steps.
double arithmetic_of(const Program& program);
/// What `of` counts in the sub-programs of an Eqn: as work_of does of loops and branches, otherwise once each.
double in_sub_programs(const Eqn& eqn, const std::function<double(const Program&)>& of);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
