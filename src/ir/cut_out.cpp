#include "ir/cut_out.hpp"

#include <set>
#include <unordered_map>

namespace tutti {

void walk_back(const Program& program, const ProgramIndex& index, ValueId v, const std::function<bool(int)>& enter) {
  std::set<int> waiting;
  if (const int maker = index.producer(v); maker >= 0) waiting.insert(maker);
  while (!waiting.empty()) {
    const int i = *waiting.rbegin();
    waiting.erase(i);
    if (!enter(i)) continue;
    for (const Atom& a : program.eqns[i].operands)
      if (!a.is_literal())
        if (const int maker = index.producer(a.id); maker >= 0) waiting.insert(maker);
  }
}

Program cut_out(const Program& program, const std::vector<int>& eqns, const std::vector<ValueId>& inputs,
                ValueId output) {
  Program out;
  std::unordered_map<ValueId, ValueId> id;
  auto define = [&](ValueId v) {
    out.types.push_back(program.types[v]);
    return id[v] = static_cast<ValueId>(out.types.size()) - 1;
  };
  for (ValueId v : inputs) out.inputs.push_back(define(v));
  for (int i : eqns) {
    Eqn e = program.eqns[i];
    for (Atom& a : e.operands)
      if (!a.is_literal()) a = Atom(id.at(a.id));
    for (ValueId& r : e.results) r = define(r);
    out.eqns.push_back(std::move(e));
  }
  out.outputs = {Atom(id.at(output))};
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
