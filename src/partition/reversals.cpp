#include "partition/reversals.hpp"

#include <algorithm>
#include <optional>

#include "ir/index.hpp"
#include "ops/movement/copy.hpp"
#include "ops/movement/rev.hpp"
#include "ops/reduction/cumsum.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

bool has(const lax::Dims& dims, std::int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

int reversals(const Program& p) {
  int out = 0;
  for (const Eqn& e : p.eqns) {
    out += e.op == &ops::rev;
    for (const ProgramPtr& s : e.subs) out += reversals(*s);
  }
  return out;
}

class Reversals : Rewriting {
 public:
  explicit Reversals(const ShardedProgram& sharded) : Rewriting(sharded), index_(p_) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_reversals);
      std::optional<Atom> same;
      if (e.op == &ops::rev) same = turned(e.operands[0], e.params.get<ops::Rev>().dims);
      if (same)
        make(ops::copy, {}, {*same}, e.loc, e.results[0]);
      else
        push(std::move(e), std::move(bodies));
      changed_ = changed_ || same;
    }
    return done();
  }

 private:
  // `a` with these dims turned round, made of what was turned round before; what it stands for is used up by that.
  std::optional<Atom> turned(const Atom& a, const lax::Dims& dims) {
    if (dims.empty() || p_.type(a).ndim() == 0) return a;
    const int at = index_.producer(a.id);
    if (at < 0) return std::nullopt;
    Eqn e = p_.eqns[static_cast<std::size_t>(at)];
    if (e.op == &ops::rev) {
      const lax::Dims& others = e.params.get<ops::Rev>().dims;
      const bool same = others.size() == dims.size() &&
                        std::all_of(dims.begin(), dims.end(), [&](std::int64_t d) { return has(others, d); });
      return same ? std::optional(e.operands[0]) : std::nullopt;
    }
    if (is_same_along(e, dims)) return a;
    std::optional<ops::Cumulative> running = ops::running(e);
    if (index_.use_count(a.id) != 1 || e.results.size() != 1 || (!running && !e.op->pointwise)) return std::nullopt;
    for (Atom& operand : e.operands) {
      const std::optional<Atom> other = turned(operand, dims);
      if (!other) return std::nullopt;
      operand = *other;
    }
    if (running) {
      running->reverse = running->reverse != has(dims, running->axis);
      e.params = *running;
    }
    e.results = {value(p_.types[static_cast<std::size_t>(a.id)])};
    const Atom out(e.results[0]);
    push(std::move(e));
    return out;
  }

  // Whether the elements of its result are the same all along these dims.
  bool is_same_along(const Eqn& e, const lax::Dims& dims) const {
    if (!e.op->view || e.results.size() != 1 || e.operands.size() != 1) return false;
    const Type& result = p_.types[static_cast<std::size_t>(e.results[0])];
    const std::optional<View> view = e.op->view(Call{*e.op, e.params, {p_.type(e.operands[0])}, e.subs}, result);
    return view && std::all_of(dims.begin(), dims.end(), [&](std::int64_t d) { return view->strides[d] == 0; });
  }

  const ProgramIndex index_;
};

}  // namespace

ShardedProgram with_reversals(const ShardedProgram& sharded) {
  return reversals(*sharded.program) > 1 ? Reversals(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
