#include "ir/program.hpp"

#include <algorithm>
#include <atomic>

#include "ir/op.hpp"

namespace tutti {

Type Program::type(const Atom& a) const {
  if (!a.is_literal()) return types[a.id];
  return Type{a.literal.dtype, {}, a.weak, {}};
}

std::vector<Type> Program::input_types() const {
  std::vector<Type> out;
  for (ValueId v : inputs) out.push_back(types[v]);
  return out;
}

std::vector<Type> Program::output_types() const {
  std::vector<Type> out;
  for (const Atom& a : outputs) out.push_back(type(a));
  return out;
}

std::size_t content_hash(const Program& p) {
  std::size_t h = p.inputs.size();
  for (const Type& t : p.types) h = hash_combine(h, t.hash());
  auto atom = [&](const Atom& a) {
    h = hash_combine(h, a.is_literal() ? field::hash(a.literal) : static_cast<std::size_t>(a.id));
  };
  for (const Eqn& e : p.eqns) {
    h = hash_combine(h, reinterpret_cast<std::size_t>(e.op));
    h = hash_combine(h, e.params.hash());
    for (const Atom& a : e.operands) atom(a);
    for (const ProgramPtr& sub : e.subs) h = hash_combine(h, content_hash(*sub));
  }
  for (const Atom& a : p.outputs) atom(a);
  return h;
}

bool content_equal(const Program& a, const Program& b) {
  if (a.types != b.types || a.inputs != b.inputs || a.outputs != b.outputs || a.eqns.size() != b.eqns.size())
    return false;
  for (std::size_t i = 0; i < a.eqns.size(); ++i) {
    const Eqn &x = a.eqns[i], &y = b.eqns[i];
    if (x.op != y.op || !(x.params == y.params) || x.operands != y.operands || x.results != y.results ||
        x.subs.size() != y.subs.size())
      return false;
    for (std::size_t k = 0; k < x.subs.size(); ++k)
      if (x.subs[k] != y.subs[k] && !content_equal(*x.subs[k], *y.subs[k])) return false;
  }
  return true;
}

bool has_effect(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) { return has_effect(e); });
}
namespace {
bool has_effect(const ProgramPtr& sub) {
  std::atomic<signed char>& known = sub->facts.effect;
  if (known < 0) known = has_effect(*sub);
  return known > 0;
}
}  // namespace
bool has_effect(const Eqn& e) {
  return e.op->effect ||
         std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) { return has_effect(sub); });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
