// How loops and branches are computed on blocks: their bodies are chosen as programs of their own, once, and priced by
// the number of steps. What is the same in all steps is moved before the loop; sums over devices that a carry only adds
// up stay partial and are completed once, behind it.
#pragma once

#include <vector>

#include "partition/choose.hpp"

namespace tutti {

/// By value of the program around: the layouts at hand, and what one move costs.
struct AtHand {
  std::vector<Versions>& versions;
  const std::vector<double>& prices;
};

/// Of the loop `around.program.eqns[eqn]`. What the body needs of values that are the same in all steps is at hand
/// afterwards.
Candidate plan_loop(const Problem& around, int eqn, const AtHand& at_hand, Planner& planner);
/// Of a branch: each sub-program for itself, all with the results as they are wanted.
Candidate plan_branches(const Problem& around, int eqn, const AtHand& at_hand, Planner& planner);

}  // namespace tutti
