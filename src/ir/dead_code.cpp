// Dead code, also in the bodies of loops and branches: what somebody needs is marked through all of them at once, then
// each level is written anew without the rest.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "ir/dataflow.hpp"
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

// The program of these Eqns, last first, with these inputs and outputs of `p`. Values are numbered anew, so that equal
// programs have equal content.
Program renumbered(Program p, const Flags& inputs, std::vector<Eqn> live, const Flags& outputs) {
  Program out;
  std::vector<ValueId> id(p.types.size(), -1);
  auto define = [&](ValueId v) {
    id[v] = static_cast<ValueId>(out.types.size());
    out.types.push_back(std::move(p.types[v]));
    return id[v];
  };
  auto use = [&](const Atom& a) {
    if (a.is_literal()) return a;
    return Atom(id[a.id]);
  };
  out.types.reserve(p.types.size());
  out.inputs.reserve(p.inputs.size());
  out.outputs.reserve(p.outputs.size());
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    if (inputs[i]) out.inputs.push_back(define(p.inputs[i]));
  out.eqns.reserve(live.size());
  for (std::size_t i = live.size(); i-- > 0;) {
    Eqn& e = live[i];
    for (Atom& a : e.operands) a = use(a);
    for (ValueId& r : e.results) r = define(r);
    out.eqns.push_back(std::move(e));
  }
  for (std::size_t k = 0; k < p.outputs.size(); ++k)
    if (outputs[k]) out.outputs.push_back(use(p.outputs[k]));
  return out;
}

// The values of a program that are read by an Eqn or are outputs.
std::vector<char> read_values(const Program& p) {
  std::vector<char> out(p.types.size(), 0);
  auto read = [&](const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms)
      if (!a.is_literal()) out[a.id] = 1;
  };
  for (const Eqn& e : p.eqns) read(e.operands);
  read(p.outputs);
  return out;
}

using IsKept = bool (*)(const Eqn&);

// The values of one program that somebody needs, and of the bodies of its loops and branches. Marks only grow, and a
// walk enters a body again only where more of its results are needed than before. A body without dead code of which
// all is needed is not entered.
class Needed {
 public:
  explicit Needed(const Program& p, IsKept is_kept = nullptr)
      : p_(p), is_kept_(is_kept), marks_(p.types.size(), 0), inside_(p.eqns.size()) {}

  void need(const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms) need(a);
  }
  void need(const Atom& a) {
    if (!a.is_literal()) marks_[a.id] = 1;
  }
  bool needs(ValueId v) const { return marks_[v]; }

  /// From the marks to what is computed for them, and for effects.
  void spread() {
    for (std::size_t i = p_.eqns.size(); i-- > 0;) {
      const Eqn& e = p_.eqns[i];
      if (!is_live(e)) continue;
      if (kept(e) || (e.op->role != Role::branch && e.op->role != Role::loop))
        need(e.operands);
      else
        enter(e, inside_[i]);
    }
  }

  /// The Eqns that somebody needs, without what nobody needs of them; last first. Sets `changed` where that is not all.
  /// `take(i)`: Eqn i, as it is.
  std::vector<Eqn> live(bool& changed, auto take) const {
    std::vector<Eqn> out;
    out.reserve(p_.eqns.size());
    for (std::size_t i = p_.eqns.size(); i-- > 0;) {
      const Eqn& e = p_.eqns[i];
      if (!is_live(e)) {
        changed = true;
        continue;
      }
      std::optional<Eqn> part;
      if (inside_[i]) part = narrowed(e, *inside_[i]);
      changed |= part.has_value();
      out.push_back(part ? *std::move(part) : take(i));
    }
    return out;
  }

 private:
  // A loop or branch.
  struct Inside {
    LoopForm form;
    Flags results, operands;   // that are needed
    std::vector<Needed> subs;  // empty where the bodies are needed as they are
  };

  bool kept(const Eqn& e) const { return is_kept_ && is_kept_(e); }
  bool is_live(const Eqn& e) const {
    return std::any_of(e.results.begin(), e.results.end(), [&](ValueId r) { return marks_[r] != 0; }) || kept(e) ||
           has_effect(e);
  }

  void enter(const Eqn& e, std::unique_ptr<Inside>& entered) {
    const bool first = !entered;
    if (first)
      entered = std::make_unique<Inside>(
          Inside{*loop_form(e), Flags(e.results.size(), false), Flags(e.operands.size(), false), {}});
    Inside& in = *entered;
    bool grown = first;
    for (std::size_t k = 0; k < e.results.size(); ++k)
      if (marks_[e.results[k]] && !in.results[k]) in.results[k] = grown = true;
    if (!grown) return;
    if (is_whole(e, in))
      take_whole(e, in);
    else
      descend(e, in);
    for (std::size_t i = 0; i < e.operands.size(); ++i)
      if (in.operands[i]) need(e.operands[i]);
  }

  // Whether all results are needed, of bodies without dead code. Results that nobody reads in a program without dead
  // code are those of carries that the steps read, such as counters: they are needed once all others are.
  bool is_whole(const Eqn& e, const Inside& in) {
    if (!std::all_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return s->facts.tidy.load(); }))
      return false;
    if (all_set(in.results)) return true;
    if (!p_.facts.tidy) return false;
    if (read_.empty()) read_ = read_values(p_);
    for (std::size_t k = 0; k < e.results.size(); ++k)
      if (read_[e.results[k]] && !in.results[k]) return false;
    return true;
  }

  void take_whole(const Eqn& e, Inside& in) const {
    in.results.assign(in.results.size(), true);
    in.subs.clear();
    std::vector<std::vector<char>> read;
    for (const ProgramPtr& sub : e.subs) read.push_back(read_values(*sub));
    mark_operands(e, in, [&](std::size_t s, ValueId v) { return read[s][v] != 0; });
  }

  void descend(const Eqn& e, Inside& in) const {
    if (in.subs.empty())
      for (const ProgramPtr& sub : e.subs) in.subs.emplace_back(*sub);
    for (bool grown = true; grown;) {
      for (std::size_t s = 0; s < in.subs.size(); ++s) {
        for (std::size_t k = 0; k < e.subs[s]->outputs.size(); ++k)
          if (const int r = in.form.bodies[s].outputs[k].result; r < 0 || in.results[r])
            in.subs[s].need(e.subs[s]->outputs[k]);
        in.subs[s].spread();
      }
      // A carry is needed if its last value is, or a step or the condition reads it.
      grown = false;
      for (std::size_t s = 0; s < in.subs.size(); ++s)
        for (std::size_t i = 0; i < e.subs[s]->inputs.size(); ++i)
          if (const LoopForm::Input& x = in.form.bodies[s].inputs[i];
              x.way == LoopForm::Way::carried && in.subs[s].needs(e.subs[s]->inputs[i]) && !in.results[x.result])
            in.results[x.result] = grown = true;
    }
    mark_operands(e, in, [&](std::size_t s, ValueId v) { return in.subs[s].needs(v); });
  }

  static void mark_operands(const Eqn& e, Inside& in, auto read) {
    if (in.form.kind == LoopForm::Kind::branch) in.operands[0] = true;
    for (std::size_t s = 0; s < in.form.bodies.size(); ++s)
      for (std::size_t i = 0; i < in.form.bodies[s].inputs.size(); ++i) {
        const LoopForm::Input& x = in.form.bodies[s].inputs[i];
        if (x.way == LoopForm::Way::carried ? in.results[x.result] : read(s, e.subs[s]->inputs[i]))
          in.operands[x.operand] = true;
      }
  }

  // Nothing when it stays as it is.
  static std::optional<Eqn> narrowed(const Eqn& e, const Inside& in) {
    bool changed = !all_set(in.operands) || !all_set(in.results);
    std::vector<ProgramPtr> subs;
    subs.reserve(e.subs.size());
    for (std::size_t s = 0; s < e.subs.size(); ++s) {
      Flags inputs, made;
      inputs.reserve(in.form.bodies[s].inputs.size());
      made.reserve(in.form.bodies[s].outputs.size());
      for (const LoopForm::Input& i : in.form.bodies[s].inputs) inputs.push_back(in.operands[i.operand]);
      for (const LoopForm::Output& o : in.form.bodies[s].outputs) made.push_back(o.result < 0 || in.results[o.result]);
      subs.push_back(pruned(e.subs[s], in.subs.empty() ? nullptr : &in.subs[s], inputs, made));
      changed |= subs.back() != e.subs[s];
    }
    if (!changed) return std::nullopt;
    Eqn out{e.op, e.params, where(e.operands, in.operands), where(e.results, in.results), std::move(subs), e.loc};
    if (e.op->role == Role::loop) {
      const Loop loop = loop_of(e);
      auto kept = [&](int from, int n) {
        return static_cast<int>(std::count(in.operands.begin() + from, in.operands.begin() + from + n, true));
      };
      out.params = e.op->with_consts(e.params, kept(0, loop.condition_consts), kept(loop.first_const(), loop.consts),
                                     kept(loop.first_carry(), loop.carries));
    }
    return out;
  }

  // `needed`: nullptr where all Eqns are.
  static ProgramPtr pruned(const ProgramPtr& sub, const Needed* needed, const Flags& inputs, const Flags& outputs) {
    bool changed = !all_set(inputs) || !all_set(outputs);
    std::vector<Eqn> live;
    if (needed)
      live = needed->live(changed, [&](std::size_t i) { return sub->eqns[i]; });
    else if (changed)
      live.assign(sub->eqns.rbegin(), sub->eqns.rend());
    if (!changed) {
      sub->facts.tidy = true;
      return sub;
    }
    Program ends;
    ends.types = sub->types;
    ends.inputs = sub->inputs;
    ends.outputs = sub->outputs;
    ProgramPtr out = std::make_shared<Program>(renumbered(std::move(ends), inputs, std::move(live), outputs));
    out->facts.tidy = true;
    return out;
  }

  const Program& p_;
  IsKept is_kept_;
  std::vector<char> marks_;                      // by ValueId
  std::vector<char> read_;                       // by ValueId: read_values, where somebody asked
  std::vector<std::unique_ptr<Inside>> inside_;  // by Eqn
};

}  // namespace

Program without_dead_code(Program p) { return without_dead_code(std::move(p), nullptr); }
Program without_dead_code(Program p, bool (*is_kept)(const Eqn&)) {
  Needed needed(p, is_kept);
  needed.need(p.outputs);
  needed.spread();
  bool changed = false;
  std::vector<Eqn> live = needed.live(changed, [&](std::size_t i) { return std::move(p.eqns[i]); });
  std::vector<std::string> names = std::move(p.input_names);
  const Flags inputs(p.inputs.size(), true), outputs(p.outputs.size(), true);
  Program out = renumbered(std::move(p), inputs, std::move(live), outputs);
  out.input_names = std::move(names);
  return out;
}
ProgramPtr tidied(Program p) {
  ProgramPtr out = std::make_shared<Program>(without_dead_code(std::move(p)));
  out->facts.tidy = true;
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
