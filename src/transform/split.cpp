// Cuts a Program in two by what is known; linearize is the jvp program cut by what depends on primals only.
#include <algorithm>
#include <map>

#include "transform/interpret.hpp"
#include "transform/kept.hpp"

namespace tutti {
namespace {

// One half being built: values of the whole program under new numbers, as literals where they are.
class Half {
 public:
  explicit Half(const Program& whole) : whole_(whole), at_(whole.types.size()), has_(whole.types.size(), 0) {}

  ValueId fresh(const Type& type) {
    out.types.push_back(type);
    return static_cast<ValueId>(out.types.size()) - 1;
  }
  void define(ValueId v) { define_as(v, Atom(fresh(whole_.type(v)))); }
  void define_as(ValueId v, const Atom& here) {
    at_[v] = here;
    has_[v] = 1;
  }
  bool has(ValueId v) const { return has_[v]; }
  Atom use(const Atom& a) const { return a.is_literal() ? a : at_[a.id]; }
  void input(ValueId v, std::string name) {
    if (!has(v)) define(v);
    out.inputs.push_back(at_[v].id);
    out.input_names.push_back(std::move(name));
  }
  void append(const Eqn& eqn) {
    Eqn e = eqn;
    for (Atom& a : e.operands) a = use(a);
    for (ValueId& r : e.results) {
      define(r);
      r = at_[r].id;
    }
    out.eqns.push_back(std::move(e));
  }
  // The Eqns of `part` on these operands; its outputs.
  std::vector<Atom> append(const Program& part, const std::vector<Atom>& operands) {
    Half inner(part);
    inner.out = std::move(out);
    for (std::size_t i = 0; i < operands.size(); ++i) inner.define_as(part.inputs.at(i), operands[i]);
    for (const Eqn& e : part.eqns) inner.append(e);
    out = std::move(inner.out);
    std::vector<Atom> outputs;
    for (const Atom& a : part.outputs) outputs.push_back(inner.use(a));
    return outputs;
  }

  Program out;

 private:
  const Program& whole_;
  std::vector<Atom> at_;  // by ValueId
  std::vector<char> has_;
};

class Splitter {
 public:
  explicit Splitter(const Program& p, Effects effects = Effects::where_known)
      : p_(p),
        effects_(effects),
        known_(p),
        unknown_(p),
        is_unknown_(p.types.size(), 0),
        is_constant_(p.types.size(), 0) {}

  Split run(const std::vector<bool>& unknown, const std::vector<bool>& whole) {
    for (Half* half : {&known_, &unknown_}) {
      half->out.types.reserve(p_.types.size());
      half->out.eqns.reserve(p_.eqns.size());
    }
    for (std::size_t i = 0; i < p_.inputs.size(); ++i) {
      ValueId v = p_.inputs[i];
      is_unknown_[v] = unknown[i];
      if (!unknown[i])
        known_.input(v, input_name(p_, i));
      else
        unknown_.define(v);
    }
    for (const Eqn& e : p_.eqns) eqn(e);

    Split out;
    for (std::size_t k = 0; k < p_.outputs.size(); ++k) {
      const Atom& a = p_.outputs[k];
      out.unknown_output.push_back(unknown_atom(a) || (!whole.empty() && whole[k]));
      if (!out.unknown_output.back()) {
        known_.out.outputs.push_back(known_.use(a));
        continue;
      }
      if (!unknown_atom(a)) residual(a);
      unknown_.out.outputs.push_back(unknown_.use(a));
    }
    for (std::size_t i = 0; i < p_.inputs.size(); ++i)
      if (unknown[i]) unknown_.input(p_.inputs[i], input_name(p_, i));
    unknown_.out.inputs.insert(unknown_.out.inputs.begin(), residual_here_.begin(), residual_here_.end());
    unknown_.out.input_names.insert(unknown_.out.input_names.begin(), residual_here_.size(), "");
    out.unknown = needed_residuals(without_dead_code(std::move(unknown_.out)));
    out.num_residuals = static_cast<int>(residual_known_.size());
    for (ValueId v : residual_known_) known_.out.outputs.emplace_back(v);
    out.known = tidied(std::move(known_.out));
    return out;
  }

 private:
  bool unknown_atom(const Atom& a) const { return !a.is_literal() && is_unknown_[a.id]; }

  // A value of the known half in the unknown one: each is a residual once.
  Atom residual_of(const Atom& known) {
    if (known.is_literal()) return known;
    auto [at, fresh] = here_.try_emplace(known.id, -1);
    if (fresh) {
      at->second = unknown_.fresh(known_.out.types[known.id]);
      residual_known_.push_back(known.id);
      residual_here_.push_back(at->second);
    }
    return Atom(at->second);
  }
  void residual(const Atom& a) {
    if (!a.is_literal() && !unknown_.has(a.id)) unknown_.define_as(a.id, residual_of(known_.use(a)));
  }

  void eqn(const Eqn& e) {
    const bool late = effects_ == Effects::unknown && has_effect(e);
    bool any =
        late || std::any_of(e.operands.begin(), e.operands.end(), [&](const Atom& a) { return unknown_atom(a); });
    if (!any) {
      known_.append(e);
      bool constant = !e.op->effect && !e.op->host && !e.op->collective && e.subs.empty() &&
                      std::all_of(e.operands.begin(), e.operands.end(),
                                  [&](const Atom& a) { return a.is_literal() || is_constant_[a.id]; });
      // Zeros and the like are made anew on the other side instead of being kept.
      if (constant) {
        unknown_.append(e);
        for (ValueId r : e.results) {
          is_constant_[r] = 1;
          here_[known_.use(Atom(r)).id] = unknown_.use(Atom(r)).id;
        }
      }
      return;
    }
    bool all = std::all_of(e.operands.begin(), e.operands.end(), [&](const Atom& a) { return unknown_atom(a); });
    if (e.op->split && !all && !late) return split_eqn(e);
    for (const Atom& a : e.operands)
      if (!unknown_atom(a)) residual(a);
    unknown_.append(e);
    for (ValueId r : e.results) is_unknown_[r] = 1;
  }

  void split_eqn(const Eqn& e) {
    LocOverride line(e.loc);
    std::vector<bool> unknown;
    std::vector<Atom> known_operands, unknown_operands;
    for (const Atom& a : e.operands) {
      unknown.push_back(unknown_atom(a));
      if (!unknown_atom(a)) known_operands.push_back(known_.use(a));
    }
    const Split s = answer(&Kept::split, question(e, unknown), [&] { return e.op->split(call_of(p_, e), unknown); });
    const std::vector<Atom> made = known_.append(*s.known, known_operands);
    const std::size_t residuals = static_cast<std::size_t>(s.num_residuals), results = made.size() - residuals;
    for (std::size_t i = results; i < made.size(); ++i) unknown_operands.push_back(residual_of(made[i]));
    for (const Atom& a : e.operands)
      if (unknown_atom(a)) unknown_operands.push_back(unknown_.use(a));
    const std::vector<Atom> later = unknown_.append(*s.unknown, unknown_operands);
    std::size_t next[2] = {0, 0};
    for (std::size_t k = 0; k < e.results.size(); ++k) {
      const ValueId r = e.results[k];
      is_unknown_[r] = s.unknown_output[k];
      if (s.unknown_output[k])
        unknown_.define_as(r, later.at(next[1]++));
      else
        known_.define_as(r, made.at(next[0]++));
    }
    if (next[0] != results || next[1] != later.size())
      throw InternalError("the split rule of " + e.op->name + " made " + std::to_string(results) + " known and " +
                          std::to_string(later.size()) + " unknown results instead of " + std::to_string(next[0]) +
                          " and " + std::to_string(next[1]));
  }

  Question question(const Eqn& e, const std::vector<bool>& unknown) const {
    return {.programs = e.subs, .flags = unknown, .op = e.op, .params = e.params, .operands = operand_types(p_, e)};
  }

  // What the unknown half, which has no dead code, does not read after all (of a split Eqn) is not a residual.
  ProgramPtr needed_residuals(Program half) {
    const ProgramIndex index(half);
    std::vector<ValueId> known, inputs;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < half.inputs.size(); ++i) {
      const bool residual = i < residual_known_.size();
      if (residual && !index.is_read(half.inputs[i])) continue;
      if (residual) known.push_back(residual_known_[i]);
      inputs.push_back(half.inputs[i]);
      names.push_back(half.input_names[i]);
    }
    const bool same = inputs.size() == half.inputs.size();
    residual_known_ = std::move(known);
    half.inputs = std::move(inputs);
    half.input_names = std::move(names);
    if (!same) return tidied(std::move(half));
    auto out = std::make_shared<Program>(std::move(half));
    out->facts.tidy = true;  // as it came
    return out;
  }

  const Program& p_;
  Effects effects_;
  Half known_, unknown_;
  std::vector<char> is_unknown_, is_constant_;
  std::map<ValueId, ValueId> here_;      // values of the known half that the unknown half has, under its numbers
  std::vector<ValueId> residual_known_;  // in the known half
  std::vector<ValueId> residual_here_;   // in the unknown half
};

}  // namespace

Split split(const Program& program, const std::vector<bool>& unknown, const std::vector<bool>& whole, Effects effects) {
  const Transforming running;
  return Splitter(program, effects).run(unknown, whole);
}

Split split(const ProgramPtr& program, const std::vector<bool>& unknown, const std::vector<bool>& whole,
            Effects effects) {
  const bool late = effects == Effects::unknown;
  return answer(&Kept::split, {.programs = {program}, .flags = unknown, .more_flags = whole, .late_effects = late},
                [&] { return split(*program, unknown, whole, effects); });
}

Linearized linearize(const Program& program, const std::vector<bool>& differentiated, const NamedAxes& axes) {
  const Transforming running;
  JvpProgram forward = jvp(program, differentiated, axes);
  std::vector<bool> unknown(forward.program->inputs.size(), false);
  std::fill(unknown.begin() + static_cast<std::ptrdiff_t>(program.inputs.size()), unknown.end(), true);
  Split s = split(*forward.program, unknown);
  // A tangent that no tangent input reaches is zero, by linearity: zeros that a rule wrote out.
  std::size_t n = program.outputs.size(), t = n;
  std::vector<bool> tangent = forward.tangent;
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (s.unknown_output[i]) throw InternalError("linearize: an output depends on a tangent");
    if (!tangent[i]) continue;
    if (!s.unknown_output[t++]) {
      tangent[i] = false;
      ++dropped;
    }
  }
  Program known = *s.known;
  known.outputs.erase(known.outputs.begin() + static_cast<std::ptrdiff_t>(n),
                      known.outputs.begin() + static_cast<std::ptrdiff_t>(n + dropped));
  return {dropped ? tidied(std::move(known)) : s.known, s.unknown, s.num_residuals, std::move(tangent)};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
