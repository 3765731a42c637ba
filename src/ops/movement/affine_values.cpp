#include "ops/movement/affine_values.hpp"

#include <algorithm>
#include <cstdlib>

#include "ir/op.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

constexpr int deepest = 64;                              // of arithmetic upon arithmetic
constexpr std::int64_t largest = std::int64_t{1} << 40;  // so that sums of a few products do not wrap

bool is_constant(const Affine& x) {
  return x.modulo == 0 && std::all_of(x.steps.begin(), x.steps.end(), [](std::int64_t s) { return s == 0; });
}

std::optional<Affine> scaled(const Affine& x, std::int64_t by) {
  if (x.modulo != 0) return std::nullopt;
  Affine out = x;
  out.offset *= by;
  for (std::int64_t& s : out.steps) s *= by;
  return out;
}

std::optional<Affine> sum(const Affine& x, const Affine& y, std::int64_t sign) {
  if (is_constant(y) && y.offset == 0) return x;
  if (x.modulo != 0 || y.modulo != 0) return std::nullopt;
  Affine out = x;
  out.offset += sign * y.offset;
  for (std::size_t d = 0; d < out.steps.size(); ++d) out.steps[d] += sign * y.steps[d];
  return out;
}

}  // namespace

AffineValues::Known AffineValues::known(const Atom& a) {
  if (a.is_literal()) {
    if (a.literal.dtype.is_bool()) return {std::nullopt, a.literal.integer != 0};
    if (!a.literal.dtype.is_integer() || std::abs(a.literal.integer) > largest) return {};
    return {Affine{a.literal.integer, {}, 0}, -1};
  }
  const auto at = known_.find(a.id);
  if (at != known_.end()) return at->second;
  const Type& type = p_.types[a.id];
  const int producer = index_.producer(a.id);
  Known out;
  if (const auto outside = given_.find(a.id); outside != given_.end()) {
    out.affine = outside->second;
  } else if (producer >= 0 && depth_ < deepest && (type.dtype.is_integer() || type.dtype.is_bool()) &&
             type.num_elements() > 0) {
    ++depth_;
    out = made_by(p_.eqns[static_cast<std::size_t>(producer)], a.id);
    --depth_;
    out.affine = fitting(out.affine, type);
  }
  known_[a.id] = out;
  return out;
}

AffineValues::Range AffineValues::range(const Affine& x, const Shape& shape) const {
  if (x.modulo != 0) return {0, x.modulo - 1};
  Range out{x.offset, x.offset};
  for (std::size_t d = 0; d < x.steps.size(); ++d) (x.steps[d] < 0 ? out.low : out.high) += x.steps[d] * (shape[d] - 1);
  return out;
}

// Nothing where some number does not fit the dtype: that wraps. Steps along dims of one element say nothing.
std::optional<Affine> AffineValues::fitting(std::optional<Affine> x, const Type& type) const {
  if (!x || !type.dtype.is_integer()) return std::nullopt;
  for (std::size_t d = 0; d < x->steps.size(); ++d)
    if (type.shape[d] == 1) x->steps[d] = 0;
  for (std::size_t d = 0; d < x->steps.size(); ++d)
    if (std::abs(x->steps[d]) > largest / std::max<std::int64_t>(type.shape[d], 1)) return std::nullopt;
  const Range r = range(*x, type.shape);
  const int bits = std::min<int>(static_cast<int>(type.dtype.size()) * 8, 48) - (type.dtype.is_signed() ? 1 : 0);
  const std::int64_t top = (std::int64_t{1} << bits) - 1, least = type.dtype.is_signed() ? -top - 1 : 0;
  if (r.low < least || r.high > top || std::max(std::abs(r.low), std::abs(r.high)) > largest) return std::nullopt;
  return x;
}

AffineValues::Known AffineValues::made_by(const Eqn& e, ValueId v) {
  if (e.results.size() != 1 || !e.subs.empty()) return {};
  const Type& type = p_.types[v];
  if (e.op->index) {
    Affine x{0, std::vector<std::int64_t>(type.shape.size(), 0), 0};
    x.steps[static_cast<std::size_t>(e.op->index(e.params))] = 1;
    return {x, -1};
  }
  if (e.op->view) return viewed(e, v);
  return e.op->pointwise ? combined(e, type) : Known{};
}

// Each dim of the result steps along one dim of the operand, and stays inside it.
AffineValues::Known AffineValues::viewed(const Eqn& e, ValueId v) {
  const Known of = known(e.operands[0]);
  if (!of.affine) return {std::nullopt, of.truth};
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p_.type(a));
  const std::optional<View> view = e.op->view(Call{*e.op, e.params, types, e.subs}, p_.types[v]);
  if (!view) return {};
  const Shape &from = types[0].shape, &to = p_.types[v].shape;
  const Dims dense = row_major_strides(from);
  std::vector<std::int64_t> low(from.size(), 0), high(from.size(), 0);
  Affine out{of.affine->offset, std::vector<std::int64_t>(to.size(), 0), of.affine->modulo};
  for (std::size_t m = 0, rest = static_cast<std::size_t>(view->offset); m < from.size(); ++m) {
    low[m] = high[m] = static_cast<std::int64_t>(rest) / dense[m];
    rest %= static_cast<std::size_t>(dense[m]);
    out.offset += low[m] * of.affine->steps[m];
  }
  for (std::size_t d = 0; d < to.size(); ++d) {
    const std::int64_t stride = view->strides[d];
    if (stride == 0 || to[d] == 1) continue;
    std::size_t m = 0;
    while (m < from.size() && (from[m] == 1 || stride % dense[m] != 0)) ++m;
    if (m == from.size()) return {};
    const std::int64_t steps = stride / dense[m];
    (steps < 0 ? low[m] : high[m]) += steps * (to[d] - 1);
    out.steps[d] = steps * of.affine->steps[m];
  }
  for (std::size_t m = 0; m < from.size(); ++m)
    if (low[m] < 0 || high[m] >= from[m]) return {};
  return {out, -1};
}

AffineValues::Known AffineValues::combined(const Eqn& e, const Type& result) {
  std::vector<Known> in;
  for (const Atom& a : e.operands) {
    in.push_back(known(a));
    if (in.back().affine && in.back().affine->steps.size() != result.shape.size()) {  // a scalar, for all elements
      if (!in.back().affine->steps.empty()) return {};
      in.back().affine->steps.resize(result.shape.size(), 0);
    }
  }
  const Op* op = e.op;
  auto is = [&](const Home& home) { return op == &static_cast<const Op&>(home); };
  if (is(convert_element_type) && in[0].affine) return {in[0].affine, -1};
  if (is(select) && in.size() == 3) {
    if (in[0].truth >= 0) return in[0].truth ? in[1] : in[2];
    return in[1].affine && in[1].affine == in[2].affine ? in[1] : Known{};
  }
  if (is(bitwise_not)) return {std::nullopt, in[0].truth < 0 ? -1 : 1 - in[0].truth};
  if (is(neg) && in[0].affine) return {scaled(*in[0].affine, -1), -1};
  if (in.size() != 2) return {};
  const int p = in[0].truth, q = in[1].truth;
  if (is(bitwise_and)) return {std::nullopt, p == 0 || q == 0 ? 0 : p == 1 && q == 1 ? 1 : -1};
  if (is(bitwise_or)) return {std::nullopt, p == 1 || q == 1 ? 1 : p == 0 && q == 0 ? 0 : -1};
  if (p >= 0 && q >= 0) return {std::nullopt, is(eq) ? p == q : is(ne) ? p != q : -1};
  if (!in[0].affine || !in[1].affine) return {};
  const Affine &x = *in[0].affine, &y = *in[1].affine;
  if (is(add)) return {is_constant(x) && x.offset == 0 ? std::optional(y) : sum(x, y, 1), -1};
  if (is(sub)) return {sum(x, y, -1), -1};
  if (is(mul)) return {is_constant(y) ? scaled(x, y.offset) : is_constant(x) ? scaled(y, x.offset) : std::nullopt, -1};
  // What follows asks where x - y lies.
  Range d{};
  if (x.modulo == 0 && y.modulo == 0) {
    d = range(*sum(x, y, -1), result.shape);
  } else {
    const Range a = range(x, result.shape), b = range(y, result.shape);
    d = {a.low - b.high, a.high - b.low};
  }
  auto says = [](bool yes, bool no) { return Known{std::nullopt, yes ? 1 : no ? 0 : -1}; };
  if (is(lt)) return says(d.high < 0, d.low >= 0);
  if (is(ge)) return says(d.low >= 0, d.high < 0);
  if (is(gt)) return says(d.low > 0, d.high <= 0);
  if (is(le)) return says(d.high <= 0, d.low > 0);
  if (is(eq)) return says(x == y, d.low > 0 || d.high < 0);
  if (is(ne)) return says(d.low > 0 || d.high < 0, x == y);
  if (is(max)) return d.low >= 0 ? in[0] : d.high <= 0 ? in[1] : Known{};
  if (is(min)) return d.low >= 0 ? in[1] : d.high <= 0 ? in[0] : Known{};
  if (is(rem) && is_constant(y) && y.offset > 0 && range(x, result.shape).low >= 0) {
    if (range(x, result.shape).high < y.offset) return in[0];
    if (x.modulo != 0) return {};
    const Affine turned{x.offset % y.offset, x.steps, 0};
    const Range r = range(turned, result.shape);
    if (r.low >= 0 && r.high < y.offset) return {turned, -1};
    return {Affine{turned.offset, x.steps, y.offset}, -1};
  }
  return {};
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
