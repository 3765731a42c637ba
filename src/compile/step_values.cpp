#include "compile/step_values.hpp"

#include <algorithm>

#include "ops/contraction/dot_general.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/transpose.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kMostBytes = 32 << 20;  // of new stacks, if the loop has no larger ones already

}  // namespace

StepValues::StepValues(OpenLoop& l) : loop(l), room_(kMostBytes) {
  look();
  std::int64_t stacked = 0;
  for (const OpenLoop::Input& x : loop.slices) stacked += loop.around.type(x.operand).nbytes();
  for (const OpenLoop::Stack& x : loop.stacks) stacked += loop.around.type(x.result).nbytes();
  room_ = std::max(room_, stacked);
}

void StepValues::look() {
  const Program& p = loop.body;
  uses_.assign(p.types.size(), 0);
  producer_.assign(p.types.size(), -1);
  for (std::size_t i = 0; i < p.eqns.size(); ++i) {
    for (const Atom& a : p.eqns[i].operands)
      if (!a.is_literal()) ++uses_[a.id];
    for (ValueId v : p.eqns[i].results) producer_[v] = static_cast<int>(i);
  }
  auto output = [&](const Atom& a) {
    if (!a.is_literal()) ++uses_[a.id];
  };
  for (const OpenLoop::Carry& c : loop.carries) output(c.next);
  for (const OpenLoop::Stack& x : loop.stacks) output(x.inside);
  unchanging_.emplace(p, loop.consts);
}

const Eqn* StepValues::maker(const Atom& a) const {
  return a.is_literal() || producer_[a.id] < 0 ? nullptr : &loop.body.eqns[producer_[a.id]];
}

bool StepValues::is_product(const Eqn* e) { return e && e->op == &ops::dot_general; }

std::pair<Atom, lax::Dims> StepValues::factor(const Eqn& dot, int k) const {
  Atom a = dot.operands[k];
  lax::Dims dims = ops::range(0, type(a).ndim());
  const lax::DotDims& d = dot.params.get<ops::DotGeneral>().dims;
  const lax::Dims &batch = k ? d.rhs_batch : d.lhs_batch, &contract = k ? d.rhs_contract : d.lhs_contract;
  const Eqn* e = maker(a);
  if (!e || e->op != &ops::transpose || e->operands[0].is_literal()) return {a, dims};
  const lax::Dims& order = e->params.get<ops::Transpose>().permutation;
  std::int64_t last = -1;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(dims.size()); ++i) {
    if (ops::contains(batch, i) || ops::contains(contract, i)) continue;
    if (order[i] < last) return {a, dims};
    last = order[i];
  }
  return {e->operands[0], order};
}

Atom StepValues::outside(const Atom& a) {
  if (a.is_literal()) return a;
  for (const OpenLoop::Input& x : loop.consts)
    if (x.inside == a.id) return x.operand;
  auto known = outside_.find(a.id);
  if (known != outside_.end()) return known->second;
  Eqn e = *maker(a);
  for (Atom& x : e.operands) x = outside(x);
  for (ValueId& v : e.results) {
    const ValueId out = loop.fresh(loop.body.type(v));
    outside_[v] = out;
    v = out;
  }
  loop.before.push_back(std::move(e));
  return outside_.at(a.id);
}

Atom StepValues::stack_of(const Atom& a) {
  for (const OpenLoop::Input& x : loop.slices)
    if (x.inside == a.id) return x.operand;
  for (const OpenLoop::Stack& x : loop.stacks)
    if (x.inside == a) return x.result;
  Type type = loop.body.type(a);
  type.shape.insert(0, loop.form.length);
  loop.stacks.push_back({a, loop.fresh(type)});
  return loop.stacks.back().result;
}
std::int64_t StepValues::bytes_to_stack(const Atom& a) const {
  for (const OpenLoop::Input& x : loop.slices)
    if (x.inside == a.id) return 0;
  for (const OpenLoop::Stack& x : loop.stacks)
    if (x.inside == a) return 0;
  return loop.body.type(a).nbytes();
}

bool StepValues::fits(std::int64_t bytes) {
  if (bytes * loop.form.length > room_) return false;
  room_ -= bytes * loop.form.length;
  return true;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
