// The way of a LocalProgram to a Plan.
#include <cstring>
#include <unordered_map>

#include "array/literal.hpp"
#include "compile/dot.hpp"
#include "compile/fuse.hpp"
#include "compile/loop.hpp"
#include "compile/passes.hpp"
#include "ir/passes.hpp"

namespace tutti::compile {
namespace {

class Lowering final : public Storages {
 public:
  Lowering(Plan& plan, const Fusion& fusion)
      : plan_(plan), p_(plan.program), f_(fusion), storage_(plan.program.types.size(), -1) {}

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
    CallEqn c{e, {}, {}, {}, {}};
    for (const Atom& a : e.operands) {
      c.operand_types.push_back(p_.type(a));
      c.operands.push_back(a.is_literal() ? literal(a.literal) : of(a.id));
    }
    for (ValueId v : e.results) {
      c.result_types.push_back(p_.type(v));
      c.results.push_back(of(v));
    }
    emit(std::move(c));
  }

  Plan& plan_;
  const Program& p_;
  const Fusion& f_;
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

Plan compile(const LocalProgram& local, const std::vector<bool>& donatable) {
  Program p = run_pass("simplify", simplify, without_dead_code(*local.program));
  p = run_pass("share", share_equal, p);
  const Fusion fusion = run_pass("fuse", fuse, p);
  Plan plan = run_pass("lower", lower, p, fusion);
  plan = run_pass("rows", group_stages, std::move(plan));
  return run_pass("memory", assign_memory, std::move(plan), donatable);
}

}  // namespace tutti::compile
