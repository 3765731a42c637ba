// Products and sums that need not wait for each other are taken out of a loop: one product of all steps' rows is faster
// than a product per step.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compile/open_loop.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/transpose.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kFewRows = 256;         // a product with more in one step is large enough
constexpr std::int64_t kMostBytes = 32 << 20;  // of new stacks, if the loop has no larger ones already
constexpr std::int64_t kMostAdded = 64 << 10;  // of a sum that is carried as its terms, if a step has no larger values
constexpr std::int64_t kFewestSteps = 4;

class AcrossSteps {
 public:
  explicit AcrossSteps(OpenLoop& loop) : l_(loop) {}

  void run() {
    l_.change_body([](Program p) { return share_equal(simplify(p)); });
    look();
    room_ = kMostBytes;
    std::int64_t stacked = 0;
    for (const OpenLoop::Input& x : l_.slices) stacked += l_.around.type(x.operand).nbytes();
    for (const OpenLoop::Stack& x : l_.stacks) stacked += l_.around.type(x.result).nbytes();
    room_ = std::max(room_, stacked);
    if (l_.form.length >= kFewestSteps) {
      products_before();
      products_behind();
    }
    if (!l_.condition && l_.form.length < kFewestSteps) return;
    for (OpenLoop::Carry& c : l_.carries) sum(c);
  }

 private:
  using DotGeneral = ops::DotGeneral;

  void look() {
    const Program& p = l_.body;
    uses_.assign(p.types.size(), 0);
    producer_.assign(p.types.size(), -1);
    for (std::size_t i = 0; i < p.eqns.size(); ++i) {
      for (const Atom& a : p.eqns[i].operands)
        if (!a.is_literal()) ++uses_[a.id];
      for (ValueId v : p.eqns[i].results) producer_[v] = static_cast<int>(i);
    }
    auto output = [&](const Atom& a) {
      if (!a.is_literal()) ++uses_[a.id];
    };
    for (const OpenLoop::Carry& c : l_.carries) output(c.next);
    for (const OpenLoop::Stack& x : l_.stacks) output(x.inside);
    unchanging_.emplace(p, l_.consts);
  }
  const Eqn* maker(const Atom& a) const {
    return a.is_literal() || producer_[a.id] < 0 ? nullptr : &l_.body.eqns[producer_[a.id]];
  }
  bool used_once(const Atom& a) const { return !a.is_literal() && uses_[a.id] == 1; }
  static bool is_product(const Eqn* e) { return e && e->op == &ops::dot_general; }

  // A value that no step changes, around the loop.
  Atom outside(const Atom& a) {
    if (a.is_literal()) return a;
    for (const OpenLoop::Input& x : l_.consts)
      if (x.inside == a.id) return x.operand;
    auto known = outside_.find(a.id);
    if (known != outside_.end()) return known->second;
    Eqn e = *maker(a);
    for (Atom& x : e.operands) x = outside(x);
    for (ValueId& v : e.results) {
      const ValueId out = l_.fresh(l_.body.type(v));
      outside_[v] = out;
      v = out;
    }
    l_.before.push_back(std::move(e));
    return outside_.at(a.id);
  }

  // What a product is made of: one operand that no step changes, and one of the step. `turned`: the latter is the rhs.
  struct WithConst {
    const Eqn* dot;
    bool turned;
    const Atom& step() const { return dot->operands[turned]; }
    const Atom& fixed() const { return dot->operands[!turned]; }
  };
  std::optional<WithConst> with_const(const Eqn& e) const {
    if (!is_product(&e) || !e.params.get<DotGeneral>().dims.lhs_batch.empty()) return std::nullopt;
    const bool first = (*unchanging_)(e.operands[0]), second = (*unchanging_)(e.operands[1]);
    if (first == second) return std::nullopt;
    WithConst w{&e, first};
    if (w.step().is_literal() || w.fixed().is_literal()) return std::nullopt;
    const lax::DotDims& d = e.params.get<DotGeneral>().dims;
    std::int64_t rows = l_.body.type(w.step()).num_elements();
    for (std::int64_t k : w.turned ? d.rhs_contract : d.lhs_contract) rows /= l_.body.type(w.step()).shape[k];
    return rows < kFewRows ? std::optional(w) : std::nullopt;
  }
  // The product of a stack of step operands: dims (step, free dims of the step's operand, free dims of the other).
  ValueId of_stack(const WithConst& w, const Atom& stack, std::vector<Eqn>& list) {
    DotGeneral params = w.dot->params.get<DotGeneral>();
    lax::DotDims& d = params.dims;
    if (w.turned) std::swap(d.lhs_contract, d.rhs_contract);
    for (std::int64_t& k : d.lhs_contract) ++k;
    return l_.add(l_.around, list, ops::dot_general, params, {stack, outside(w.fixed())});
  }
  // Dims (of the step, of the other) are turned to those of the product as it was; `leading` dims stay in front.
  lax::Dims turn(const WithConst& w, int ndim, int leading) const {
    const int fixed_free =
        l_.body.type(w.fixed()).ndim() - static_cast<int>(w.dot->params.get<DotGeneral>().dims.lhs_contract.size());
    const int step_free = ndim - leading - fixed_free;
    lax::Dims out;
    for (int i = 0; i < leading; ++i) out.push_back(i);
    for (int i = 0; i < fixed_free; ++i) out.push_back(leading + step_free + i);
    for (int i = 0; i < step_free; ++i) out.push_back(leading + i);
    return out;
  }
  bool fits(std::int64_t bytes) {
    if (bytes * l_.form.length > room_) return false;
    room_ -= bytes * l_.form.length;
    return true;
  }

  // Products of slices with what no step changes: slices of one product.
  void products_before() {
    for (std::size_t i = 0; i < l_.body.eqns.size(); ++i) {
      const std::optional<WithConst> w = with_const(l_.body.eqns[i]);
      if (!w) continue;
      auto slice = std::find_if(l_.slices.begin(), l_.slices.end(),
                                [&](const OpenLoop::Input& x) { return x.inside == w->step().id; });
      const ValueId result = w->dot->results[0];
      if (slice == l_.slices.end() || !fits(l_.body.type(result).nbytes())) continue;
      const ValueId stack = of_stack(*w, slice->operand, l_.before);
      Type type = l_.around.type(stack);
      type.shape.erase(0);
      if (!w->turned) {
        l_.slices.push_back({stack, result});
        l_.body.types[result] = type;
        l_.body.eqns.erase(l_.body.eqns.begin() + static_cast<std::ptrdiff_t>(i--));
      } else {
        const lax::Dims order = turn(*w, type.ndim(), 0);
        const ValueId turned = l_.fresh_inside(type);
        Eqn& e = l_.body.eqns[i];
        e.op = &ops::transpose;
        e.params = ops::Transpose{order};
        e.operands = {turned};
        l_.slices.push_back({stack, turned});
      }
      look();
    }
  }

  // Products with what no step changes that are only stacked: one product of the stack.
  void products_behind() {
    for (std::size_t k = 0; k < l_.stacks.size(); ++k) {
      const Eqn* e = maker(l_.stacks[k].inside);
      const std::optional<WithConst> w = e && used_once(l_.stacks[k].inside) ? with_const(*e) : std::nullopt;
      if (!w || !fits(l_.body.type(w->step()).nbytes())) continue;
      const ValueId wanted = l_.stacks[k].result;
      const Atom operand = stack_of(w->step());
      ValueId made = of_stack(*w, operand, l_.after);
      if (w->turned)
        made = l_.add(l_.around, l_.after, ops::transpose, ops::Transpose{turn(*w, l_.around.type(wanted).ndim(), 1)},
                      {made});
      l_.after.back().results[0] = wanted;
      l_.stacks.erase(l_.stacks.begin() + static_cast<std::ptrdiff_t>(k--));
    }
  }

  // A value of the step, as the loop has it of all steps: a slice's stack, or one that is made.
  Atom stack_of(const Atom& a) {
    for (const OpenLoop::Input& x : l_.slices)
      if (x.inside == a.id) return x.operand;
    for (const OpenLoop::Stack& x : l_.stacks)
      if (x.inside == a) return x.result;
    Type type = l_.body.type(a);
    type.shape.insert(0, l_.form.length);
    l_.stacks.push_back({a, l_.fresh(type)});
    return l_.stacks.back().result;
  }
  std::int64_t bytes_to_stack(const Atom& a) const {
    for (const OpenLoop::Input& x : l_.slices)
      if (x.inside == a.id) return 0;
    for (const OpenLoop::Stack& x : l_.stacks)
      if (x.inside == a) return 0;
    return l_.body.type(a).nbytes();
  }

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
      if (!(*unchanging_)(e.operands[k])) {
        if (found >= 0) return -1;
        found = static_cast<int>(k);
      }
    if (found < 0 || l_.body.type(e.operands[found]).dtype != l_.body.type(e.results[0]).dtype) return -1;
    for (const std::vector<int>& set : e.op->linear_sets(e.operands.size()))
      if (set == std::vector<int>{found}) return found;
    return -1;
  }
  // Follows the only Eqn that makes a, where nobody else reads it, to a product, or past the last sum.
  void follow(Atom a, std::vector<const Eqn*> tail, std::vector<Term>& out) const {
    Term t{a, tail};
    for (const Eqn* e = maker(a); e && used_once(a); e = maker(a)) {
      if (e->op == &ops::add && t.kind == Term::Kind::other && same_shapes(*e)) {
        for (const Atom& x : e->operands) follow(x, tail, out);
        return;
      }
      if (is_product(e) && !(*unchanging_)(e->operands[0]) && !(*unchanging_)(e->operands[1])) {
        if (sums_few(*e)) t = {a, tail, Term::Kind::product};
        break;
      }
      const int o = linear_operand(*e);
      if (o < 0) break;
      tail.push_back(e);
      a = e->operands[o];
      if (e->op->reduce != Op::Reduce::none || is_product(e)) t = {a, tail, Term::Kind::sum};
    }
    std::reverse(t.tail.begin(), t.tail.end());
    out.push_back(std::move(t));
  }
  bool same_shapes(const Eqn& e) const {
    return std::all_of(e.operands.begin(), e.operands.end(),
                       [&](const Atom& a) { return l_.body.type(a).shape == l_.body.type(e.results[0]).shape; });
  }
  // A product that adds up so few elements that it mostly reads and writes its result.
  bool sums_few(const Eqn& e) const {
    std::int64_t n = 1;
    for (std::int64_t k : e.params.get<DotGeneral>().dims.lhs_contract) n *= l_.body.type(e.operands[0]).shape[k];
    return l_.form.length >= kFewestSteps && n < kFewRows;
  }
  bool same_tail(const Term& a, const Term& b) const {
    if (a.tail.size() != b.tail.size() || l_.body.type(a.bottom).shape != l_.body.type(b.bottom).shape) return false;
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
        operands[k] = static_cast<int>(k) == o ? Atom(to) : outside(operands[k]);
      to = l_.add(l_.around, l_.after, *e->op, e->params, operands);
    }
    return to;
  }

  // What is added to a carry in each step; nothing where that is not all that happens to it.
  std::vector<Term> terms_of(const OpenLoop::Carry& c) const {
    if (uses_[c.inside] != 1 || !l_.body.type(c.inside).dtype.is_inexact()) return {};
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
    for (const Term& t : terms_of(c)) {
      if (t.kind == Kind::product) {
        const Eqn& e = *maker(t.bottom);
        if (!fits(bytes_to_stack(factor(e, 0).first) + bytes_to_stack(factor(e, 1).first))) return;
      }
      if (t.kind == Kind::other && !t.tail.empty()) return;
      if (t.kind == Kind::other)
        rest.push_back(t.bottom);
      else
        (t.kind == Kind::product ? products : sums).push_back(t);
    }
    const bool carried = !sums.empty() && rest.empty() && is_small(sums[0].bottom) &&
                         std::all_of(sums.begin(), sums.end(), [&](const Term& t) { return same_tail(t, sums[0]); });
    if (!carried && (products.empty() || !sums.empty())) return;
    const ValueId wanted = c.last;
    Atom total = c.start;
    if (carried) {
      carry_instead(c, sums);
      total = l_.add(l_.around, l_.after, ops::add, {}, {total, apply(sums[0], c.last)});
    } else {  // what is left for the loop to add
      c.last = l_.fresh(l_.body.type(c.inside));
      c.next = c.inside;
      for (const Atom& a : rest) add_up(c, a);
      if (!rest.empty()) total = c.last;
    }
    for (const Term& t : products)
      total = l_.add(l_.around, l_.after, ops::add, {}, {total, apply(t, product_of_all(*maker(t.bottom)))});
    l_.after.back().results[0] = wanted;
    l_.body.eqns.insert(l_.body.eqns.end(), added_.begin(), added_.end());
    added_.clear();
    look();
  }
  bool is_small(const Atom& a) const {
    std::int64_t step = 0;
    for (const OpenLoop::Carry& c : l_.carries) step += l_.body.type(c.inside).nbytes();
    for (const OpenLoop::Input& x : l_.slices) step += l_.body.type(x.inside).nbytes();
    return l_.body.type(a).nbytes() <= std::max(step, kMostAdded);
  }
  void add_up(OpenLoop::Carry& c, const Atom& a) { c.next = l_.add(l_.body, added_, ops::add, {}, {c.next, a}); }
  // The carry becomes the sum of what these terms are made of, from zero on.
  void carry_instead(OpenLoop::Carry& c, const std::vector<Term>& terms) {
    Type type = l_.body.type(terms[0].bottom);
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

  // A factor of a product and its dims, as it lies in memory: transposes are left out where that leaves the order of
  // the free dims.
  std::pair<Atom, lax::Dims> factor(const Eqn& dot, int k) const {
    Atom a = dot.operands[k];
    lax::Dims dims = ops::range(0, l_.body.type(a).ndim());
    const lax::DotDims& d = dot.params.get<DotGeneral>().dims;
    const lax::Dims &batch = k ? d.rhs_batch : d.lhs_batch, &contract = k ? d.rhs_contract : d.lhs_contract;
    const Eqn* e = maker(a);
    if (!e || e->op != &ops::transpose || e->operands[0].is_literal()) return {a, dims};
    const lax::Dims& order = e->params.get<ops::Transpose>().permutation;
    std::int64_t last = -1;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(dims.size()); ++i) {
      if (ops::contains(batch, i) || ops::contains(contract, i)) continue;
      if (order[i] < last) return {a, dims};
      last = order[i];
    }
    return {e->operands[0], order};
  }
  // The product of a step, summed over all steps.
  ValueId product_of_all(const Eqn& dot) {
    DotGeneral params = dot.params.get<DotGeneral>();
    lax::DotDims& d = params.dims;
    std::vector<Atom> stacks;
    for (int k : {0, 1}) {
      const auto [a, dims] = factor(dot, k);
      stacks.push_back(stack_of(a));
      lax::Dims &batch = k ? d.rhs_batch : d.lhs_batch, &contract = k ? d.rhs_contract : d.lhs_contract;
      for (lax::Dims* list : {&batch, &contract})
        for (std::int64_t& i : *list) i = dims[i] + 1;
      contract.insert(contract.begin(), 0);
    }
    return l_.add(l_.around, l_.after, ops::dot_general, params, stacks);
  }

  OpenLoop& l_;
  std::optional<Unchanging> unchanging_;
  std::vector<int> uses_, producer_;  // by value of the body
  std::map<ValueId, Atom> outside_;   // by value of the body
  std::vector<Eqn> added_;            // at the end of the body, while terms still point into it
  std::int64_t room_ = 0;             // bytes of stacks that may be added
};

}  // namespace

Program across_steps(const Program& program) {
  return with_loops(program, [](OpenLoop& l) {
    if (l.form.length == 0 || l.form.length == 1) return;
    AcrossSteps(l).run();
  });
}

}  // namespace tutti::compile
