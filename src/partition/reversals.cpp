#include "partition/reversals.hpp"

#include <algorithm>
#include <optional>

#include "ir/index.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/copy.hpp"
#include "ops/movement/rev.hpp"
#include "ops/movement/slice.hpp"
#include "ops/reduction/cumsum.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

constexpr std::int64_t most_rows = 8;  // that are put together one by one

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
      const std::optional<int> few = short_dim(e);
      std::optional<Atom> same;
      if (e.op == &ops::rev && !few && !e.operands[0].is_literal()) same = without(e);
      if (few)
        row_by_row(e, *few);
      else if (same)
        make(ops::copy, {}, {*same}, e.loc, e.results[0]);
      else
        push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  // What the reversal makes, made without it.
  std::optional<Atom> without(const Eqn& rev) {
    lax::Dims dims;
    for (std::int64_t d : rev.params.get<ops::Rev>().dims)
      if (p_.type(rev.operands[0]).shape[static_cast<int>(d)] > 1) dims.push_back(d);
    const std::optional<Atom> same = turned(rev.operands[0], dims);
    changed_ = changed_ || same;
    return same;
  }

  // The dim of which the reversal turns a few rows that are cut out of a sharded one, as reflected borders are.
  std::optional<int> short_dim(const Eqn& e) const {
    if (e.op != &ops::rev || e.operands[0].is_literal() || e.params.get<ops::Rev>().dims.size() != 1)
      return std::nullopt;
    const auto d = static_cast<int>(e.params.get<ops::Rev>().dims[0]);
    const int at = index_.producer(e.operands[0].id);
    if (at < 0 || p_.type(e.operands[0]).shape[d] > most_rows) return std::nullopt;
    const Eqn& made = p_.eqns[static_cast<std::size_t>(at)];
    const bool sharded = made.op == &ops::slice && !made.operands[0].is_literal() &&
                         in_.layouts[static_cast<std::size_t>(made.operands[0].id)].ways(d) > 1;
    return sharded ? std::optional(d) : std::nullopt;
  }
  // Its rows put together from the last one on, each a piece of the sharded dim by itself.
  void row_by_row(const Eqn& e, int dim) {
    changed_ = true;
    const auto d = static_cast<std::size_t>(dim);
    const Eqn& cut = p_.eqns[static_cast<std::size_t>(index_.producer(e.operands[0].id))];
    const std::int64_t n = p_.type(e.operands[0]).shape[dim];
    std::vector<Atom> rows;
    for (std::int64_t k = n; k-- > 0;) {
      auto row = cut.params.get<ops::SliceParams>();
      row.start[d] += k * row.strides[d];
      row.limit[d] = row.start[d] + 1;
      row.strides[d] = 1;
      rows.push_back(make(ops::slice, row, {cut.operands[0]}, e.loc, n == 1 ? e.results[0] : ValueId{-1}));
    }
    if (n > 1) make(ops::concatenate, ops::Concatenate{dim}, rows, e.loc, e.results[0]);
  }

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
  return reversals(*sharded.program) > 0 ? Reversals(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
