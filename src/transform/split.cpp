// Cuts a Program in two by what is known; linearize is the jvp program cut by what depends on primals only.
#include <algorithm>
#include <map>

#include "transform/interpret.hpp"

namespace tutti {
namespace {

// One half being built: values of the whole program (or made by a split Eqn) under new numbers.
class Half {
 public:
  explicit Half(const Program& whole) : whole_(whole), id_(whole.types.size(), -1) {}

  ValueId fresh(const Type& type) {
    out.types.push_back(type);
    return static_cast<ValueId>(out.types.size()) - 1;
  }
  void define(ValueId v) { id_[v] = fresh(whole_.type(v)); }
  void define_as(ValueId v, ValueId here) { id_[v] = here; }
  bool has(ValueId v) const { return id_[v] >= 0; }
  Atom use(const Atom& a) const { return a.is_literal() ? a : Atom(id_[a.id]); }
  void input(ValueId v, std::string name) {
    if (!has(v)) define(v);
    out.inputs.push_back(id_[v]);
    out.input_names.push_back(std::move(name));
  }
  void append(const Eqn& eqn) {
    Eqn e = eqn;
    for (Atom& a : e.operands) a = use(a);
    for (ValueId& r : e.results) {
      define(r);
      r = id_[r];
    }
    out.eqns.push_back(std::move(e));
  }

  Program out;

 private:
  const Program& whole_;
  std::vector<ValueId> id_;
};

class Splitter {
 public:
  explicit Splitter(const Program& p)
      : p_(p), known_(p), unknown_(p), is_unknown_(p.types.size(), 0), is_constant_(p.types.size(), 0) {}

  Split run(const std::vector<bool>& unknown) {
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
    for (const Atom& a : p_.outputs) {
      out.unknown_output.push_back(unknown_atom(a));
      if (!unknown_atom(a))
        known_.out.outputs.push_back(known_.use(a));
      else
        unknown_.out.outputs.push_back(unknown_.use(a));
    }
    // What the unknown half does not need after all (of a split Eqn) is not a residual.
    for (std::size_t i = 0; i < p_.inputs.size(); ++i)
      if (unknown[i]) unknown_.input(p_.inputs[i], input_name(p_, i));
    prune_residuals();
    out.num_residuals = static_cast<int>(residual_here_.size());
    for (const Atom& a : residual_known_) known_.out.outputs.push_back(a);
    unknown_.out.inputs.insert(unknown_.out.inputs.begin(), residual_here_.begin(), residual_here_.end());
    unknown_.out.input_names.insert(unknown_.out.input_names.begin(), residual_here_.size(), "");
    out.known = std::make_shared<Program>(without_dead_code(known_.out));
    out.unknown = std::make_shared<Program>(without_dead_code(unknown_.out));
    return out;
  }

 private:
  bool unknown_atom(const Atom& a) const { return !a.is_literal() && is_unknown_[a.id]; }

  // Makes a known value available in the unknown half.
  void residual(const Atom& a) {
    if (a.is_literal() || unknown_.has(a.id)) return;
    unknown_.define(a.id);
    residual_known_.push_back(known_.use(a));
    residual_here_.push_back(unknown_.use(a).id);
  }

  void eqn(const Eqn& e) {
    bool any = std::any_of(e.operands.begin(), e.operands.end(), [&](const Atom& a) { return unknown_atom(a); });
    if (!any) {
      known_.append(e);
      bool constant = !e.op->effect && !e.op->collective && e.subs.empty() &&
                      std::all_of(e.operands.begin(), e.operands.end(),
                                  [&](const Atom& a) { return a.is_literal() || is_constant_[a.id]; });
      // Zeros and the like are made anew on the other side instead of being kept.
      if (constant) {
        unknown_.append(e);
        for (ValueId r : e.results) is_constant_[r] = 1;
      }
      return;
    }
    bool all = std::all_of(e.operands.begin(), e.operands.end(),
                           [&](const Atom& a) { return a.is_literal() || is_unknown_[a.id]; });
    if (e.op->split && !all) return split_eqn(e);
    for (const Atom& a : e.operands)
      if (!unknown_atom(a)) residual(a);
    unknown_.append(e);
    for (ValueId r : e.results) is_unknown_[r] = 1;
  }

  void split_eqn(const Eqn& e) {
    std::vector<bool> unknown;
    for (const Atom& a : e.operands) unknown.push_back(unknown_atom(a));
    EqnSplit s = e.op->split(call_of(p_, e), unknown);
    Eqn known{s.known.op, s.known.params, {}, {}, s.known.subs, e.loc},
        rest{s.unknown.op, s.unknown.params, {}, {}, s.unknown.subs, e.loc};
    std::vector<Type> known_types;
    for (const Atom& a : e.operands)
      if (!unknown_atom(a)) {
        known.operands.push_back(known_.use(a));
        known_types.push_back(p_.type(a));
      }
    std::vector<Type> results = infer_types(*known.op, known.params, known_types, known.subs);
    std::size_t next = 0;
    for (std::size_t k = 0; k < e.results.size(); ++k) {
      is_unknown_[e.results[k]] = s.unknown_result[k];
      if (s.unknown_result[k]) continue;
      known_.define_as(e.results[k], known_.fresh(results.at(next++)));
      known.results.push_back(known_.use(Atom(e.results[k])).id);
    }
    for (int i = 0; i < s.num_residuals; ++i) {
      ValueId made = known_.fresh(results.at(next)), here = unknown_.fresh(results.at(next));
      ++next;
      known.results.push_back(made);
      residual_known_.push_back(Atom(made));
      residual_here_.push_back(here);
      rest.operands.push_back(Atom(here));
    }
    if (next != results.size())
      throw InternalError("the split rule of " + e.op->name + " made " + std::to_string(results.size()) +
                          " known results instead of " + std::to_string(next));
    known_.out.eqns.push_back(std::move(known));
    for (const Atom& a : e.operands)
      if (unknown_atom(a)) rest.operands.push_back(unknown_.use(a));
    for (std::size_t k = 0; k < e.results.size(); ++k) {
      if (!s.unknown_result[k]) continue;
      unknown_.define(e.results[k]);
      rest.results.push_back(unknown_.use(Atom(e.results[k])).id);
    }
    unknown_.out.eqns.push_back(std::move(rest));
  }

  // Keeps the residuals that live Eqns of the unknown half read, each once.
  void prune_residuals() {
    Program live = unknown_.out;
    live.inputs.insert(live.inputs.begin(), residual_here_.begin(), residual_here_.end());
    std::vector<char> needed(live.types.size(), 0);
    for (const Atom& a : live.outputs)
      if (!a.is_literal()) needed[a.id] = 1;
    for (std::size_t i = live.eqns.size(); i-- > 0;) {
      const Eqn& e = live.eqns[i];
      bool used = e.op->effect || std::any_of(e.results.begin(), e.results.end(), [&](ValueId r) { return needed[r]; });
      for (const Atom& a : e.operands)
        if (used && !a.is_literal()) needed[a.id] = 1;
    }
    std::vector<Atom> known;
    std::vector<ValueId> here;
    for (std::size_t i = 0; i < residual_here_.size(); ++i) {
      if (!needed[residual_here_[i]]) continue;
      known.push_back(residual_known_[i]);
      here.push_back(residual_here_[i]);
    }
    residual_known_ = std::move(known);
    residual_here_ = std::move(here);
  }

  const Program& p_;
  Half known_, unknown_;
  std::vector<char> is_unknown_, is_constant_;
  std::vector<Atom> residual_known_;    // in the known half
  std::vector<ValueId> residual_here_;  // in the unknown half
};

}  // namespace

Split split(const Program& program, const std::vector<bool>& unknown) { return Splitter(program).run(unknown); }

Linearized linearize(const Program& program, const std::vector<bool>& differentiated, const NamedAxes& axes) {
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
  return {std::make_shared<Program>(dropped ? without_dead_code(known) : std::move(known)), s.unknown, s.num_residuals,
          std::move(tangent)};
}

}  // namespace tutti
