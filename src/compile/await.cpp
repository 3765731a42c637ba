// Collectives are started where they stand and awaited where their results are used: what is computed in between is
// computed while messages travel.
#include "compile/passes.hpp"

namespace tutti::compile {

bool is_sending(const Step& step) {
  const auto* call = std::get_if<CallEqn>(&step.what);
  return call && sends(call->eqn);
}

Plan await_late(Plan plan) {
  std::vector<int> sent_by(plan.storages.size(), -1);  // a step whose result it is, not yet awaited
  std::vector<int> reads, writes;
  for (Stage& stage : plan.stages) {
    for (int i : stage.steps) {
      uses_of(plan.steps[i], reads, writes);
      reads.insert(reads.end(), writes.begin(), writes.end());
      for (int s : reads) {
        const int step = sent_by[s];
        if (step < 0) continue;
        stage.awaits.push_back(step);
        sent_by[s] = -1;
      }
    }
    for (int i : stage.steps)
      if (is_sending(plan.steps[i]))
        for (int s : std::get<CallEqn>(plan.steps[i].what).results) sent_by[s] = i;
  }
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
