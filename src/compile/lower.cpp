// Lowering of a fused Program to a Plan: one step or a few for every fusion group, and buffers for values.
#include <cstring>
#include <unordered_map>

#include "array/literal.hpp"
#include "compile/dot.hpp"
#include "compile/fuse.hpp"
#include "compile/loop.hpp"
#include "compile/passes.hpp"
#include "compile/repeat.hpp"
#include "ir/index.hpp"

namespace tutti::compile {
namespace {

class Lowering final : public Storages {
 public:
  Lowering(Plan& plan, const Fusion& fusion)
      : plan_(plan), p_(plan.program), f_(fusion), index_(plan.program), storage_(plan.program.types.size(), -1) {}

  void run() {
    for (std::size_t i = 0; i < p_.inputs.size(); ++i) {
      storage_[p_.inputs[i]] = add(Storage::Kind::input, static_cast<int>(i), p_.type(p_.inputs[i]).nbytes());
      plan_.inputs.push_back(storage_[p_.inputs[i]]);
    }
    for (const Atom& a : p_.outputs) {
      if (a.is_literal()) {
        plan_.outputs.push_back(literal(a.literal));
        continue;
      }
      int& s = storage_[base(a.id)];
      if (s < 0) s = add(Storage::Kind::output, static_cast<int>(plan_.outputs.size()), p_.type(a).nbytes());
      plan_.outputs.push_back(s);
    }
    for (const Unit& u : f_.units) lower(u);
  }

  int of(ValueId v) override {
    int& s = storage_[base(v)];
    if (s < 0) s = add(Storage::Kind::temporary, -1, p_.type(base(v)).nbytes());
    return s;
  }
  int temporary(std::int64_t bytes) override { return add(Storage::Kind::temporary, -1, bytes); }
  int literal(const Scalar& value) override {
    auto [known, fresh] = literals_.try_emplace(value, -1);
    if (!fresh) return known->second;
    const int s = add(Storage::Kind::constant, -1, value.dtype.size());
    plan_.storages[s].offset = static_cast<std::int64_t>(plan_.constants.size());
    plan_.constants.resize(plan_.constants.size() + 8);
    write_scalar(value, value.dtype, plan_.constants.data() + plan_.storages[s].offset);
    known->second = s;
    return s;
  }

 private:
  ValueId base(ValueId v) const {
    while (f_.readings[v].base.id != v) v = f_.readings[v].base.id;
    return v;
  }
  int add(Storage::Kind kind, int index, std::int64_t bytes) {
    plan_.storages.push_back({.kind = kind, .index = index, .bytes = bytes});
    return static_cast<int>(plan_.storages.size()) - 1;
  }

  void lower(const Unit& u) {
    auto emit = [&](auto what) { plan_.steps.push_back(Step{std::move(what), u.eqns}); };
    if (u.kind == Unit::Kind::loop) {
      for (Loop& l : lower_loop(p_, f_, u, *this)) emit(std::move(l));
      return;
    }
    const Eqn& e = p_.eqns[u.eqns[0]];
    if (u.kind == Unit::Kind::dot) return emit(lower_dot(p_, f_, e, *this));
    if (e.op->loop) return emit(repeat(e));
    if (e.op->role == tutti::Role::branch) return emit(branch(e));
    CallEqn c{e, {}, {}, {}, {}};
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
      const Atom& a = e.operands[k];
      c.operand_types.push_back(p_.type(a));
      const std::optional<Scalar> one = spread_operand(p_, f_, e, static_cast<int>(k));
      c.operands.push_back(one ? literal(*one) : operand(a));
      c.spread |= one.has_value();
    }
    for (ValueId v : e.results) {
      c.result_types.push_back(p_.type(v));
      c.results.push_back(of(v));
    }
    emit(std::move(c));
  }

  int operand(const Atom& a) { return a.is_literal() ? literal(a.literal) : of(a.id); }

  Repeat repeat(const Eqn& e) {
    std::vector<char> used;
    for (ValueId v : e.results) used.push_back(index_.is_read(v));
    const Looping l = looping(e, loop_of(e), used);
    Repeat r;
    const std::int64_t scratch = plan_repeat(l, r);
    for (const auto* list : {&l.condition_consts, &l.consts, &l.carries, &l.xs})
      for (int k : *list) r.operands.push_back(operand(e.operands[k]));
    for (std::size_t c = 0; c < r.carries.size(); ++c) {
      r.carries[c].start = operand(e.operands[l.carries[c]]);
      r.carries[c].result = of(e.results[l.carry_results[c]]);
    }
    for (const auto* list : {&l.carry_results, &l.ys})
      for (int k : *list) r.results.push_back(of(e.results[k]));
    for (const auto& [from, to] : l.passed) {
      r.passed.push_back({operand(e.operands[from]), of(e.results[to])});
      r.passed_bytes.push_back(p_.type(e.results[to]).nbytes());
    }
    if (scratch) r.scratch = temporary(scratch);
    return r;
  }

  Branch branch(const Eqn& e) {
    Branch b;
    const std::int64_t scratch = plan_branch(e.subs, b);
    b.index = operand(e.operands[0]);
    for (std::size_t k = 1; k < e.operands.size(); ++k) b.operands.push_back(operand(e.operands[k]));
    for (ValueId v : e.results) b.results.push_back(of(v));
    if (scratch) b.scratch = temporary(scratch);
    return b;
  }

  Plan& plan_;
  const Program& p_;
  const Fusion& f_;
  ProgramIndex index_;
  std::vector<int> storage_;
  struct LiteralHash {
    std::size_t operator()(const Scalar& x) const { return field::hash(x); }
  };
  std::unordered_map<Scalar, int, LiteralHash> literals_;  // storages
};

}  // namespace

Plan lower(const Program& program, const Fusion& fusion) {
  Plan plan;
  plan.program = program;
  Lowering(plan, fusion).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
