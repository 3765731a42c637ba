#include "ir/program.hpp"

#include <algorithm>
#include <optional>

#include "ir/dataflow.hpp"
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
bool has_effect(const Eqn& e) {
  return e.op->effect ||
         std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) { return has_effect(*sub); });
}

namespace {

// The Eqns that somebody needs, without what nobody needs of them, and those that are kept; last first.
std::vector<Eqn> live_eqns(const Program& p, bool (*is_kept)(const Eqn&)) {
  std::vector<char> needed(p.types.size(), 0);
  auto need = [&](const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms)
      if (!a.is_literal()) needed[a.id] = 1;
  };
  need(p.outputs);
  std::vector<Eqn> out;
  for (std::size_t i = p.eqns.size(); i-- > 0;) {
    const Eqn& e = p.eqns[i];
    std::vector<bool> used;
    for (ValueId r : e.results) used.push_back(needed[r]);
    const bool kept = is_kept && is_kept(e);
    if (std::find(used.begin(), used.end(), true) == used.end() && !kept && !has_effect(e)) continue;
    std::optional<Eqn> part;
    if (!kept && e.op->narrowed) part = e.op->narrowed(p, e, used);
    out.push_back(part ? *std::move(part) : e);
    need(out.back().operands);
  }
  return out;
}

}  // namespace

Program without_dead_code(const Program& p) { return without_dead_code(p, nullptr); }
Program without_dead_code(const Program& p, bool (*is_kept)(const Eqn&)) {
  std::vector<Eqn> live = live_eqns(p, is_kept);
  // Values are numbered anew, so that equal programs have equal content.
  Program out;
  std::vector<ValueId> id(p.types.size(), -1);
  auto define = [&](ValueId v) {
    id[v] = static_cast<ValueId>(out.types.size());
    out.types.push_back(p.types[v]);
    return id[v];
  };
  auto use = [&](const Atom& a) {
    if (a.is_literal()) return a;
    return Atom(id[a.id]);
  };
  for (ValueId v : p.inputs) out.inputs.push_back(define(v));
  for (std::size_t i = live.size(); i-- > 0;) {
    Eqn& e = live[i];
    for (Atom& a : e.operands) a = use(a);
    for (ValueId& r : e.results) r = define(r);
    out.eqns.push_back(std::move(e));
  }
  for (const Atom& a : p.outputs) out.outputs.push_back(use(a));
  out.input_names = p.input_names;
  return out;
}

}  // namespace tutti
