#include "compile/looping.hpp"

#include <set>

#include "compile/live.hpp"
#include "ir/dataflow.hpp"
#include "ir/index.hpp"
#include "ops/movement/copy.hpp"
#include "partition/local_program.hpp"

namespace tutti::compile {
namespace {

class Trimmer {
 public:
  Trimmer(const Eqn& e, const tutti::Loop& form, const std::vector<char>& used) : used_(used), f_(form) {
    body_ = *e.subs[f_.body];
    if (f_.condition >= 0) condition_ = *e.subs[f_.condition];
    if (sends_within(e)) used_.assign(used.size(), 1);  // steps send what others wait for
    first_carry_ = f_.condition_consts + f_.consts;
    first_x_ = first_carry_ + f_.carries;
    operands_ = static_cast<int>(e.operands.size());
    passed_.assign(f_.carries, 0);
    for (int c = 0; c < f_.carries; ++c) passed_[c] = body_.outputs[c] == Atom(body_.inputs[f_.consts + c]);
  }

  Looping run() {
    find_live();
    Looping l;
    l.length = f_.length;
    l.reverse = f_.reverse;
    choose_outputs(l);
    choose_inputs(l);
    return l;
  }

 private:
  // A carry is needed when its last value is, or when the condition or something that is needed reads it.
  void find_live() {
    live_.assign(used_.begin(), used_.begin() + f_.carries);
    if (condition_) {
      const ProgramIndex index(*condition_);
      for (int c = 0; c < f_.carries; ++c) live_[c] |= index.is_read(condition_->inputs[f_.condition_consts + c]);
    }
    Dataflow flow(body_);
    for (int c = 0; c < f_.carries; ++c) flow.feed_back(body_.inputs[f_.consts + c], body_.outputs[c]);
    std::vector<Atom> needed;
    for (std::size_t k = 0; k < body_.outputs.size(); ++k)
      if (k < live_.size() ? live_[k] : used_[k]) needed.push_back(body_.outputs[k]);
    const Dataflow::Marks marks = flow.needed_for(needed);
    for (int c = 0; c < f_.carries; ++c) live_[c] = !passed_[c] && (live_[c] || marks[body_.inputs[f_.consts + c]]);
  }

  // The body without outputs that nobody needs.
  Program needed() const {
    Program p = body_;
    p.outputs.clear();
    for (std::size_t k = 0; k < body_.outputs.size(); ++k)
      if (k < live_.size() ? live_[k] : used_[k]) p.outputs.push_back(body_.outputs[k]);
    return live(p);
  }

  void choose_outputs(Looping& l) const {
    for (int k = 0; k < static_cast<int>(body_.outputs.size()); ++k) {
      if (k >= f_.carries) {
        if (used_[k]) l.ys.push_back(k);
      } else if (passed_[k]) {
        if (used_[k]) l.passed.push_back({first_carry_ + k, k});
      } else if (live_[k]) {
        l.carry_results.push_back(k);
        l.carries.push_back(first_carry_ + k);
      }
    }
  }

  void choose_inputs(Looping& l) const {
    Program p = needed();
    const std::vector<ValueId> all = p.inputs;
    const ProgramIndex index(p);
    p.input_names.clear();
    p.inputs.clear();
    auto keep = [&](int from, int to, std::vector<int>& list, auto wanted) {
      for (int i = from; i < to; ++i)
        if (wanted(i)) {
          p.inputs.push_back(all[i - f_.condition_consts]);
          list.push_back(i);
        }
    };
    auto read = [&](int i) { return index.is_read(all[i - f_.condition_consts]); };
    keep(f_.condition_consts, first_carry_, l.consts, read);
    keep(first_carry_, first_x_, l.consts, [&](int i) { return passed_[i - first_carry_] && read(i); });
    std::vector<int> carries;
    keep(first_carry_, first_x_, carries, [&](int i) { return live_[i - first_carry_]; });
    keep(first_x_, operands_, l.xs, read);
    l.body = live(p);
    if (!condition_) return;

    Program c = *condition_;
    const std::vector<ValueId> inputs = c.inputs;
    c.input_names.clear();
    c.inputs.assign(inputs.begin(), inputs.begin() + f_.condition_consts);
    for (int i = 0; i < f_.condition_consts; ++i) l.condition_consts.push_back(i);
    for (int k = 0; k < f_.carries; ++k)
      if (passed_[k]) {
        c.inputs.push_back(inputs[f_.condition_consts + k]);
        l.condition_consts.push_back(first_carry_ + k);
      }
    for (int k = 0; k < f_.carries; ++k)
      if (live_[k]) c.inputs.push_back(inputs[f_.condition_consts + k]);
    l.condition = live(c);
  }

  std::vector<char> used_;
  tutti::Loop f_;
  Program body_;
  std::optional<Program> condition_;
  int first_carry_ = 0, first_x_ = 0, operands_ = 0;  // among the Eqn's operands
  std::vector<char> passed_, live_;                   // by carry
};

Eqn eqn_of(const Op& op, const Atom& operand, ValueId result) { return {&op, {}, {operand}, {result}, {}, {}}; }

}  // namespace

Looping looping(const Eqn& e, const tutti::Loop& form, const std::vector<char>& used) {
  return Trimmer(e, form, used).run();
}

Program with_own_outputs(Program p) {
  const ProgramIndex index(p);
  // What a value is a reading of: views are resolved.
  auto root = [&](ValueId v) {
    for (int e = index.producer(v); e >= 0 && p.eqns[e].op->view; e = index.producer(v)) {
      const Atom& x = p.eqns[e].operands[0];
      if (x.is_literal()) return -1;
      v = x.id;
    }
    return v;
  };
  std::set<ValueId> seen;
  std::vector<Eqn> first, last;
  for (Atom& a : p.outputs) {
    const ValueId r = a.is_literal() ? -1 : root(a.id);
    const bool input = r >= 0 && index.producer(r) < 0;
    if (r >= 0 && !input && seen.insert(r).second) continue;
    p.types.push_back(p.type(a));
    const ValueId own = static_cast<ValueId>(p.types.size()) - 1;
    // A carry that is kept is read before it is written over.
    const bool early = !a.is_literal() && index.producer(a.id) < 0;
    (early ? first : last).push_back(eqn_of(ops::copy, a, own));
    a = own;
  }
  p.eqns.insert(p.eqns.begin(), first.begin(), first.end());
  p.eqns.insert(p.eqns.end(), last.begin(), last.end());
  return p;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
