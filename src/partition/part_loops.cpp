// Loops and branches on blocks. A body is recorded in a trace of its own; what it takes from outside is captured there
// and becomes a const of the loop, or an operand of the branch.
#include <algorithm>

#include "partition/part.hpp"
#include "regions/loops.hpp"

namespace tutti {
namespace {

using Way = LoopForm::Way;

// The captured inputs first, then the explicit ones.
ProgramPtr consts_first(const Traced& body) {
  Program out = *body.program;
  const auto consts = static_cast<std::ptrdiff_t>(body.captured.size());
  std::rotate(out.inputs.begin(), out.inputs.end() - consts, out.inputs.end());
  out.input_names.clear();
  return std::make_shared<Program>(std::move(out));
}

// The programs, each with inputs for all arrays that one of them captured; these arrays are added to `operands`.
std::vector<ProgramPtr> with_equal_inputs(const std::vector<Recorded>& bodies, std::vector<Array>& operands) {
  std::vector<Array> all;
  for (const Recorded& b : bodies)
    for (const Array& x : b.traced.captured)
      if (std::none_of(all.begin(), all.end(), [&](const Array& y) { return y.node() == x.node(); })) all.push_back(x);
  std::vector<ProgramPtr> out;
  for (const Recorded& b : bodies) {
    Program p = *b.traced.program;
    const std::vector<ValueId> given = p.inputs;
    p.inputs.clear();
    p.input_names.clear();
    for (const Array& x : all) {
      std::size_t at = 0;
      while (at < given.size() && b.traced.captured[at].node() != x.node()) ++at;
      if (at == given.size()) p.types.push_back(x.type());
      p.inputs.push_back(at < given.size() ? given[at] : static_cast<ValueId>(p.types.size()) - 1);
    }
    out.push_back(std::make_shared<Program>(std::move(p)));
  }
  operands.insert(operands.end(), all.begin(), all.end());
  return out;
}

BodyWords words_in(const Eqn& e, const LoopForm::Body& form, bool branch) {
  BodyWords out;
  const std::string loop = words_of(e);
  for (const LoopForm::Input& in : form.inputs)
    out.inputs.push_back(branch ? "operand " + std::to_string(in.operand) + " of " + loop
                         : in.way == Way::carried
                             ? "carry " + std::to_string(in.result) + " of " + loop
                             : "a step's slice of operand " + std::to_string(in.operand) + " of " + loop);
  for (const LoopForm::Output& to : form.outputs)
    out.outputs.push_back(branch          ? "result " + std::to_string(to.result) + " of " + loop
                          : to.result < 0 ? "the condition of " + loop
                          : to.stacked    ? "the stack that is result " + std::to_string(to.result) + " of " + loop
                                          : "the next step of " + loop);
  return out;
}

}  // namespace

Recorded Part::body(int eqn, int sub, const LoopForm& form, const BodyPlan& plan,
                    const std::vector<ValuePtr>& operands) {
  const Eqn& e = p_.eqns[eqn];
  const LoopForm::Body& of = form.bodies[sub];
  const bool branch = form.kind == LoopForm::Kind::branch;
  Part inside(sharded_.bodies[eqn][sub], planner_, plan.homes, this, words_in(e, of, branch));
  std::vector<ValuePtr> inputs;
  for (std::size_t i = 0; i < of.inputs.size(); ++i) {
    const ValueId v = e.subs[sub]->inputs[i];
    const ValuePtr& operand = operands[of.inputs[i].operand];
    if (of.inputs[i].way != Way::same) {
      inputs.push_back(inside.input(v, plan.inputs[i]));
    } else if (branch && operand->home == this) {
      // A branch moves what it takes, for it may not be taken.
      inputs.push_back(std::make_shared<Value>(Value{v, &inside, operand->versions, operand->blocks}));
    } else {
      inputs.push_back(operand);
    }
  }
  Recorded out = inside.record(plan, inputs, plan.outputs);
  for (Cause& c : out.causes) {
    Surroundings around{c.times, c.where};
    around.within(e, sub);
    c.times = around.times;
    c.where = around.where;
  }
  return out;
}

std::vector<Array> Part::loop(int eqn, const LoopForm& form, const Candidate& c,
                              const std::vector<ValuePtr>& operands) {
  const Eqn& e = p_.eqns[eqn];
  const bool branch = form.kind == LoopForm::Kind::branch;
  std::vector<Array> taken;  // behind the consts; of a branch its number
  if (branch) taken.push_back(block(*operands[0], c.operands[0]));
  for (const LoopForm::Input& in : form.bodies[form.body].inputs)
    if (in.way != Way::same) taken.push_back(block(*operands[in.operand], c.operands[in.operand]));

  std::vector<Recorded> bodies;
  for (int s = 0; s < static_cast<int>(e.subs.size()); ++s) bodies.push_back(body(eqn, s, form, c.bodies[s], operands));
  for (const Recorded& b : bodies) causes_.insert(causes_.end(), b.causes.begin(), b.causes.end());
  if (branch) {
    std::vector<ProgramPtr> subs = with_equal_inputs(bodies, taken);
    return bind(*e.op, c.params, std::move(taken), std::move(subs));
  }
  std::vector<ProgramPtr> subs;
  for (const Recorded& b : bodies) subs.push_back(consts_first(b.traced));
  std::vector<Array> all;
  int condition_consts = 0;
  if (form.condition >= 0) {
    all = bodies[form.condition].traced.captured;
    condition_consts = static_cast<int>(all.size());
  }
  const std::vector<Array>& consts = bodies[form.body].traced.captured;
  all.insert(all.end(), consts.begin(), consts.end());
  all.insert(all.end(), taken.begin(), taken.end());
  const Params params =
      e.op->with_consts(e.params, condition_consts, static_cast<int>(consts.size()), loop_of(e).carries);
  return bind(*e.op, params, std::move(all), std::move(subs));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
