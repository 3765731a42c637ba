#include "partition/work.hpp"

#include "ir/loop_form.hpp"
#include "ir/op.hpp"

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

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
