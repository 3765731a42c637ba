#include "propagate/rules.hpp"

#include <utility>

#include "ir/loop_form.hpp"

namespace tutti {
namespace {

class Rules {
 public:
  explicit Rules(const Placements& placements) : placements_(placements) {}

  void add(const Scope& scope) {
    const Program& p = scope.program();
    for (std::size_t i = 0; i < p.eqns.size(); ++i) {
      if (scope.bodies[i].empty()) {
        equation(p.eqns[i], scope);
        continue;
      }
      const LoopForm form = *loop_form(p.eqns[i]);
      enter(p.eqns[i], form, scope, scope.bodies[i]);
      for (const Scope& body : scope.bodies[i]) add(body);
      leave(p.eqns[i], form, scope, scope.bodies[i]);
    }
  }

  std::vector<Rule> out;

 private:
  void equation(const Eqn& e, const Scope& scope) {
    if (!e.op->factors || !e.subs.empty()) return;
    const Program& p = scope.program();
    std::vector<Type> operands, results;
    for (const Atom& a : e.operands) operands.push_back(p.type(a));
    for (ValueId r : e.results) results.push_back(p.types[r]);
    Factors f = e.op->factors(Call{*e.op, e.params, operands, e.subs}, results);
    Rule rule;
    bool reduces = false;
    for (const Factors::Factor& one : f.factors)
      reduces = reduces || (one.kind != Factors::Kind::parallel && one.kind != Factors::Kind::replicated);
    rule.broadcast = e.op->spread == Spread::last;
    rule.first = rule.elementwise = !reduces && e.op->spread == Spread::first;
    rule.factors = std::move(f.factors);
    for (std::size_t i = 0; i < e.operands.size() && i < f.operands.size(); ++i)
      if (!e.operands[i].is_literal())
        rule.tensors.push_back({scope.first + e.operands[i].id, std::move(f.operands[i]), false});
    for (std::size_t i = 0; i < e.results.size() && i < f.results.size(); ++i)
      rule.tensors.push_back({scope.first + e.results[i], std::move(f.results[i]), true});
    out.push_back(std::move(rule));
  }

  // Values that are one, dim by dim; of a stack its dims behind the first. Those that come first win where they differ.
  class Tie {
   public:
    void add(const Scope& scope, const Atom& a, bool stack = false) {
      if (!a.is_literal()) values_.emplace_back(scope.first + a.id, stack);
    }
    // Nothing when there are not two, or no dims.
    void close(const Placements& placements, std::vector<Rule>& rules) const {
      if (values_.size() < 2) return;
      Rule rule;
      rule.first = true;
      for (const auto& [value, stack] : values_) {
        const Type& t = placements.types[value];
        Rule::Tensor tensor{value, {}, false};
        if (stack) tensor.dims.emplace_back();
        for (int d = stack; d < t.ndim(); ++d) {
          const int f = d - stack;
          if (f == static_cast<int>(rule.factors.size())) rule.factors.push_back({t.shape[d]});
          tensor.dims.push_back({f});
        }
        rule.tensors.push_back(std::move(tensor));
      }
      if (!rule.factors.empty()) rules.push_back(std::move(rule));
    }

   private:
    std::vector<std::pair<int, bool>> values_;
  };

  // Operands, with the carries all the way round. What a body makes comes first: a constraint in it holds in all turns.
  void enter(const Eqn& e, const LoopForm& form, const Scope& scope, const std::vector<Scope>& bodies) {
    for (int o = 0; o < static_cast<int>(e.operands.size()); ++o) {
      Tie tie;
      int result = -1;  // that it ends as
      for (const LoopForm::Input& in : form.bodies[form.body].inputs)
        if (in.operand == o) result = in.result;
      if (result >= 0) tie.add(bodies[form.body], handed_on(form, bodies, result));
      bool outside = true;
      for (std::size_t s = 0; s < bodies.size(); ++s)
        for (std::size_t i = 0; i < form.bodies[s].inputs.size(); ++i) {
          const LoopForm::Input& in = form.bodies[s].inputs[i];
          if (in.operand != o) continue;
          if (std::exchange(outside, false)) tie.add(scope, e.operands[o], in.way == LoopForm::Way::slice);
          tie.add(bodies[s], bodies[s].program().inputs[i]);
        }
      if (result >= 0) tie.add(scope, e.results[result]);
      tie.close(placements_, out);
    }
  }

  // Results that are not carries.
  void leave(const Eqn& e, const LoopForm& form, const Scope& scope, const std::vector<Scope>& bodies) {
    std::vector<char> is_carry(e.results.size(), 0);
    for (const LoopForm::Input& in : form.bodies[form.body].inputs)
      if (in.result >= 0) is_carry[in.result] = 1;
    for (std::size_t r = 0; r < e.results.size(); ++r) {
      if (is_carry[r]) continue;
      Tie tie;
      bool stacked = false;
      for (std::size_t s = 0; s < bodies.size(); ++s)
        for (std::size_t k = 0; k < form.bodies[s].outputs.size(); ++k) {
          const LoopForm::Output& made = form.bodies[s].outputs[k];
          if (made.result != static_cast<int>(r)) continue;
          stacked = made.stacked;
          tie.add(bodies[s], bodies[s].program().outputs[k]);
        }
      tie.add(scope, e.results[r], stacked);
      tie.close(placements_, out);
    }
  }

  static Atom handed_on(const LoopForm& form, const std::vector<Scope>& bodies, int result) {
    const LoopForm::Body& body = form.bodies[form.body];
    for (std::size_t k = 0; k < body.outputs.size(); ++k)
      if (body.outputs[k].result == result) return bodies[form.body].program().outputs[k];
    throw InternalError("propagate: a carry that no body hands on");
  }

  const Placements& placements_;
};

}  // namespace

std::vector<Rule> rules_of(const Scope& scope, const Placements& placements) {
  Rules rules(placements);
  rules.add(scope);
  return std::move(rules.out);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
