#include "partition/running_sums.hpp"

#include <algorithm>
#include <optional>

#include "ir/loop_form.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "ops/reduction/cumsum.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

// What a loop adds up.
struct Sums {
  struct Carry {
    Atom from;   // operands of the loop
    Atom added;  // stacked
  };
  struct Result {
    int carry;     // that it is in the end
    bool stacked;  // or after each step
  };
  std::vector<Carry> carries;
  std::vector<Result> results;
};

std::optional<Sums> sums_of(const Eqn& e) {
  const std::optional<LoopForm> form = loop_form(e);
  if (!form || form->kind != LoopForm::Kind::scan || form->length < 1) return std::nullopt;
  const Program& body = *e.subs[form->body];
  const LoopForm::Body& shape = form->bodies[form->body];
  Sums out;
  std::vector<int> carry(body.types.size(), -1), sum(body.types.size(), -1);  // by value: that it is
  std::vector<Atom> slice(body.types.size());
  std::vector<ValueId> arguments;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    const LoopForm::Input& in = shape.inputs[i];
    if (in.way == LoopForm::Way::slice) slice[body.inputs[i]] = e.operands[in.operand];
    if (in.way != LoopForm::Way::carried) continue;
    carry[body.inputs[i]] = static_cast<int>(out.carries.size());
    out.carries.push_back({e.operands[in.operand], {}});
    arguments.push_back(body.inputs[i]);
  }
  auto is_slice = [&](const Atom& a) { return !a.is_literal() && !slice[a.id].is_literal(); };
  auto is_carry = [&](const Atom& a) { return !a.is_literal() && carry[a.id] >= 0; };
  for (const Eqn& add : body.eqns) {
    if (add.op->signs != std::vector{1, 1} || !add.op->pointwise) return std::nullopt;
    for (const int c : {0, 1})
      if (is_carry(add.operands[c]) && is_slice(add.operands[1 - c])) {
        const ValueId x = add.operands[c].id, y = add.operands[1 - c].id;
        Atom& added = out.carries[carry[x]].added;
        if (!(body.types[x] == body.types[y]) || (!added.is_literal() && !(added == slice[y]))) return std::nullopt;
        added = slice[y];
        sum[add.results[0]] = carry[x];
      }
    if (sum[add.results[0]] < 0) return std::nullopt;
  }
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    const Atom& a = body.outputs[k];
    if (a.is_literal() || sum[a.id] < 0) return std::nullopt;
    const bool stacked = shape.outputs[k].stacked;
    if (!stacked && shape.outputs[k].result != sum[a.id]) return std::nullopt;
    out.results.push_back({sum[a.id], stacked});
  }
  for (const Sums::Carry& c : out.carries)
    if (c.added.is_literal() || c.from.is_literal()) return std::nullopt;
  return out;
}

bool has_sums(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return sums_of(e).has_value() ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return has_sums(*s); });
  });
}

class RunningSums : Rewriting {
 public:
  explicit RunningSums(const ShardedProgram& sharded) : Rewriting(sharded) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      if (const std::optional<Sums> sums = sums_of(p_.eqns[i])) {
        put(p_.eqns[i], *sums);
        changed_ = true;
        continue;
      }
      auto [e, bodies] = entered(i, with_running_sums);
      push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  void put(const Eqn& e, const Sums& sums) {
    const bool reverse = loop_form(e)->reverse;
    std::vector<Atom> sum, first;  // by carry: of the slices so far, and what it begins with, in each step
    for (const Sums::Carry& c : sums.carries) {
      sum.push_back(make(ops::cumsum, ops::Cumulative{0, reverse}, {c.added}, e.loc));
      first.push_back(spread(c.from, types_[c.added.id].shape, e.loc));
    }
    for (std::size_t k = 0; k < sums.results.size(); ++k) {
      const Sums::Result& r = sums.results[k];
      const ValueId as = e.results[k];
      const std::vector<Atom> both{first[r.carry], sum[r.carry]};
      if (r.stacked) {
        make(ops::add, {}, both, e.loc, as);
        continue;
      }
      const Shape shape = types_[both[1].id].shape;
      ops::SliceParams last{lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
      if (reverse)
        last.limit[0] = 1;
      else
        last.start[0] = shape[0] - 1;
      const Atom row = make(ops::slice, last, {make(ops::add, {}, both, e.loc)}, e.loc);
      make(ops::reshape, ops::Reshape{types_[as].shape}, {row}, e.loc, as);
    }
  }

  // The same in each step.
  Atom spread(const Atom& x, const Shape& shape, Loc loc) {
    lax::Dims dims;
    for (int d = 1; d < shape.ndim(); ++d) dims.push_back(d);
    return make(ops::broadcast_in_dim, ops::BroadcastInDim{shape, dims}, {x}, loc);
  }
};

}  // namespace

ShardedProgram with_running_sums(const ShardedProgram& sharded) {
  return has_sums(*sharded.program) ? RunningSums(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
