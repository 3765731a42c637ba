// Where the residuals of a linearized function come from, in words.
#include "ir/index.hpp"
#include "regions/calls.hpp"
#include "regions/lists.hpp"

namespace tutti::ops {
namespace {

std::string origin(const Program& p, const std::vector<std::string>& inputs, const Atom& a) {
  if (a.is_literal()) return "a number";
  const ProgramIndex index(p);
  std::string text;
  const std::vector<std::string> names = names_in(p)[a.id];
  for (const std::string& name : names) text += "named '" + name + "', ";
  if (const int i = index.input(a.id); i >= 0) return text + inputs[static_cast<std::size_t>(i)];
  const Eqn& e = p.eqns[index.producer(a.id)];
  if (e.op->role == Role::call) {
    std::vector<std::string> operands;
    for (const Atom& operand : e.operands) operands.push_back(origin(p, inputs, operand));
    std::size_t k = 0;
    while (e.results[k] != a.id) ++k;
    return text + origin(*e.subs[0], operands, e.subs[0]->outputs[k]);
  }
  return text + "output of " + e.op->name + (e.loc ? " at " + e.loc.str() : "");
}

}  // namespace

std::vector<std::string> residual_origins(const Program& known, std::size_t results,
                                          const std::vector<std::string>& inputs) {
  std::vector<std::string> out;
  for (const Atom& a : without_first(known.outputs, results)) out.push_back(origin(known, inputs, a));
  return out;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
