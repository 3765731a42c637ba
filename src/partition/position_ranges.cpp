#include "partition/position_ranges.hpp"

#include <algorithm>
#include <limits>

#include "ir/op.hpp"
#include "ops/collective/collective.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"

namespace tutti {
namespace {

// Products and sums of numbers within do not overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 31;
constexpr int kMostAsked = 100;  // values, each as often as it is read

bool is_position(const Eqn& e) { return e.op == &ops::axis_index || (e.op->index && e.op->role == Role::generator); }
bool is_known_op(const Op* op) {
  return op == &ops::add || op == &ops::sub || op == &ops::mul || op == &ops::min || op == &ops::max ||
         op == &ops::lt || op == &ops::le || op == &ops::gt || op == &ops::ge || op == &ops::eq || op == &ops::ne ||
         op == &ops::bitwise_and || op == &ops::bitwise_or || op == &ops::bitwise_not || op == &ops::broadcast_in_dim;
}

NumberRange truth(bool certainly, bool possibly) { return {certainly, possibly}; }

std::optional<NumberRange> of_two(const Op* op, bool truths, const NumberRange& a, const NumberRange& b) {
  if (op == &ops::add) return NumberRange{a.least + b.least, a.most + b.most};
  if (op == &ops::sub) return NumberRange{a.least - b.most, a.most - b.least};
  if (op == &ops::mul) {
    const auto [least, most] = std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
    return NumberRange{least, most};
  }
  if (op == &ops::min) return NumberRange{std::min(a.least, b.least), std::min(a.most, b.most)};
  if (op == &ops::max) return NumberRange{std::max(a.least, b.least), std::max(a.most, b.most)};
  if (op == &ops::lt) return truth(a.most < b.least, a.least < b.most);
  if (op == &ops::le) return truth(a.most <= b.least, a.least <= b.most);
  if (op == &ops::gt) return truth(a.least > b.most, a.most > b.least);
  if (op == &ops::ge) return truth(a.least >= b.most, a.most >= b.least);
  const bool apart = a.most < b.least || b.most < a.least;
  const bool same = a.is_one() && b.is_one() && a.least == b.least;
  if (op == &ops::eq) return truth(same, !apart);
  if (op == &ops::ne) return truth(apart, !same);
  if (truths && op == &ops::bitwise_and) return NumberRange{std::min(a.least, b.least), std::min(a.most, b.most)};
  if (truths && op == &ops::bitwise_or) return NumberRange{std::max(a.least, b.least), std::max(a.most, b.most)};
  return std::nullopt;
}

}  // namespace

PositionRanges::PositionRanges(const Program& program)
    : p_(program), producer_(program.types.size(), -1), asked_(program.types.size(), 0) {
  for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
    const Eqn& e = p_.eqns[i];
    bool known = is_position(e) || is_known_op(e.op);
    int asked = 1;
    for (const Atom& a : e.operands) {
      known = known && is_of_positions(a);
      asked += a.is_literal() ? 1 : asked_[static_cast<std::size_t>(a.id)];
    }
    for (ValueId r : e.results) {
      producer_[static_cast<std::size_t>(r)] = static_cast<int>(i);
      const DType dtype = p_.types[static_cast<std::size_t>(r)].dtype;
      const bool numbers = dtype.is_integer() || dtype.is_bool();
      asked_[static_cast<std::size_t>(r)] = known && numbers && asked <= kMostAsked ? asked : 0;
    }
  }
}

std::optional<NumberRange> PositionRanges::of(const Atom& a, const IndexBox& box) const {
  if (a.is_literal()) {
    if (!a.literal.dtype.is_integer() && !a.literal.dtype.is_bool()) return std::nullopt;
    const auto n = static_cast<std::int64_t>(a.literal.integer);
    if (n < -kMost || n > kMost) return std::nullopt;
    return NumberRange{n, n};
  }
  if (!is_of_positions(a)) return std::nullopt;
  std::optional<NumberRange> out =
      each(p_.eqns[static_cast<std::size_t>(producer_[static_cast<std::size_t>(a.id)])], box);
  if (out && (out->least < -kMost || out->most > kMost)) return std::nullopt;
  return out;
}

std::optional<NumberRange> PositionRanges::each(const Eqn& e, const IndexBox& box) const {
  if (e.op == &ops::axis_index) return NumberRange{0, e.op->collective->group(e.params).size() - 1};
  if (is_position(e)) {
    const auto& [from, to] = box[static_cast<std::size_t>(e.op->index(e.params))];
    return NumberRange{from, to - 1};
  }
  if (e.op == &ops::broadcast_in_dim) {
    if (e.operands[0].is_literal() || p_.type(e.operands[0]).ndim() == 0) return of(e.operands[0], {});
    const auto& dims = e.params.get<ops::BroadcastInDim>().dims;
    IndexBox there = all_of_shape(p_.type(e.operands[0]).shape);
    for (std::size_t d = 0; d < there.size(); ++d)
      if (there[d].second > 1) there[d] = box[static_cast<std::size_t>(dims[d])];
    return of(e.operands[0], there);
  }
  auto operand = [&](std::size_t k) {
    const Atom& a = e.operands[k];
    return of(a, a.is_literal() || p_.type(a).ndim() == 0 ? IndexBox{} : box);
  };
  const std::optional<NumberRange> a = operand(0);
  if (!a) return std::nullopt;
  const Type& result = p_.types[static_cast<std::size_t>(e.results[0])];
  const bool truths = result.dtype.is_bool();
  if (e.op == &ops::bitwise_not) return truths ? std::optional(NumberRange{1 - a->most, 1 - a->least}) : std::nullopt;
  const std::optional<NumberRange> b = operand(1);
  // Unsigned and narrow numbers wrap round.
  const DType dtype = p_.type(e.operands[0]).dtype;
  if (!b || !(dtype == int32 || dtype == int64 || dtype.is_bool())) return std::nullopt;
  return of_two(e.op, truths, *a, *b);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
