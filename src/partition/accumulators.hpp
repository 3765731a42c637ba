// Carries that a loop only adds to.
#pragma once

#include <vector>

#include "ir/program.hpp"

namespace tutti {

/// A carry that its body takes for nothing but the next carry, by operations that are linear in it: the sum of what
/// each step adds may be completed over devices behind the loop.
struct Accumulator {
  int result;                    // of the loop
  std::vector<char> is_partial;  // by value of the body: it is made of the carry, or is there to be added to it
};
std::vector<Accumulator> accumulators(const Eqn& loop);

}  // namespace tutti
