#include "partition/accumulators.hpp"

#include <algorithm>

#include "ir/index.hpp"
#include "ir/loop_form.hpp"

namespace tutti {
namespace {

bool contains(const std::vector<int>& list, int x) { return std::find(list.begin(), list.end(), x) != list.end(); }

// Whether the op of `e`, applied to sums in place of these operands, gives sums: it is linear in them together, or a
// loop that adds to them.
bool is_linear(const Eqn& e, const std::vector<int>& operands) {
  if (e.op->role == Role::loop) {
    const std::vector<Accumulator> inside = accumulators(e);
    const LoopForm form = *loop_form(e);
    return std::all_of(operands.begin(), operands.end(), [&](int o) {
      return std::any_of(
          form.bodies[form.body].inputs.begin(), form.bodies[form.body].inputs.end(), [&](const auto& in) {
            return in.operand == o && std::any_of(inside.begin(), inside.end(),
                                                  [&](const Accumulator& a) { return a.result == in.result; });
          });
    });
  }
  if (e.op->role != Role::compute || !e.subs.empty() || e.op->collective || e.op->effect) return false;
  for (const std::vector<int>& set : e.op->linear_sets(e.operands.size()))
    if (std::all_of(operands.begin(), operands.end(), [&](int o) { return contains(set, o); })) return true;
  return false;
}

// The results of a loop that are made of these operands, or all of another Eqn.
std::vector<ValueId> made_of(const Eqn& e, const std::vector<int>& operands) {
  if (e.op->role != Role::loop) return e.results;
  std::vector<ValueId> out;
  const LoopForm form = *loop_form(e);
  for (const LoopForm::Input& in : form.bodies[form.body].inputs)
    if (in.result >= 0 && contains(operands, in.operand)) out.push_back(e.results[in.result]);
  return out;
}

// Marks what is there only to be added to partial values.
void mark_terms(const Program& body, std::vector<char>& partial) {
  const ProgramIndex index(body);
  for (std::size_t i = body.eqns.size(); i-- > 0;) {
    const Eqn& e = body.eqns[i];
    auto is_partial = [&](ValueId v) { return partial[v] != 0; };
    if (!e.subs.empty() || e.results.empty() || !std::all_of(e.results.begin(), e.results.end(), is_partial)) continue;
    const std::vector<std::vector<int>> sets = e.op->linear_sets(e.operands.size());
    if (sets.size() != 1) continue;
    for (int o : sets[0])
      if (const Atom& a = e.operands[o]; !a.is_literal() && index.use_count(a.id) == 1 && index.producer(a.id) >= 0)
        partial[a.id] = 1;
  }
}

bool is_read(const Program& p, ValueId v) {
  auto is_it = [&](const Atom& a) { return a == Atom(v); };
  return std::any_of(p.outputs.begin(), p.outputs.end(), is_it) ||
         std::any_of(p.eqns.begin(), p.eqns.end(),
                     [&](const Eqn& e) { return std::any_of(e.operands.begin(), e.operands.end(), is_it); });
}

// Whether the carry `start`, which ends as the loop's `result`, is one; marks what is made of it.
bool only_adds(const Program& body, const LoopForm::Body& form, ValueId start, int result, std::vector<char>& partial) {
  partial.assign(body.types.size(), 0);
  partial[start] = 1;
  auto is_partial = [&](const Atom& a) { return !a.is_literal() && partial[a.id]; };
  bool adds = false;
  for (const Eqn& e : body.eqns) {
    std::vector<int> operands;
    for (int o = 0; o < static_cast<int>(e.operands.size()); ++o)
      if (is_partial(e.operands[o])) operands.push_back(o);
    if (operands.empty()) continue;
    if (!is_linear(e, operands)) return false;
    for (ValueId r : made_of(e, operands)) partial[r] = 1;
    adds = true;
  }
  for (std::size_t k = 0; k < body.outputs.size(); ++k)
    if (is_partial(body.outputs[k]) != (form.outputs[k].result == result)) return false;
  return adds;
}

}  // namespace

std::vector<Accumulator> accumulators(const Eqn& loop) {
  std::vector<Accumulator> out;
  const LoopForm form = *loop_form(loop);
  const Program& body = *loop.subs[form.body];
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    const LoopForm::Input& in = form.bodies[form.body].inputs[i];
    const DType dtype = body.types[body.inputs[i]].dtype;
    if (in.result < 0 || !(dtype.is_inexact() || dtype.is_integer())) continue;
    Accumulator a{in.result, {}};
    if (!only_adds(body, form.bodies[form.body], body.inputs[i], in.result, a.is_partial)) continue;
    bool asked = false;  // by the condition
    if (form.condition >= 0)
      for (std::size_t k = 0; k < form.bodies[form.condition].inputs.size(); ++k)
        asked = asked || (form.bodies[form.condition].inputs[k].result == in.result &&
                          is_read(*loop.subs[form.condition], loop.subs[form.condition]->inputs[k]));
    if (asked) continue;
    mark_terms(body, a.is_partial);
    out.push_back(std::move(a));
  }
  return out;
}

}  // namespace tutti
