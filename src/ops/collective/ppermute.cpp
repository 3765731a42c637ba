// ppermute: what one device has goes to another. Source: jax.lax.
#include <cstring>

#include "ops/collective/family.hpp"

namespace tutti::ops {

std::int64_t Permute::destination(std::int64_t at) const {
  const std::int64_t n = group.size();
  if (turn != 0) return ((at + turn) % n + n) % n;
  if (digits.empty()) {
    for (auto [from, to] : pairs)
      if (from == at) return to;
    return -1;
  }
  std::vector<std::int64_t> value(digits.size());
  for (std::size_t k = digits.size(); k-- > 0; at /= digits[k]) value[k] = at % digits[k];
  std::int64_t out = 0;
  for (int k : order) out = out * digits[static_cast<std::size_t>(k)] + value[static_cast<std::size_t>(k)];
  return out;
}
std::int64_t Permute::source(std::int64_t at) const { return inverse().destination(at); }

std::vector<std::pair<int, int>> Permute::list() const {
  if (turn == 0 && digits.empty()) return pairs;
  std::vector<std::pair<int, int>> out;
  for (std::int64_t i = 0; i < group.size(); ++i)
    out.emplace_back(static_cast<int>(i), static_cast<int>(destination(i)));
  return out;
}

Permute Permute::inverse() const {
  Permute out{group, pairs, -turn, {}, {}};
  for (auto& [from, to] : out.pairs) std::swap(from, to);
  out.order.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    out.digits.push_back(digits[static_cast<std::size_t>(order[k])]);
    out.order[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  return out;
}

namespace {

std::vector<Type> infer_ppermute(const Call& c) {
  const auto& p = c.get<Permute>();
  if (p.pairs.empty()) return {c.operands[0]};
  std::int64_t n = p.group.size();
  std::vector<char> source(static_cast<std::size_t>(n), 0), destination(static_cast<std::size_t>(n), 0);
  auto text = [](std::pair<int, int> pair) {
    return "(" + std::to_string(pair.first) + ", " + std::to_string(pair.second) + ")";
  };
  for (const auto& [from, to] : p.pairs) {
    const bool outside = from < 0 || to < 0 || from >= n || to >= n;
    if (!outside && !source[from]++ && !destination[to]++) continue;
    std::string pair = "the pair " + text({from, to}), all;
    for (const auto& each : p.pairs) all += (all.empty() ? " of " : ", ") + text(each);
    pair += all;
    if (from < 0 || to < 0 || from >= n || to >= n)
      raise<IndexError>(
          "ppermute",
          pair + " is out of range: the axes " + field::text(p.group.axes) + " have " + std::to_string(n) + " devices",
          "Positions are 0 to " + std::to_string(n - 1) + ".");
    if (source[from] > 1)
      raise<ValueError>("ppermute", pair + " sends from " + std::to_string(from) + " a second time",
                        "Each device sends to at most one other.");
    raise<ValueError>("ppermute", pair + " sends to " + std::to_string(to) + " a second time",
                      "Each device receives from at most one other.");
  }
  return {c.operands[0]};
}

void zeros_alone(const Call&, std::int64_t, const HostView*, const HostView& y) {
  if (y.type.nbytes() > 0) std::memset(y.data, 0, static_cast<std::size_t>(y.type.nbytes()));
}
std::vector<Round> rounds_of_ppermute(const Call& c, std::int64_t me, std::int64_t) {
  Round out;
  const auto& p = c.get<Permute>();
  if (const std::int64_t to = p.destination(me); to >= 0) out.send.push_back({to, all_of(c.operands[0])});
  if (const std::int64_t from = p.source(me); from >= 0) out.receive.push_back({from, all_of(c.operands[0])});
  return {out};
}

// Rows of `x` by number, or zeros for -1: runs of neighbours are one slice each.
Array pick_rows(const Array& x, const std::vector<int>& rows) {
  std::vector<Array> parts;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t j = i + 1;
    while (j < rows.size() && (rows[i] < 0 ? rows[j] < 0 : rows[j] == rows[i] + static_cast<int>(j - i))) ++j;
    Shape shape = x.shape();
    shape[0] = static_cast<std::int64_t>(j - i);
    if (rows[i] < 0) {
      parts.push_back(zeros(x.dtype(), shape));
    } else {
      Dims start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
      start[0] = rows[i];
      limit[0] = start[0] + shape[0];
      parts.push_back(lax::slice(x, start, limit));
    }
    i = j;
  }
  return parts.size() == 1 ? parts[0] : lax::concatenate(parts, 0);
}

// A pair of group positions is a pair of lanes and a pair of positions along the other axes: one ppermute over those
// per pair of lanes.
Array permute_lanes(const Call& c, const Steps& steps, const Array& x) {
  const auto& p = c.get<Permute>();
  std::int64_t minor = 1;  // positions of the group per lane
  for (int i = steps.count(); i-- > 0 && !steps.mine(i);) minor *= p.group.sizes[i];
  std::int64_t n = steps.batch.size;
  auto lane = [&](int at) { return static_cast<int>(at / minor % n); };
  auto other = [&](int at) { return static_cast<int>(at / (minor * n) * minor + at % minor); };
  std::vector<Array> lanes;
  Shape one = x.shape();
  one[0] = 1;
  const std::vector<std::pair<int, int>> pairs = p.list();
  for (int to = 0; to < n; ++to) {
    Array sum;
    for (int from = 0; from < n; ++from) {
      Permute rest{steps.others(), {}};
      for (auto [source, destination] : pairs)
        if (lane(source) == from && lane(destination) == to) rest.pairs.emplace_back(other(source), other(destination));
      if (rest.pairs.empty()) continue;
      Array got = bind1(c.op, rest, {pick_rows(x, {from})});
      if (!sum.has_value())
        sum = got;
      else  // at most one of them is not zero
        sum = x.dtype() == bool_ ? lax::bitwise_or(sum, got) : lax::add(sum, got);
    }
    lanes.push_back(sum.has_value() ? sum : zeros(x.dtype(), one));
  }
  return lanes.size() == 1 ? lanes[0] : lax::concatenate(lanes, 0);
}

Batched batch_ppermute(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                       const BatchAxis& axis) {
  const auto& p = c.get<Permute>();
  Steps steps{p.group, axis};
  if (!steps.any()) return {{bind1(c.op, p, {xs[0]})}, {mapped[0]}};
  Array x = batched(xs[0], mapped[0], axis.size);
  if (steps.count() > 1) return {{permute_lanes(c, steps, x)}, {true}};
  std::vector<int> rows(static_cast<std::size_t>(axis.size), -1);
  for (auto [from, to] : p.list()) rows[to] = from;
  return {{pick_rows(x, rows)}, {true}};
}

Array transpose_ppermute(const Call& c, const Array& ct) { return bind1(c.op, c.get<Permute>().inverse(), {ct}); }

}  // namespace

constinit const Home ppermute = [] {
  Collective says;
  says.kind = "permute";
  says.alone = zeros_alone;
  says.rounds = rounds_of_ppermute;
  says.received = [](double bytes, double) { return Received{bytes, 1}; };
  says.variance = Collective::Variance::begins;
  Op op = collective_op<Permute>("ppermute", says);
  op.infer = infer_ppermute;
  op.batch = batch_ppermute;
  set_linear(op, transpose_ppermute);
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
