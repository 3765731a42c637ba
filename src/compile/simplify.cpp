#include <algorithm>
#include <map>

#include "compile/index_steps.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/transpose.hpp"
#include "ops/reduction/reduce.hpp"
#include "ops/reduction/sort.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kShort = 16, kManyShort = 64;  // elements of a small product's dims; how many such products

class Simplifier {
 public:
  explicit Simplifier(const Program& p) : out_(p) { out_.eqns.clear(); }

  Program run(const Program& p) {
    uses_.assign(p.types.size(), 0);
    producer_.assign(p.types.size(), -1);
    for (const Eqn& e : p.eqns)
      for (const Atom& a : e.operands)
        if (!a.is_literal()) ++uses_[a.id];
    for (const Atom& a : p.outputs)
      if (!a.is_literal()) ++uses_[a.id];
    for (const Eqn& e : p.eqns) {
      if (e.op == &ops::dot_general) {
        if (sum_of_products(e) || products_in_loops(e) || small_products(e)) continue;
        dots_[e.results[0]] = &e;
        out_.eqns.push_back(e);
      } else if (e.op == &ops::transpose && turn_dot(e))
        continue;
      else if (e.op->reduce != Op::Reduce::none)
        reduce_once(e);
      else if (e.op == &ops::sort)
        out_.eqns.push_back(sorted_positions(e));
      else if (!counts_through(e))
        out_.eqns.push_back(e);
    }
    return std::move(out_);
  }

 private:
  // Indices times numbers, added up so that elements are counted row by row: the count of a flat array, which loops may
  // go through as one dim.
  bool counts_through(const Eqn& e) {
    if (e.results.size() != 1) return false;
    const Type& type = out_.types[e.results[0]];
    if (!type.dtype.is_integer() || type.ndim() == 0) return false;
    auto known = [&](const Atom& a) {
      return a.is_literal() ? nullptr : counts_.contains(a.id) ? &counts_[a.id] : nullptr;
    };
    lax::Dims steps(static_cast<std::size_t>(type.ndim()), 0);
    if (e.op->index) {
      steps[e.op->index(e.params)] = 1;
    } else if (e.op->view) {
      const lax::Dims* x = known(e.operands[0]);
      if (!x || !steps_of_view(e, out_.type(e.operands[0]), type, *x, steps)) return false;
    } else if (e.operands.size() == 2 && e.op->pointwise) {
      static const auto& plus = *new std::vector<int>{1, 1};
      static const auto& either = *new std::vector<std::vector<int>>{{0}, {1}};
      const lax::Dims *x = known(e.operands[0]), *y = known(e.operands[1]);
      const bool times = e.op->linear == either && x && e.operands[1].is_literal();  // a product
      if (!times && !(e.op->signs == plus && x && y)) return false;
      for (std::size_t d = 0; d < steps.size(); ++d)
        steps[d] = times ? (*x)[d] * e.operands[1].literal.integer : (*x)[d] + (*y)[d];
    } else {
      return false;
    }
    const Shape shape = type.shape;
    const DType dtype = type.dtype;
    counts_[e.results[0]] = steps;
    const lax::Dims dense = ops::row_major_strides(shape);
    int counted = 0;
    for (int d = 0; d < shape.ndim(); ++d) {
      if (shape[d] > 1 && steps[d] != dense[d]) return false;
      counted += shape[d] > 1;
    }
    if (counted < 2) return false;
    const Shape flat{shape.num_elements()};
    const Atom count = added(ops::iota, ops::Iota{dtype, flat, 0}, {}, ops::type(dtype, flat), e.loc);
    out_.eqns.push_back(eqn(ops::reshape, ops::Reshape{shape}, {count}, e.results[0], e.loc));
    return true;
  }

  // Indices that are sorted along need not be in memory: sorting knows where elements were.
  Eqn sorted_positions(Eqn e) const {
    auto p = e.params.get<ops::Sort>();
    const Atom& last = e.operands.back();
    const bool key = static_cast<int>(e.operands.size()) == p.num_keys;
    if (p.positions || key || last.is_literal() || !counts_.contains(last.id)) return e;
    const Type& type = out_.types[last.id];
    for (int d = 0; d < type.ndim(); ++d)
      if (type.shape[d] > 1 && counts_.at(last.id)[d] != (d == p.dim)) return e;
    p.positions = type.dtype;
    e.operands.pop_back();
    if (std::all_of(e.results.begin(), e.results.end() - 1, [&](ValueId v) { return uses_[v] == 0; })) {
      p.elements = false;
      e.results = {e.results.back()};
    }
    e.params = p;
    return e;
  }

  Atom transposed(const Atom& x, const lax::Dims& permutation, const Loc& loc) {
    if (x.is_literal() || std::is_sorted(permutation.begin(), permutation.end())) return x;
    Type t = out_.types[x.id];
    for (std::size_t i = 0; i < permutation.size(); ++i) t.shape[i] = out_.types[x.id].shape[permutation[i]];
    return added(ops::transpose, ops::Transpose{permutation}, {x}, std::move(t), loc);
  }

  ValueId fresh(Type type) {
    out_.types.push_back(std::move(type));
    uses_.push_back(1);
    producer_.push_back(-1);
    return static_cast<ValueId>(out_.types.size()) - 1;
  }
  static Eqn eqn(const Op& op, Params params, std::vector<Atom> operands, ValueId result, const Loc& loc) {
    return {&op, std::move(params), std::move(operands), {result}, {}, loc};
  }
  Atom added(const Op& op, Params params, std::vector<Atom> operands, Type type, const Loc& loc) {
    const ValueId v = fresh(std::move(type));
    out_.eqns.push_back(eqn(op, std::move(params), std::move(operands), v, loc));
    return v;
  }
  Atom converted(const Atom& x, DType dtype, const Loc& loc) {
    Type t = out_.type(x);
    if (t.dtype == dtype) return x;
    if (x.is_literal()) return Atom(x.literal.to(dtype), x.weak);
    t.dtype = dtype;
    return added(ops::convert_element_type, ops::ConvertElementType{dtype, t.weak}, {x}, t, loc);
  }

  // Vectors (one row times one column, perhaps many times): products that are summed as every sum is, in a tree, and
  // in one loop with what the operands are computed from. A matrix library adds them one after the other.
  bool sum_of_products(const Eqn& e) {
    const lax::DotDims& d = e.params.get<ops::DotGeneral>().dims;
    const DType from = out_.type(e.operands[0]).dtype, to = out_.types[e.results[0]].dtype;
    if (!(from.is_floating() && to.is_floating()) && !(from.is_integer() && to.is_integer())) return false;
    lax::Dims paired[2] = {d.lhs_batch, d.rhs_batch};
    paired[0].insert(paired[0].end(), d.lhs_contract.begin(), d.lhs_contract.end());
    paired[1].insert(paired[1].end(), d.rhs_contract.begin(), d.rhs_contract.end());
    for (int k : {0, 1})
      for (int i = 0; i < out_.type(e.operands[k]).ndim(); ++i)
        if (!ops::contains(paired[k], i) && out_.type(e.operands[k]).shape[i] != 1) return false;
    DType wide = to.size() > from.size() ? to : from;
    if (wide.is_floating() && wide.size() == 2) wide = float32;
    std::vector<Atom> factors;
    for (int k : {0, 1}) factors.push_back(converted(in_order(e.operands[k], paired[k], e.loc), wide, e.loc));
    Type type = out_.type(factors[0]);
    const Atom products = added(ops::mul, {}, factors, type, e.loc);
    std::vector<int> axes;
    for (std::size_t i = d.lhs_batch.size(); i < paired[0].size(); ++i) axes.push_back(static_cast<int>(i));
    type.shape =
        Shape(lax::Dims(type.shape.begin(), type.shape.begin() + static_cast<std::ptrdiff_t>(d.lhs_batch.size())));
    const ValueId total = fresh(type);
    reduce_once(eqn(ops::reduce_sum, ops::Reduction{axes}, {products}, total, e.loc));
    const Atom value = converted(total, to, e.loc);
    out_.eqns.push_back(eqn(ops::reshape, ops::Reshape{out_.types[e.results[0]].shape}, {value}, e.results[0], e.loc));
    return true;
  }
  // Loops over the elements of one side, where the other has none of its own, or over those of the result, where
  // nothing is added up. Of floats those sums only of which there are many short ones: others are faster as products.
  bool products_in_loops(const Eqn& e) {
    const lax::DotDims& d = e.params.get<ops::DotGeneral>().dims;
    const Type l = out_.type(e.operands[0]), r = out_.type(e.operands[1]), to = out_.types[e.results[0]];
    const bool floats = l.dtype.is_floating() && to.dtype.is_floating();
    if (!(l.dtype.is_integer() && to.dtype.is_integer()) && !floats) return false;
    const Side left = side(l, d.lhs_batch, d.lhs_contract), right = side(r, d.rhs_batch, d.rhs_contract);
    const bool is_sum = left.terms != 1, turned = right.own != 1;
    if (left.terms == 0 || to.num_elements() == 0 || (is_sum && left.own != 1 && right.own != 1)) return false;
    if (floats && is_sum &&
        (turned || left.own > kShort || left.terms > kShort || to.num_elements() / left.own < kManyShort))
      return false;
    // The dims of the loop: batch, then those of either side; terms of a sum where the larger side has them.
    const std::size_t nb = d.lhs_batch.size(), nl = left.free.size(), nr = right.free.size(),
                      nk = is_sum ? left.contract.size() : 0;
    auto joined = [](const lax::Dims& a, const lax::Dims& b, const lax::Dims& c) {
      lax::Dims out = a;
      out.insert(out.end(), b.begin(), b.end());
      out.insert(out.end(), c.begin(), c.end());
      return out;
    };
    auto numbers = [](std::size_t first, std::size_t n) {
      return ops::range(static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + n));
    };
    const std::size_t k_at = turned ? nb + nl : nb + nl + nr, r_at = turned ? nb + nl + nk : nb + nl;
    const lax::Dims terms = is_sum ? left.contract : lax::Dims(), other_terms = is_sum ? right.contract : lax::Dims();
    DType wide = to.dtype.size() > l.dtype.size() ? to.dtype : l.dtype;
    if (floats && wide.size() == 2) wide = float32;
    Shape space(lax::Dims(nb + nl + nr + nk, 1));
    for (std::size_t i = 0; i < nb; ++i) space[i] = l.shape[d.lhs_batch[i]];
    for (std::size_t i = 0; i < nl; ++i) space[nb + i] = l.shape[left.free[i]];
    for (std::size_t i = 0; i < nr; ++i) space[r_at + i] = r.shape[right.free[i]];
    for (std::size_t i = 0; i < nk; ++i) space[k_at + i] = l.shape[terms[i]];
    auto spread = [&](const Atom& x, const lax::Dims& from, const lax::Dims& dims) {
      const Atom one = converted(in_order(x, from, e.loc), wide, e.loc);
      return added(ops::broadcast_in_dim, ops::BroadcastInDim{space, dims}, {one}, ops::type(wide, space), e.loc);
    };
    const Atom a = spread(e.operands[0], joined(d.lhs_batch, left.free, terms),
                          joined(numbers(0, nb), numbers(nb, nl), numbers(k_at, nk)));
    const Atom b = turned ? spread(e.operands[1], joined(d.rhs_batch, other_terms, right.free),
                                   joined(numbers(0, nb), numbers(k_at, nk), numbers(r_at, nr)))
                          : spread(e.operands[1], joined(d.rhs_batch, right.free, other_terms),
                                   joined(numbers(0, nb), numbers(r_at, nr), numbers(k_at, nk)));
    Atom value = added(ops::mul, {}, {a, b}, ops::type(wide, space), e.loc);
    if (is_sum) {
      std::vector<int> axes;
      for (std::size_t i = 0; i < nk; ++i) axes.push_back(static_cast<int>(k_at + i));
      const ValueId total = fresh(ops::type(wide, to.shape));
      reduce_once(eqn(ops::reduce_sum, ops::Reduction{axes}, {value}, total, e.loc));
      value = Atom(total);
    }
    value = converted(value, to.dtype, e.loc);
    out_.eqns.push_back(eqn(ops::reshape, ops::Reshape{to.shape}, {value}, e.results[0], e.loc));
    return true;
  }
  // Many small products of 16-bit floats are quicker as float32, in which they are added up anyway.
  bool small_products(const Eqn& e) {
    const lax::DotDims& d = e.params.get<ops::DotGeneral>().dims;
    const Type l = out_.type(e.operands[0]), r = out_.type(e.operands[1]), to = out_.types[e.results[0]];
    const Side left = side(l, d.lhs_batch, d.lhs_contract), right = side(r, d.rhs_batch, d.rhs_contract);
    const std::int64_t products = to.num_elements() / std::max<std::int64_t>(1, left.own * right.own);
    if (!l.dtype.is_floating() || l.dtype.size() != 2 || !to.dtype.is_floating() || products < kManyShort ||
        std::max({left.own, right.own, left.terms}) > kShort)
      return false;
    Eqn wide = e;
    for (Atom& x : wide.operands) x = converted(x, float32, e.loc);
    ops::DotGeneral params = e.params.get<ops::DotGeneral>();
    params.preferred = {};
    wide.params = params;
    wide.results = {fresh(ops::type(float32, to.shape))};
    const Atom value = wide.results[0];
    out_.eqns.push_back(std::move(wide));
    const Atom rounded = converted(value, to.dtype, e.loc);
    out_.eqns.push_back(eqn(ops::reshape, ops::Reshape{to.shape}, {rounded}, e.results[0], e.loc));
    return true;
  }
  // Dims that a product's operand has for itself, those over which it adds, and how many elements each of them has.
  struct Side {
    lax::Dims free, contract;
    std::int64_t own = 1, terms = 1;
  };
  static Side side(const Type& x, const lax::Dims& batch, const lax::Dims& contract) {
    Side s;
    s.contract = contract;
    for (std::int64_t i = 0; i < x.ndim(); ++i) {
      if (ops::contains(contract, i))
        s.terms *= x.shape[i];
      else if (!ops::contains(batch, i)) {
        s.free.push_back(i);
        s.own *= x.shape[i];
      }
    }
    return s;
  }
  // x with the dims named, in that order; all others have one element.
  Atom in_order(const Atom& x, const lax::Dims& dims, const Loc& loc) {
    if (x.is_literal()) return x;
    lax::Dims sorted = dims, order;
    std::sort(sorted.begin(), sorted.end());
    Type t = out_.types[x.id];
    Shape kept;
    for (std::int64_t d : sorted) kept.push_back(t.shape[d]);
    for (std::int64_t d : dims) order.push_back(std::find(sorted.begin(), sorted.end(), d) - sorted.begin());
    if (kept == t.shape) return transposed(x, order, loc);
    t.shape = kept;
    return transposed(added(ops::reshape, ops::Reshape{kept}, {x}, t, loc), order, loc);
  }

  // A product that nobody else reads, transposed so that its last dim is one of the left operand, is the product of its
  // operands the other way round: then what is left of the transposition moves whole rows.
  bool turn_dot(const Eqn& e) {
    const Atom x = e.operands[0];
    auto it = x.is_literal() || uses_[x.id] != 1 ? dots_.end() : dots_.find(x.id);
    if (it == dots_.end()) return false;
    Eqn dot = *it->second;
    ops::DotGeneral params = dot.params.get<ops::DotGeneral>();
    lax::DotDims& d = params.dims;
    const auto nb = static_cast<std::int64_t>(d.lhs_batch.size());
    const std::int64_t nl = out_.type(dot.operands[0]).ndim() - nb - static_cast<std::int64_t>(d.lhs_contract.size()),
                       nr = out_.types[x.id].ndim() - nb - nl;
    lax::Dims rest = e.params.get<ops::Transpose>().permutation;
    if (nr == 0 || rest.back() < nb || rest.back() >= nb + nl) return false;
    for (std::int64_t& dim : rest)
      if (dim >= nb) dim = dim < nb + nl ? dim + nr : dim - nl;
    Type turned = out_.types[x.id];
    for (std::int64_t i = nb; i < nb + nl + nr; ++i)
      turned.shape[i < nb + nl ? i + nr : i - nl] = out_.types[x.id].shape[i];
    std::swap(dot.operands[0], dot.operands[1]);
    std::swap(d.lhs_batch, d.rhs_batch);
    std::swap(d.lhs_contract, d.rhs_contract);
    dot.params = params;
    const bool is_all = std::is_sorted(rest.begin(), rest.end());
    dot.results = {is_all ? e.results[0] : fresh(std::move(turned))};
    const Atom product = Atom(dot.results[0]);
    out_.eqns.push_back(std::move(dot));
    if (!is_all) out_.eqns.push_back(eqn(ops::transpose, ops::Transpose{rest}, {product}, e.results[0], e.loc));
    return true;
  }

  // Whether the order of combining leaves no trace.
  bool in_any_order(const Eqn& e) const {
    if (e.op->reduce != Op::Reduce::sum && e.op->reduce != Op::Reduce::prod) return true;
    const DType d = out_.types[e.results[0]].dtype;
    return d.is_integer() || d.is_bool() || e.params.get<ops::Reduction>().any_order;
  }

  // A reduction of a reduction that nobody else reads, over neighbouring dims, is one where that keeps bits.
  void reduce_once(Eqn e) {
    const Atom x = e.operands[0];
    const int from = x.is_literal() || uses_[x.id] != 1 ? -1 : producer_[x.id];
    if (from >= 0 && out_.eqns[from].op == e.op && in_any_order(e) && in_any_order(out_.eqns[from])) {
      const Eqn& inner = out_.eqns[from];
      std::vector<int> axes = inner.params.get<ops::Reduction>().axes, kept;
      for (int d = 0; d < out_.type(inner.operands[0]).ndim(); ++d)
        if (std::find(axes.begin(), axes.end(), d) == axes.end()) kept.push_back(d);
      for (int axis : e.params.get<ops::Reduction>().axes) axes.push_back(kept[axis]);
      std::sort(axes.begin(), axes.end());
      if (axes.back() - axes.front() + 1 == static_cast<int>(axes.size())) {
        e.operands = inner.operands;
        e.params = ops::Reduction{axes, e.params.get<ops::Reduction>().any_order};
      }
    }
    const Type &before = out_.type(e.operands[0]), &after = out_.types[e.results[0]];
    if (before.num_elements() == after.num_elements() && before.dtype == after.dtype) {  // over dims of one element
      e.op = &ops::reshape;
      e.params = ops::Reshape{after.shape};
    }
    if (e.op->reduce != Op::Reduce::none) producer_[e.results[0]] = static_cast<int>(out_.eqns.size());
    out_.eqns.push_back(std::move(e));
  }

  Program out_;
  std::map<ValueId, const Eqn*> dots_;   // of the program that came in
  std::map<ValueId, lax::Dims> counts_;  // what a step along each dim adds, of sums of indices
  std::vector<int> uses_, producer_;     // by value; producers only of reductions, as Eqns of out_
};

}  // namespace

Program simplify(const Program& program) { return Simplifier(program).run(program); }

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
