#include "ir/rewrite.hpp"

#include <algorithm>

namespace tutti {
namespace {

bool has_any(const Program& p, const std::function<bool(const Eqn&)>& is_one) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [&](const Eqn& e) {
    return is_one(e) ||
           std::any_of(e.subs.begin(), e.subs.end(), [&](const ProgramPtr& sub) { return has_any(*sub, is_one); });
  });
}

}  // namespace

ProgramPtr without_identities(const ProgramPtr& program, const std::function<bool(const Eqn&)>& is_same) {
  if (!has_any(*program, is_same)) return program;
  Program out = *program;
  out.eqns.clear();
  std::vector<Atom> stands_for(out.types.size());
  for (std::size_t v = 0; v < stands_for.size(); ++v) stands_for[v] = Atom(static_cast<ValueId>(v));
  auto use = [&](Atom& a) {
    if (!a.is_literal()) a = stands_for[a.id];
  };
  for (Eqn e : program->eqns) {
    for (Atom& a : e.operands) use(a);
    if (is_same(e)) {
      stands_for[e.results[0]] = e.operands[0];
      continue;
    }
    for (ProgramPtr& sub : e.subs) sub = without_identities(sub, is_same);
    out.eqns.push_back(std::move(e));
  }
  for (Atom& a : out.outputs) use(a);
  return tidied(std::move(out));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
