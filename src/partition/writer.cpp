#include "partition/writer.hpp"

namespace tutti {

Writer::Writer(const Program& program) : outputs_(program.outputs) {
  out_.types = program.types;
  out_.inputs = program.inputs;
  out_.input_names = program.input_names;
  for (std::size_t v = 0; v < program.types.size(); ++v) is_.emplace_back(static_cast<ValueId>(v));
}

Eqn Writer::now(Eqn e) const {
  for (Atom& a : e.operands) a = now(a);
  return e;
}

std::vector<Atom> Writer::put(const Program& body, const std::vector<Atom>& operands) {
  std::vector<Atom> inside(body.types.size());
  auto there = [&](const Atom& a) { return a.is_literal() ? a : inside[static_cast<std::size_t>(a.id)]; };
  for (std::size_t i = 0; i < operands.size(); ++i) inside[static_cast<std::size_t>(body.inputs[i])] = operands[i];
  for (Eqn e : body.eqns) {
    for (Atom& a : e.operands) a = there(a);
    for (ValueId& r : e.results) {
      out_.types.push_back(body.types[static_cast<std::size_t>(r)]);
      inside[static_cast<std::size_t>(r)] = static_cast<ValueId>(out_.types.size() - 1);
      r = inside[static_cast<std::size_t>(r)].id;
    }
    out_.eqns.push_back(std::move(e));
  }
  std::vector<Atom> out;
  for (const Atom& a : body.outputs) out.push_back(there(a));
  return out;
}

ProgramPtr Writer::done() {
  for (const Atom& a : outputs_) out_.outputs.push_back(now(a));
  return std::make_shared<Program>(std::move(out_));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
