// What policies of remat keep: which values of a program, and the program without them.
#include <algorithm>

#include "ops/contraction/dot_general.hpp"
#include "ops/movement/checkpoint_name.hpp"
#include "regions/calls.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"

namespace tutti {
namespace checkpoint_policies {

using Names = std::vector<std::string>;

RematPolicy save_only_these_names(Names names) { return {.names = std::move(names)}; }
RematPolicy save_any_names_but_these(Names names) { return {.all_names_but = std::move(names)}; }
RematPolicy save_anything_except_these_names(Names names) { return {.all_but_names = std::move(names)}; }

RematPolicy save_from_both_policies(const RematPolicy& a, const RematPolicy& b) {
  // Left out is what both leave out.
  auto but = [](const std::optional<Names>& x, const std::optional<Names>& y) -> std::optional<Names> {
    if (!x || !y) return x ? x : y;
    Names out;
    for (const std::string& name : *x)
      if (std::find(y->begin(), y->end(), name) != y->end()) out.push_back(name);
    return out;
  };
  RematPolicy out{std::max(a.products, b.products), a.names, but(a.all_names_but, b.all_names_but),
                  but(a.all_but_names, b.all_but_names)};
  append(out.names, b.names);
  return out;
}

}  // namespace checkpoint_policies

namespace ops {
namespace {

using Names = std::vector<std::string>;
using Flags = std::vector<bool>;

bool any_of(const Names& names, const Names& list) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return std::find(list.begin(), list.end(), name) != list.end(); });
}
bool keeps_names(const RematPolicy& policy, const Names& names) {
  return any_of(names, policy.names) ||
         (policy.all_names_but && !names.empty() && !any_of(names, *policy.all_names_but));
}
bool keeps(const RematPolicy& policy, const Eqn& made_by, const Names& names) {
  if (keeps_names(policy, names) || (policy.all_but_names && !any_of(names, *policy.all_but_names))) return true;
  if (made_by.op != &dot_general || policy.products == RematPolicy::Products::none) return false;
  return policy.products == RematPolicy::Products::all || made_by.params.get<DotGeneral>().dims.lhs_batch.empty();
}

// Programs of one numbering: both start as the whole program and have values of their own behind its.
class Cutter {
 public:
  Cutter(const Program& p, const RematPolicy& policy)
      : p_(p), policy_(policy), names_(names_in(p)), once_(p), again_(p), here_(p.types.size()) {
    once_.eqns.clear();
    again_.eqns.clear();
    for (std::size_t v = 0; v < here_.size(); ++v) here_[v] = static_cast<ValueId>(v);
  }

  /// `keep_inputs[i]`: an input that has a name may be kept as well.
  PolicyCut run(const Flags& keep_inputs, const Flags& again) {
    for (std::size_t i = 0; i < keep_inputs.size(); ++i)
      if (keep_inputs[i] && keeps_names(policy_, names_[p_.inputs[i]])) keep(p_.inputs[i]);
    for (const Eqn& e : p_.eqns) {
      enter(e);
      if (e.op == &checkpoint_name) continue;
      for (ValueId r : e.results)
        if (keeps(policy_, e, names_[r])) keep(r);
    }
    for (Atom& a : again_.outputs) a = now(a);
    again_.outputs = where(again_.outputs, again);
    // What is kept and not needed after all is not kept.
    again_ = without_dead_code(std::move(again_));
    const Flags read = inputs_read(again_);
    const auto own = static_cast<std::ptrdiff_t>(p_.inputs.size());
    const Flags needed(read.begin() + own, read.end());
    Flags stays(p_.inputs.size(), true);
    append(stays, needed);
    again_.inputs = where(again_.inputs, stays);
    for (ValueId v : where(kept_, needed)) once_.outputs.emplace_back(v);
    once_.input_names.clear();
    again_.input_names.clear();
    return {tidied(once_), tidied(again_), static_cast<int>(count(needed))};
  }

 private:
  static ValueId fresh(Program& p, const Type& type) {
    p.types.push_back(type);
    return static_cast<ValueId>(p.types.size()) - 1;
  }
  Atom now(const Atom& a) const { return a.is_literal() ? a : Atom(here_[a.id]); }

  // The second half takes a value of the first.
  ValueId take(ValueId once) {
    kept_.push_back(once);
    again_.inputs.push_back(fresh(again_, once_.types[once]));
    return again_.inputs.back();
  }
  void keep(ValueId v) { here_[v] = take(v); }

  // The Eqn in both halves. Where its sub-program runs within this one, what is kept inside is a result of the first
  // and an operand of the second.
  void enter(const Eqn& e) {
    Eqn again = e;
    for (Atom& a : again.operands) a = now(a);
    once_.eqns.push_back(e);
    // A loop of so many steps stacks what is kept.
    const Loop loop = e.op->loop ? loop_of(e) : Loop();
    const bool stacks = e.op->loop && loop.condition < 0;
    if ((stacks || e.op == &remat) && !keeps(policy_, e, {})) {
      const Program& body = *e.subs[0];
      Flags keep_inputs(body.inputs.size(), !stacks);
      if (stacks) std::fill_n(keep_inputs.begin() + loop.consts, loop.carries, true);
      const Flags all(body.outputs.size(), true);
      const PolicyCut inner = Cutter(body, policy_).run(keep_inputs, all);
      if (inner.kept > 0) {
        Eqn& once = once_.eqns.back();
        once.subs = {inner.once};
        again.subs = {inner.again};
        for (const Type& t : without_first(inner.once->output_types(), body.outputs.size())) {
          once.results.push_back(fresh(once_, stacks ? stack_of(t, loop.length) : t));
          again.operands.emplace_back(take(once.results.back()));
        }
      }
    }
    again_.eqns.push_back(std::move(again));
  }

  const Program& p_;
  const RematPolicy& policy_;
  std::vector<Names> names_;  // by value
  Program once_, again_;
  std::vector<ValueId> here_;  // by value: what the second half has for it
  std::vector<ValueId> kept_;  // of the first half
};

}  // namespace

std::vector<std::vector<std::string>> names_in(const Program& p) {
  // What a name makes has the names of what it was given to, and the other way round.
  std::vector<ValueId> named(p.types.size());  // the value that was named, for what names make
  for (std::size_t v = 0; v < named.size(); ++v) named[v] = static_cast<ValueId>(v);
  std::vector<Names> out(p.types.size()), all(p.types.size());
  for (const Eqn& e : p.eqns) {
    if (e.op != &checkpoint_name || e.operands[0].is_literal()) continue;
    named[e.results[0]] = named[e.operands[0].id];
    out[named[e.results[0]]].push_back(e.params.get<CheckpointName>().name);
  }
  for (std::size_t v = 0; v < named.size(); ++v) all[v] = out[named[v]];
  return all;
}

PolicyCut cut_by_policy(const Program& p, const RematPolicy& policy, const Flags& again) {
  return Cutter(p, policy).run({}, again);
}

}  // namespace ops
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
