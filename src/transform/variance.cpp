#include "transform/variance.hpp"

#include <algorithm>
#include <span>

#include "ir/collective.hpp"
#include "ir/replay.hpp"

namespace tutti {
namespace {

AxisNames sorted(AxisNames names) {
  std::sort(names.begin(), names.end());
  return names;
}
AxisNames without(const AxisNames& from, const AxisNames& gone) {
  AxisNames out;
  for (const std::string& n : from)
    if (std::find(gone.begin(), gone.end(), n) == gone.end()) out.push_back(n);
  return out;
}

// Axes along which collectives may bring variance into a sub-program.
AxisNames named_inside(const Program& p) {
  AxisNames out;
  for (const Eqn& e : p.eqns) {
    const Collective* c = e.op->collective.get();
    if (c && c->variance == Collective::Variance::begins) out = merge_names(out, sorted(c->group(e.params).axes));
    for (const ProgramPtr& sub : e.subs) out = merge_names(out, named_inside(*sub));
  }
  return out;
}

AxisNames all_of(std::span<const AxisNames> many) {
  AxisNames out;
  for (const AxisNames& names : many) out = merge_names(out, names);
  return out;
}

// The carries of a step may differ where those of the step before do, so the body is gone through until they stay.
// Along an axis along which the condition may differ, so may the number of steps.
std::vector<AxisNames> of_loop(const Eqn& e, const std::vector<AxisNames>& operands) {
  const Loop loop = loop_of(e);
  const auto begin = operands.begin();
  std::vector<AxisNames> inputs(begin + loop.first_const(), operands.end()), outputs;
  const auto carries = static_cast<std::size_t>(loop.carries), consts = static_cast<std::size_t>(loop.consts);
  for (bool stays = false; !stays;) {
    AxisNames ends;
    if (loop.condition >= 0) {
      std::vector<AxisNames> asked(begin, begin + loop.condition_consts);
      for (std::size_t i = 0; i < carries; ++i) asked.push_back(inputs[consts + i]);
      ends = output_variance(*e.subs[static_cast<std::size_t>(loop.condition)], asked)[0];
    }
    outputs = output_variance(*e.subs[static_cast<std::size_t>(loop.body)], inputs);
    stays = true;
    for (std::size_t i = 0; i < carries; ++i) {
      AxisNames& carry = inputs[consts + i];
      outputs[i] = merge_names(merge_names(outputs[i], ends), carry);
      stays = stays && outputs[i] == carry;
      carry = outputs[i];
    }
  }
  return outputs;
}

std::vector<AxisNames> of_branches(const Eqn& e, const std::vector<AxisNames>& operands) {
  std::vector<AxisNames> out(e.results.size(), operands[0]);
  for (const ProgramPtr& sub : e.subs) {
    const auto taken = output_variance(*sub, {operands.begin() + 1, operands.end()});
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = merge_names(out[i], taken[i]);
  }
  return out;
}

// Of an Eqn of which nothing is known but its operands.
AxisNames of_results(const Eqn& e, const AxisNames& operands) {
  if (const Collective* c = e.op->collective.get()) {
    const AxisNames& axes = c->group(e.params).axes;
    switch (c->variance) {
      case Collective::Variance::ends: return without(operands, axes);
      case Collective::Variance::begins: return merge_names(operands, sorted(axes));
      case Collective::Variance::stays: return operands;
    }
  }
  AxisNames out = operands;
  for (const ProgramPtr& sub : e.subs) out = merge_names(out, named_inside(*sub));
  if (e.op->binds)
    for (const auto& [name, size] : e.op->binds(e.params)) out = without(out, {name});
  return out;
}

}  // namespace

std::vector<AxisNames> output_variance(const Program& body, const std::vector<AxisNames>& inputs) {
  Environment<AxisNames> env(body, inputs, [](const Atom&) { return AxisNames(); });
  return replay(body, env, [](const Eqn& e, const std::vector<AxisNames>& operands) {
    switch (e.op->role) {
      case Role::loop: return of_loop(e, operands);
      case Role::branch: return of_branches(e, operands);
      case Role::call: return output_variance(*e.subs[0], operands);
      default: return std::vector<AxisNames>(e.results.size(), of_results(e, all_of(operands)));
    }
  });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
