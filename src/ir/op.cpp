#include "ir/op.hpp"

#include <algorithm>
#include <numeric>

#include "ir/loop_form.hpp"

namespace tutti {

std::vector<std::vector<int>> Op::linear_sets(std::size_t operands) const {
  std::vector<std::vector<int>> out = linear;
  for (std::vector<int>& set : out) {
    if (set != std::vector{every}) continue;
    set.resize(operands);
    std::iota(set.begin(), set.end(), 0);
  }
  return out;
}

namespace {

// Of all steps of a loop; of one, where a condition says how many there are; of branches the one with most.
double flops_of(const Eqn& eqn, const LoopForm& form) {
  double all = 0, most = 0;
  for (const ProgramPtr& sub : eqn.subs) {
    double of_sub = 0;
    for (const Eqn& e : sub->eqns) of_sub += flops_of(*sub, e);
    all += of_sub;
    most = std::max(most, of_sub);
  }
  return form.kind == LoopForm::Kind::branch ? most : static_cast<double>(form.length) * all;
}

}  // namespace

double flops_of(const Program& program, const Eqn& eqn) {
  if (const std::optional<LoopForm> form = loop_form(eqn)) return flops_of(eqn, *form);
  std::vector<Type> operands, results;
  for (const Atom& a : eqn.operands) operands.push_back(program.type(a));
  for (ValueId r : eqn.results) results.push_back(program.types[r]);
  if (eqn.op->flops) return eqn.op->flops(Call{*eqn.op, eqn.params, operands, eqn.subs}, results);
  double elements = 0;
  if (eqn.op->pointwise)
    for (const Type& t : results) elements += static_cast<double>(t.num_elements());
  return elements;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
