#include "partition/halo_reads.hpp"

#include <algorithm>
#include <limits>

#include "ir/op.hpp"
#include "ops/movement/slice.hpp"
#include "partition/local_rewriting.hpp"
#include "partition/min_cut.hpp"

namespace tutti {
namespace {

// What is computed on two devices is a small part of what each computes anyway, and costs less than its bytes.
constexpr std::int64_t kShare = 4;
constexpr double kBytesOfAnElement = 0.02, kBytesOfAnEqn = 64;
// Operations one behind the other: not the steps of an unrolled loop, back to its start.
constexpr int kDeepest = 32;

bool is_pure(const Eqn& e) {
  return e.op->role == Role::compute && !e.op->effect && !e.op->host && !e.op->collective && e.subs.empty() &&
         e.results.size() == 1;
}

// What the one sends comes back by the other.
bool are_inverse(const ops::Permute& a, const ops::Permute& b) {
  if (!(a.group == b.group)) return false;
  if (a.turn != 0 && b.turn != 0) return (a.turn + b.turn) % a.group.size() == 0;
  return a.inverse() == b;
}

bool share_axes(const Group& a, const Group& b) {
  return std::any_of(a.axes.begin(), a.axes.end(), [&](const std::string& name) {
    return std::find(b.axes.begin(), b.axes.end(), name) != b.axes.end();
  });
}

IndexBox moved_by(const IndexBox& box, const std::vector<std::int64_t>& by) {
  IndexBox out = box;
  for (std::size_t d = 0; d < out.size(); ++d) out[d] = {box[d].first + by[d], box[d].second + by[d]};
  return out;
}

}  // namespace

HaloReads::HaloReads(const Program& program)
    : p_(program), producer_(program.types.size(), -1), uniform_(program.types.size(), 0) {
  for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
    const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
    const bool same = e.subs.empty() && !e.op->collective && !e.op->effect && !e.op->host &&
                      std::all_of(e.operands.begin(), e.operands.end(),
                                  [&](const Atom& a) { return a.is_literal() || uniform_[a.id]; });
    for (ValueId r : e.results) {
      producer_[r] = i;
      uniform_[r] = same;
      largest_ = std::max(largest_, p_.types[r].num_elements());
    }
  }
}

bool HaloReads::is_total(const ops::Permute& permute) {
  return permute.turn != 0 || !permute.digits.empty() ||
         static_cast<std::int64_t>(permute.pairs.size()) == permute.group.size();
}

BoxSource HaloReads::source(ValueId v, const IndexBox& box, const ops::Permute& permute) const {
  using Kind = BoxSource::Kind;
  if (uniform_[v]) return {.kind = Kind::here, .here = v};
  if (producer_[v] < 0 || p_.types[v].dtype.is_key()) return {};
  const Eqn& e = p_.eqns[static_cast<std::size_t>(producer_[v])];
  if (e.op == &ops::axis_index) {
    const Group& group = e.op->collective->group(e.params);
    if (!share_axes(group, permute.group)) return {.kind = Kind::here, .here = v};
    if (group == permute.group && permute.turn != 0) return {.kind = Kind::position};
    return {};
  }
  if (e.op == &ops::ppermute && !e.operands[0].is_literal() && are_inverse(e.params.get<ops::Permute>(), permute))
    return {.kind = Kind::here, .here = e.operands[0].id};
  if (!is_pure(e)) return {};
  if (e.op == &ops::slice) {
    const auto& s = e.params.get<ops::SliceParams>();
    const bool steps = std::any_of(s.strides.begin(), s.strides.end(), [](std::int64_t n) { return n != 1; });
    if (steps || e.operands[0].is_literal()) return {};
    return {.kind = Kind::slice, .reads = {{e.operands[0].id, moved_by(box, s.start)}}};
  }
  if (e.op->pieces) {
    BoxSource out{.kind = Kind::pieces};
    const std::vector<BoxPiece> pieces = pieces_within(p_, e, box);
    for (const BoxPiece& piece : pieces)
      if (const Atom& operand = e.operands[static_cast<std::size_t>(piece.operand)]; !operand.is_literal())
        out.reads.push_back({operand.id, piece.from});
    return pieces.empty() ? BoxSource{} : out;
  }
  return each(e, box);
}

// Dims of which only some elements are wanted are one factor each, of the result and of operands.
BoxSource HaloReads::each(const Eqn& e, const IndexBox& box) const {
  if (!e.op->factors || !(e.op->pointwise || e.op->movement || e.op->reduce != Op::Reduce::none)) return {};
  const Type& result = p_.types[e.results[0]];
  BoxSource out{.kind = BoxSource::Kind::each, .computes = !e.op->movement};
  if (out.computes && volume(box) * kShare > largest_) return {};
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p_.type(a));
  const Factors rule = e.op->factors(Call{*e.op, e.params, types, e.subs}, {result});
  std::vector<std::pair<std::int64_t, std::int64_t>> part(rule.factors.size(), {-1, -1});
  for (int d = 0; d < result.ndim(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (box[at].first == 0 && box[at].second == result.shape[d]) continue;
    const std::vector<int>& factors = rule.results[0][at];
    if (factors.size() != 1 || rule.factors[static_cast<std::size_t>(factors[0])].kind != Factors::Kind::parallel)
      return {};
    part[static_cast<std::size_t>(factors[0])] = box[at];
  }
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    IndexBox read = all_of_shape(types[i].shape);
    for (std::size_t d = 0; d < read.size(); ++d)
      for (int f : rule.operands[i][d]) {
        if (part[static_cast<std::size_t>(f)].first < 0) continue;
        if (rule.operands[i][d].size() != 1) return {};
        read[d] = part[static_cast<std::size_t>(f)];
      }
    if (out.computes && volume(read) * kShare > largest_) return {};
    out.reads.push_back({e.operands[i].id, std::move(read)});
  }
  return out;
}

// Values with the boxes that are wanted of them, from the last one computed to the first.
template <class Expanded, class Visit>
void HaloReads::walk(const std::vector<ValueId>& wanted, const ops::Permute& permute, Expanded expanded,
                     Visit visit) const {
  struct Open {
    std::vector<IndexBox> boxes;
    int depth = 0;  // operations that are computed from it on
  };
  std::map<std::pair<int, ValueId>, Open> open;
  auto want = [&](ValueId v, IndexBox box, int depth) {
    Open& now = open[{-producer_[v], v}];
    add_box(now.boxes, std::move(box));
    now.depth = std::max(now.depth, depth);
  };
  for (ValueId v : wanted) want(v, all_of_shape(p_.types[v].shape), 0);
  while (!open.empty()) {
    const ValueId v = open.begin()->first.second;
    const auto [boxes, depth] = std::move(open.begin()->second);
    open.erase(open.begin());
    std::vector<BoxSource> sources;
    for (const IndexBox& box : boxes) sources.push_back(source(v, box, permute));
    // One box that has to be sent: all of them are.
    const bool sent =
        std::any_of(sources.begin(), sources.end(), [](const BoxSource& s) { return s.kind == BoxSource::Kind::sent; });
    if (sent || (sources[0].computes && (depth >= kDeepest || !expanded(v)))) sources.clear();
    visit(v, boxes, sources);
    for (const BoxSource& s : sources)
      for (const BoxRead& read : s.reads)
        if (read.value >= 0) want(read.value, read.box, depth + (s.computes ? 1 : 0));
  }
}

// Each value is sent or computed there of its operands, by a cut of least bytes.
HaloReads::Decision HaloReads::decide(const std::vector<ValueId>& wanted, const ops::Permute& permute) const {
  struct Node {
    int number;
    double bytes, work;
    std::vector<BoxSource> sources;
  };
  std::map<ValueId, Node> nodes;
  walk(
      wanted, permute, [](ValueId) { return true; },
      [&](ValueId v, const std::vector<IndexBox>& boxes, const std::vector<BoxSource>& sources) {
        Node node{static_cast<int>(nodes.size()), bytes(v, boxes), 0, sources};
        for (const IndexBox& box : boxes)  // positions of devices are numbers
          if (!box.empty()) node.work += kBytesOfAnEqn + kBytesOfAnElement * static_cast<double>(volume(box));
        nodes.emplace(v, std::move(node));
      });
  // Of each value: whether it is needed there, and whether it is made there.
  constexpr double never = std::numeric_limits<double>::infinity();
  MinCut cut(2 * static_cast<int>(nodes.size()));
  const double certain = 1e18;
  for (ValueId v : wanted) cut.add(2 * nodes.at(v).number, -certain);
  for (const auto& [v, node] : nodes) {
    const int needed = 2 * node.number, made = needed + 1;
    const bool computes = !node.sources.empty() && node.sources[0].computes;
    cut.add(made, node.sources.empty() ? never : computes ? node.work : 0);
    cut.add(made, needed, node.sources.empty() || computes ? node.bytes : certain);
    for (const BoxSource& s : node.sources)
      for (const BoxRead& read : s.reads)
        if (read.value >= 0) cut.add(2 * nodes.at(read.value).number, made, certain);
  }
  const std::vector<char> yes = cut.solve();
  Decision out;
  for (const auto& [v, node] : nodes) out[v] = yes[static_cast<std::size_t>(2 * node.number + 1)] != 0;
  return out;
}

WantedBoxes HaloReads::boxes(const std::vector<ValueId>& wanted, const ops::Permute& permute, bool recompute) const {
  const Decision computed = recompute ? decide(wanted, permute) : Decision();
  auto expanded = [&](ValueId v) {
    const auto at = computed.find(v);
    return at != computed.end() && at->second;
  };
  WantedBoxes out;
  walk(wanted, permute, expanded,
       [&](ValueId v, const std::vector<IndexBox>& boxes, const std::vector<BoxSource>& sources) {
         (sources.empty() ? out.sent : out.made).emplace(v, boxes);
       });
  return out;
}

double HaloReads::bytes(ValueId v, const std::vector<IndexBox>& boxes) const {
  double out = 0;
  Type type = p_.types[v];
  for (const IndexBox& box : boxes) {
    type.shape = extents_of(box);
    out += static_cast<double>(type.nbytes());
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
