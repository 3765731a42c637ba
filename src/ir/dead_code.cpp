// Dead code, also in the bodies of loops and branches: what somebody needs is marked through all of them at once, then
// each level is written anew without the rest.
#include <algorithm>
#include <optional>

#include "ir/dataflow.hpp"
#include "ir/index.hpp"
#include "ir/loop_form.hpp"
#include "ir/op.hpp"

namespace tutti {
namespace {

using Flags = std::vector<bool>;

template <class T> std::vector<T> where(const std::vector<T>& xs, const Flags& keep) {
  std::vector<T> out;
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (keep[i]) out.push_back(xs[i]);
  return out;
}
bool all_set(const Flags& flags) { return std::find(flags.begin(), flags.end(), false) == flags.end(); }

// The program of these Eqns, last first, with these inputs and outputs. Values are numbered anew, so that equal
// programs have equal content.
Program renumbered(const Program& p, const Flags& inputs, std::vector<Eqn> live, const Flags& outputs) {
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
  for (ValueId v : where(p.inputs, inputs)) out.inputs.push_back(define(v));
  out.eqns.reserve(live.size());
  for (std::size_t i = live.size(); i-- > 0;) {
    Eqn& e = live[i];
    for (Atom& a : e.operands) a = use(a);
    for (ValueId& r : e.results) r = define(r);
    out.eqns.push_back(std::move(e));
  }
  for (const Atom& a : where(p.outputs, outputs)) out.outputs.push_back(use(a));
  return out;
}

// The parts of one loop or branch that somebody needs.
class Narrowing {
 public:
  /// `used`: per result, whether it is needed.
  Narrowing(const Eqn& eqn, const Flags& used) : one_(alone(eqn)), flow_(one_, Dataflow::Through::loops) {
    marks_ = flow_.needed_for(where(one_.outputs, used));
  }
  /// Nothing when it stays as it is.
  std::optional<Eqn> run(const Eqn& eqn) const { return narrowed(one_.eqns[0], 0, eqn); }

 private:
  // A program of this Eqn, whose operands are its inputs and whose results are its outputs.
  static Program alone(const Eqn& eqn) {
    Program out;
    Eqn e = eqn;
    for (Atom& a : e.operands)
      if (!a.is_literal()) {
        a = Atom(static_cast<ValueId>(out.inputs.size()));
        out.inputs.push_back(a.id);
      }
    for (ValueId& r : e.results) {
      r = static_cast<ValueId>(out.inputs.size() + out.outputs.size());
      out.outputs.emplace_back(r);
    }
    out.types.resize(out.inputs.size() + out.outputs.size());
    out.eqns.push_back(std::move(e));
    return out;
  }

  // `eqn` as `e` is narrowed, an Eqn of a program whose marks start at `first`.
  std::optional<Eqn> narrowed(const Eqn& e, int first, const Eqn& eqn) const {
    const LoopForm form = *loop_form(e);
    const std::vector<int>& starts = flow_.starts(first, e);
    Flags operands(e.operands.size(), false), results;
    for (ValueId r : e.results) results.push_back(marks_[first + r]);
    if (form.kind == LoopForm::Kind::branch) operands[0] = true;
    auto each_input = [&](auto f) {
      for (std::size_t s = 0; s < form.bodies.size(); ++s)
        for (std::size_t i = 0; i < form.bodies[s].inputs.size(); ++i)
          f(form.bodies[s].inputs[i], marks_[starts[s] + e.subs[s]->inputs[i]] != 0);
    };
    // A carry is needed if its last value is, or a step or the condition reads it.
    each_input([&](const LoopForm::Input& in, bool read) {
      if (read && in.way == LoopForm::Way::carried) results[in.result] = true;
    });
    each_input([&](const LoopForm::Input& in, bool read) {
      if (in.way == LoopForm::Way::carried ? results[in.result] : read) operands[in.operand] = true;
    });
    Eqn out = eqn;
    bool changed = !all_set(operands) || !all_set(results);
    for (std::size_t s = 0; s < form.bodies.size(); ++s) {
      Flags in, made;
      for (const LoopForm::Input& i : form.bodies[s].inputs) in.push_back(operands[i.operand]);
      for (const LoopForm::Output& o : form.bodies[s].outputs) made.push_back(o.result < 0 || results[o.result]);
      out.subs[s] = pruned(e.subs[s], starts[s], in, made);
      changed |= out.subs[s] != e.subs[s];
    }
    if (!changed) return std::nullopt;
    out.operands = where(eqn.operands, operands);
    out.results = where(eqn.results, results);
    if (e.op->role == Role::loop) {
      const Loop loop = loop_of(e);
      auto kept = [&](int from, int n) {
        return static_cast<int>(std::count(operands.begin() + from, operands.begin() + from + n, true));
      };
      out.params = e.op->with_consts(e.params, kept(0, loop.condition_consts), kept(loop.first_const(), loop.consts),
                                     kept(loop.first_carry(), loop.carries));
    }
    return out;
  }

  ProgramPtr pruned(const ProgramPtr& sub, int first, const Flags& inputs, const Flags& outputs) const {
    const Program& p = *sub;
    std::vector<Eqn> live;
    bool changed = !all_set(inputs) || !all_set(outputs);
    for (std::size_t i = p.eqns.size(); i-- > 0;) {
      const Eqn& e = p.eqns[i];
      const bool needed =
          std::any_of(e.results.begin(), e.results.end(), [&](ValueId r) { return marks_[first + r] != 0; });
      if (!needed && !has_effect(e)) {
        changed = true;
        continue;
      }
      std::optional<Eqn> part;
      if (loop_form(e)) part = narrowed(e, first, e);
      changed |= part.has_value();
      live.push_back(part ? *std::move(part) : e);
    }
    if (!changed) {
      sub->facts.tidy = true;
      return sub;
    }
    ProgramPtr out = std::make_shared<Program>(renumbered(p, inputs, std::move(live), outputs));
    out->facts.tidy = true;
    return out;
  }

  Program one_;
  Dataflow flow_;
  Dataflow::Marks marks_;
};

// Whether a loop or branch of which all results are needed is as it is narrowed, as far as can be said without a walk
// through all that is inside.
bool stays(const Eqn& e) {
  if (!std::all_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return s->facts.tidy.load(); }))
    return false;
  const LoopForm form = *loop_form(e);
  Flags read(e.operands.size(), false);
  if (form.kind == LoopForm::Kind::branch) read[0] = true;
  for (std::size_t s = 0; s < e.subs.size(); ++s) {
    const ProgramIndex index(*e.subs[s]);
    for (std::size_t i = 0; i < form.bodies[s].inputs.size(); ++i) {
      const LoopForm::Input& in = form.bodies[s].inputs[i];
      if (in.way == LoopForm::Way::carried || index.is_read(e.subs[s]->inputs[i])) read[in.operand] = true;
    }
  }
  return all_set(read);
}

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
    Flags used;
    for (ValueId r : e.results) used.push_back(needed[r]);
    const bool kept = is_kept && is_kept(e);
    if (std::find(used.begin(), used.end(), true) == used.end() && !kept && !has_effect(e)) continue;
    std::optional<Eqn> part;
    if (!kept && loop_form(e) && !(all_set(used) && stays(e))) part = Narrowing(e, used).run(e);
    out.push_back(part ? *std::move(part) : e);
    need(out.back().operands);
  }
  return out;
}

}  // namespace

Program without_dead_code(const Program& p) { return without_dead_code(p, nullptr); }
Program without_dead_code(const Program& p, bool (*is_kept)(const Eqn&)) {
  Program out = renumbered(p, Flags(p.inputs.size(), true), live_eqns(p, is_kept), Flags(p.outputs.size(), true));
  out.input_names = p.input_names;
  return out;
}
ProgramPtr tidied(const Program& p) {
  ProgramPtr out = std::make_shared<Program>(without_dead_code(p));
  out->facts.tidy = true;
  return out;
}

}  // namespace tutti
