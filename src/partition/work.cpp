#include "partition/work.hpp"

#include <algorithm>

#include "ir/loop_form.hpp"
#include "ir/op.hpp"
#include "ops/collective/collective.hpp"
#include "ops/elementwise/comparison.hpp"

namespace tutti {
namespace {

double bytes_of(const Program& p, const Eqn& e) {
  double out = 0;
  for (const Atom& a : e.operands) out += static_cast<double>(p.type(a).nbytes());
  for (ValueId r : e.results) out += static_cast<double>(p.types[r].nbytes());
  return out;
}

Work of_eqns(const Program& p) {
  Work out;
  for (const Eqn& e : p.eqns) {
    const Work one = work_of(p, e);
    out = {out.flops + one.flops, out.bytes + one.bytes};
  }
  return out;
}

}  // namespace

Work work_of(const Program& p, const Eqn& e) {
  if (const std::optional<LoopForm> form = loop_form(e)) {
    Work all, most;
    for (const ProgramPtr& sub : e.subs) {
      const Work one = of_eqns(*sub);
      all = {all.flops + one.flops, all.bytes + one.bytes};
      if (one.flops >= most.flops) most = one;
    }
    const Work turn = form->kind == LoopForm::Kind::branch ? most : all;
    const auto turns = static_cast<double>(form->length);
    return {turns * turn.flops, turns * turn.bytes};
  }
  const double flops = flops_of(p, e);
  return {flops, e.op->flops && flops > 0 ? bytes_of(p, e) : 0};
}

Work work_of(const Program& p) {
  Work out = of_eqns(p);
  for (ValueId v : p.inputs) out.bytes += static_cast<double>(p.types[v].nbytes());
  for (const Atom& a : p.outputs) out.bytes += static_cast<double>(p.type(a).nbytes());
  return out;
}

Arithmetic::Arithmetic(const Program& program) : p_(program), positions_(program.types.size(), 0) {
  auto made = [&](const Eqn& e) {
    if (e.op == &ops::axis_index || e.op->role == Role::generator) return true;
    if (!(e.op->pointwise || e.op->movement) || e.op->collective) return false;
    return std::all_of(e.operands.begin(), e.operands.end(),
                       [&](const Atom& a) { return a.is_literal() || positions_[static_cast<std::size_t>(a.id)]; });
  };
  for (const Eqn& e : p_.eqns)
    for (ValueId r : e.results) {
      const DType dtype = p_.types[static_cast<std::size_t>(r)].dtype;
      positions_[static_cast<std::size_t>(r)] = (dtype.is_integer() || dtype.is_bool()) && made(e);
    }
}

double Arithmetic::of(const Eqn& e) const {
  if (e.op->collective || e.op->role != Role::compute || e.results.empty()) return 0;
  if (positions_[static_cast<std::size_t>(e.results[0])]) return 0;
  const Atom& first = e.operands.empty() ? Atom() : e.operands[0];
  if (e.op == &ops::select && (first.is_literal() || positions_[static_cast<std::size_t>(first.id)])) return 0;
  if (e.op->flops || e.op->pointwise) return flops_of(p_, e);
  if (e.op->movement) return 0;
  // Of what is written to places of an array, not the array.
  const bool writes = e.op->overwrites == 0 && e.operands.size() > 1;
  double most = 0;
  for (std::size_t k = writes ? 1 : 0; k < e.operands.size(); ++k)
    most = std::max(most, static_cast<double>(p_.type(e.operands[k]).num_elements()));
  return most;
}

double arithmetic_of(const Program& p) {
  const Arithmetic arithmetic(p);
  double out = 0;
  for (const Eqn& e : p.eqns) out += e.subs.empty() ? arithmetic.of(e) : in_sub_programs(e, arithmetic_of);
  return out;
}

double in_sub_programs(const Eqn& e, const std::function<double(const Program&)>& of) {
  const std::optional<LoopForm> form = loop_form(e);
  double all = 0, most = 0;
  for (const ProgramPtr& sub : e.subs) {
    const double one = of(*sub);
    all += one;
    most = std::max(most, one);
  }
  if (!form) return all;
  return static_cast<double>(form->length) * (form->kind == LoopForm::Kind::branch ? most : all);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
