#include "ir/dataflow.hpp"

#include "ir/loop_form.hpp"

namespace tutti {
namespace {

// How the sub-programs of an Eqn stand for it; nothing where they are not what it computes.
std::vector<LoopForm::Body> bodies(const Eqn& e, Dataflow::Through through) {
  if (const std::optional<LoopForm> form = loop_form(e)) return form->bodies;
  if (through == Dataflow::Through::loops) return {};
  if (e.op->role != Role::call && e.op->role != Role::region) return {};
  LoopForm::Body body;
  for (int i = 0; i < static_cast<int>(e.operands.size()); ++i) body.inputs.push_back({i});
  for (int k = 0; k < static_cast<int>(e.results.size()); ++k) body.outputs.push_back({k});
  return {body};
}

std::vector<int> ids(const std::vector<Atom>& atoms) {
  std::vector<int> out;
  for (const Atom& a : atoms)
    if (!a.is_literal()) out.push_back(a.id);
  return out;
}

}  // namespace

Dataflow::Dataflow(const Program& program, Through through) : through_(through) { enter(program); }

int Dataflow::enter(const Program& p) {
  const int first = size_;
  size_ += static_cast<int>(p.types.size());
  for (const Eqn& e : p.eqns) {
    if (e.op->effect)
      for (const Atom& a : e.operands)
        if (!a.is_literal()) effects_.push_back(first + a.id);
    inside(e, first);
  }
  return first;
}

void Dataflow::inside(const Eqn& e, int first) {
  const std::vector<LoopForm::Body> parts = bodies(e, through_);
  // Which branch it is, and whether there is a step, decides about all results, and about effects.
  auto decides = [&](int from, const Atom& a) {
    for (ValueId r : e.results) join(first + r, from, a);
    if (!a.is_literal() && has_effect(e)) effects_.push_back(from + a.id);
  };
  if (parts.empty())
    for (const Atom& a : e.operands) {
      for (ValueId r : e.results) join(first + r, first, a);
      if (!a.is_literal() && !e.op->effect && has_effect(e)) effects_.push_back(first + a.id);
    }
  if (e.op->role == Role::branch) decides(first, e.operands[0]);

  std::vector<int> start;  // by sub-program
  for (std::size_t s = 0; s < parts.size(); ++s) start.push_back(enter(*e.subs[s]));
  std::vector<std::pair<int, Atom>> step(e.results.size());  // by carry: what a step makes of it
  for (std::size_t s = 0; s < parts.size(); ++s)
    for (std::size_t k = 0; k < parts[s].outputs.size(); ++k) {
      const Atom& made = e.subs[s]->outputs[k];
      const int result = parts[s].outputs[k].result;
      if (result < 0) {
        decides(start[s], made);
        continue;
      }
      join(first + e.results[result], start[s], made);
      step[result] = {start[s], made};
    }
  for (std::size_t s = 0; s < parts.size(); ++s)
    for (std::size_t i = 0; i < parts[s].inputs.size(); ++i) {
      const LoopForm::Input& in = parts[s].inputs[i];
      const int input = start[s] + e.subs[s]->inputs[i];
      join(input, first, e.operands[in.operand]);
      if (in.way != LoopForm::Way::carried) continue;
      join(first + e.results[in.result], first, e.operands[in.operand]);  // there may be no step
      join(input, step[in.result].first, step[in.result].second);
    }
}

Dataflow::Marks Dataflow::made_of(const std::vector<ValueId>& values) const { return spread(values, true, nullptr); }
Dataflow::Marks Dataflow::needed_for(const std::vector<Atom>& values, const Marks& within) const {
  return spread(ids(values), false, &within);
}
Dataflow::Marks Dataflow::needed_for(const std::vector<Atom>& values) const {
  std::vector<int> from = ids(values);
  from.insert(from.end(), effects_.begin(), effects_.end());
  return spread(from, false, nullptr);
}

Dataflow::Marks Dataflow::spread(std::vector<int> from, bool forwards, const Marks* within) const {
  // Counting sort by value: where those begin that a mark goes on to.
  auto source = [&](const Joint& j) { return forwards ? j.operand : j.result; };
  std::vector<std::size_t> begin(size_ + 1, 0);
  for (const Joint& j : joints_) ++begin[source(j) + 1];
  for (int v = 0; v < size_; ++v) begin[v + 1] += begin[v];
  std::vector<int> on(joints_.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const Joint& j : joints_) on[next[source(j)]++] = forwards ? j.result : j.operand;

  Marks marks(size_, 0);
  while (!from.empty()) {
    const int v = from.back();
    from.pop_back();
    if (marks[v] || (within && !(*within)[v])) continue;
    marks[v] = 1;
    from.insert(from.end(), on.begin() + begin[v], on.begin() + begin[v + 1]);
  }
  return marks;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
