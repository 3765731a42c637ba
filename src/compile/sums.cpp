// Sums over steps, taken behind the loop: of products one product, of sums over rows the sum of their terms.
#include <algorithm>
#include <optional>
#include <utility>

#include "compile/step_values.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/transpose.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kMostAdded = 64 << 10;  // of a sum that is carried as its terms, where the loop has other work

class Sums {
 public:
  explicit Sums(StepValues& step) : s_(step), l_(step.loop) {}

  void run() {
    for (OpenLoop::Carry& c : l_.carries) sum(c);
  }

 private:
  using DotGeneral = ops::DotGeneral;

  // One term of what is added to a carry in each step: Eqns that are linear in one operand and need nothing else that
  // changes, from `bottom` on. They may be applied to the sum over steps of `bottom`; or, where that is a product, to
  // a product that sums over steps.
  struct Term {
    Atom bottom;
    std::vector<const Eqn*> tail;  // first the one that reads `bottom`
    enum class Kind { other, sum, product } kind = Kind::other;
  };

  // The operand in which an Eqn is linear, all others not changing; -1: there is none.
  int linear_operand(const Eqn& e) const {
    if (e.op->role != tutti::Role::compute || !e.subs.empty() || e.op->effect || e.op->collective ||
        e.results.size() != 1)
      return -1;
    int found = -1;
    for (std::size_t k = 0; k < e.operands.size(); ++k)
      if (!s_.unchanging(e.operands[k])) {
        if (found >= 0) return -1;
        found = static_cast<int>(k);
      }
    if (found < 0 || s_.type(e.operands[found]).dtype != s_.type(e.results[0]).dtype) return -1;
    for (const std::vector<int>& set : e.op->linear_sets(e.operands.size()))
      if (set == std::vector<int>{found}) return found;
    return -1;
  }
  // Follows the only Eqn that makes a, where nobody else reads it, to a product, or past the last sum.
  void follow(Atom a, std::vector<const Eqn*> tail, std::vector<Term>& out) const {
    Term t{a, tail};
    for (const Eqn* e = s_.maker(a); e && s_.used_once(a); e = s_.maker(a)) {
      if (e->op->signs == std::vector<int>{1, 1} && t.kind == Term::Kind::other && same_shapes(*e)) {
        for (const Atom& x : e->operands) follow(x, tail, out);
        return;
      }
      if (s_.is_product(e) && !s_.unchanging(e->operands[0]) && !s_.unchanging(e->operands[1])) {
        if (sums_few(*e)) t = {a, tail, Term::Kind::product};
        break;
      }
      const int o = linear_operand(*e);
      if (o < 0) break;
      tail.push_back(e);
      a = e->operands[o];
      if (e->op->reduce != Op::Reduce::none || s_.is_product(e)) t = {a, tail, Term::Kind::sum};
    }
    std::reverse(t.tail.begin(), t.tail.end());
    out.push_back(std::move(t));
  }
  bool same_shapes(const Eqn& e) const {
    return std::all_of(e.operands.begin(), e.operands.end(),
                       [&](const Atom& a) { return s_.type(a).shape == s_.type(e.results[0]).shape; });
  }
  // A product that adds up so few elements that it mostly reads and writes its result.
  bool sums_few(const Eqn& e) const {
    std::int64_t n = 1;
    for (std::int64_t k : e.params.get<DotGeneral>().dims.lhs_contract) n *= s_.type(e.operands[0]).shape[k];
    return l_.form.length >= StepValues::kFewestSteps && n < StepValues::kFewRows;
  }
  bool same_tail(const Term& a, const Term& b) const {
    if (a.tail.size() != b.tail.size() || s_.type(a.bottom).shape != s_.type(b.bottom).shape) return false;
    for (std::size_t i = 0; i < a.tail.size(); ++i) {
      const Eqn &x = *a.tail[i], &y = *b.tail[i];
      if (x.op != y.op || !(x.params == y.params)) return false;
      const int o = linear_operand(x);
      for (std::size_t k = 0; k < x.operands.size(); ++k)
        if (static_cast<int>(k) == o ? linear_operand(y) != o : !(x.operands[k] == y.operands[k])) return false;
    }
    return true;
  }
  ValueId apply(const Term& t, ValueId to) {
    for (const Eqn* e : t.tail) {
      std::vector<Atom> operands = e->operands;
      const int o = linear_operand(*e);
      for (std::size_t k = 0; k < operands.size(); ++k)
        operands[k] = static_cast<int>(k) == o ? Atom(to) : s_.outside(operands[k]);
      to = l_.add(l_.around, l_.after, *e->op, e->params, operands);
    }
    return to;
  }

  // What is added to a carry in each step; nothing where that is not all that happens to it.
  std::vector<Term> terms_of(const OpenLoop::Carry& c) const {
    const DType dtype = s_.type(c.inside).dtype;
    if (s_.uses(c.inside) != 1 || !dtype.is_inexact()) return {};
    if (dtype == float16) return {};  // its terms may add up past 65504 before what is behind makes them smaller
    if (c.in_condition >= 0)
      for (const Eqn& e : l_.condition->eqns)
        for (const Atom& a : e.operands)
          if (a == Atom(c.in_condition)) return {};
    std::vector<Term> terms;
    follow(c.next, {}, terms);
    auto itself = std::find_if(terms.begin(), terms.end(),
                               [&](const Term& t) { return t.bottom == Atom(c.inside) && t.tail.empty(); });
    if (itself == terms.end()) return {};
    terms.erase(itself);
    return terms;
  }

  void sum(OpenLoop::Carry& c) {
    using Kind = Term::Kind;
    std::vector<Term> products, sums;
    std::vector<Atom> rest;
    std::int64_t to_stack = 0;
    for (const Term& t : terms_of(c)) {
      if (t.kind == Kind::product)
        for (int k : {0, 1}) to_stack += s_.bytes_to_stack(s_.factor(*s_.maker(t.bottom), k).first);
      if (t.kind == Kind::other && !t.tail.empty()) return;
      if (t.kind == Kind::other)
        rest.push_back(t.bottom);
      else
        (t.kind == Kind::product ? products : sums).push_back(t);
    }
    const bool carried = !sums.empty() && rest.empty() && is_small(sums[0].bottom) &&
                         std::all_of(sums.begin(), sums.end(), [&](const Term& t) { return same_tail(t, sums[0]); });
    if (!carried && (products.empty() || !sums.empty())) return;
    if (!s_.fits(to_stack)) return;
    const ValueId wanted = c.last;
    Atom total = c.start;
    if (carried) {
      carry_instead(c, sums);
      total = l_.add(l_.around, l_.after, ops::add, {}, {total, apply(sums[0], c.last)});
    } else {  // what is left for the loop to add
      c.last = l_.fresh(s_.type(c.inside));
      c.next = c.inside;
      for (const Atom& a : rest) add_up(c, a);
      if (!rest.empty()) total = c.last;
    }
    for (const Term& t : products)
      total = l_.add(l_.around, l_.after, ops::add, {}, {total, apply(t, product_of_all(*s_.maker(t.bottom)))});
    l_.after.back().results[0] = wanted;
    l_.body.eqns.insert(l_.body.eqns.end(), added_.begin(), added_.end());
    added_.clear();
    s_.look();
  }
  // Terms that cost little to carry: few, or no more than what a step reads anyway where the loop may run by rows.
  bool is_small(const Atom& a) const {
    std::int64_t step = 0;
    auto by_rows = [](const Eqn& e) {
      return e.op->pointwise || e.op->view || e.op->index || e.op->movement || e.op->reduce != Op::Reduce::none;
    };
    if (!std::all_of(l_.body.eqns.begin(), l_.body.eqns.end(), by_rows)) return s_.type(a).nbytes() <= kMostAdded;
    for (const OpenLoop::Carry& c : l_.carries) step += s_.type(c.inside).nbytes();
    for (const OpenLoop::Input& x : l_.slices) step += s_.type(x.inside).nbytes();
    return s_.type(a).nbytes() <= std::max(step, kMostAdded);
  }
  void add_up(OpenLoop::Carry& c, const Atom& a) { c.next = l_.add(l_.body, added_, ops::add, {}, {c.next, a}); }
  // The carry becomes the sum of what these terms are made of, from zero on.
  void carry_instead(OpenLoop::Carry& c, const std::vector<Term>& terms) {
    Type type = s_.type(terms[0].bottom);
    type.weak = false;
    c.start = l_.add(l_.around, l_.before, ops::broadcast_in_dim, ops::BroadcastInDim{type.shape, {}},
                     {Atom(Scalar(0).to(type.dtype), false)});
    c.inside = l_.fresh_inside(type);
    if (l_.condition) {
      l_.condition->types.push_back(type);
      c.in_condition = static_cast<ValueId>(l_.condition->types.size()) - 1;
    }
    c.last = l_.fresh(type);
    c.next = c.inside;
    for (const Term& t : terms) add_up(c, t.bottom);
  }

  // The product of a step, summed over all steps.
  ValueId product_of_all(const Eqn& dot) {
    DotGeneral params = dot.params.get<DotGeneral>();
    lax::DotDims& d = params.dims;
    std::vector<Atom> stacks;
    for (int k : {0, 1}) {
      const auto [a, dims] = s_.factor(dot, k);
      stacks.push_back(s_.stack_of(a));
      lax::Dims &batch = k ? d.rhs_batch : d.lhs_batch, &contract = k ? d.rhs_contract : d.lhs_contract;
      for (lax::Dims* list : {&batch, &contract})
        for (std::int64_t& i : *list) i = dims[i] + 1;
      contract.insert(contract.begin(), 0);
    }
    return l_.add(l_.around, l_.after, ops::dot_general, params, stacks);
  }

  StepValues& s_;
  OpenLoop& l_;
  std::vector<Eqn> added_;  // at the end of the body, while terms still point into it
};

}  // namespace

void take_sums_out(StepValues& step) { Sums(step).run(); }

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
