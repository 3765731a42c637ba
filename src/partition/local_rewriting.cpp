#include "partition/local_rewriting.hpp"

#include <algorithm>
#include <iterator>

#include "ops/collective/collective.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

LocalRewriting::LocalRewriting(const Program& program, const std::vector<Cause>& causes, std::size_t& at,
                               const Body& body)
    : p_(program), out_(program), producer_(program.types.size(), -1) {
  out_.eqns.clear();
  for (std::size_t v = 0; v < p_.types.size(); ++v) is_.emplace_back(static_cast<ValueId>(v));
  for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
    const Eqn& e = p_.eqns[i];
    for (ValueId r : e.results) producer_[static_cast<std::size_t>(r)] = static_cast<int>(i);
    Own own;
    if (sends(e)) own.causes.push_back(causes[at++]);
    for (const ProgramPtr& sub : e.subs) {
      own.subs.push_back(body(sub, at, own.causes));
      changed_ = changed_ || own.subs.back() != sub;
    }
    own_.push_back(std::move(own));
  }
}

ProgramPtr LocalRewriting::write(const ProgramPtr& program, const std::function<bool(int eqn)>& replaced) {
  for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
    loc_ = p_.eqns[i].loc;
    if (replaced(static_cast<int>(i))) continue;
    Eqn e = p_.eqns[i];
    for (Atom& a : e.operands) a = now(a);
    e.subs = own_[i].subs;
    add(std::move(e), own_[i].causes);
  }
  for (Atom& a : out_.outputs) a = now(a);
  if (changed_) drop_dead();
  for (std::vector<Cause>& of_eqn : out_causes_)
    causes_.insert(causes_.end(), std::make_move_iterator(of_eqn.begin()), std::make_move_iterator(of_eqn.end()));
  return changed_ ? std::make_shared<Program>(std::move(out_)) : program;
}

const Eqn* LocalRewriting::producer(ValueId v) const {
  const int i = producer_[static_cast<std::size_t>(v)];
  return i < 0 ? nullptr : &p_.eqns[static_cast<std::size_t>(i)];
}

void LocalRewriting::add(Eqn e, std::vector<Cause> causes) {
  out_.eqns.push_back(std::move(e));
  out_causes_.push_back(std::move(causes));
}

Atom LocalRewriting::make_of(const Op& op, Params params, std::vector<Atom> operands, std::vector<Cause> causes) {
  std::vector<Type> types;
  for (const Atom& a : operands) types.push_back(type(a));
  out_.types.push_back(infer_types(op, params, types, {})[0]);
  const auto v = static_cast<ValueId>(out_.types.size()) - 1;
  add({&op, std::move(params), std::move(operands), {v}, {}, loc_}, std::move(causes));
  return v;
}

Atom LocalRewriting::cut(const Atom& x, const IndexBox& box) {
  if (box == all_of_shape(type(x).shape)) return x;
  ops::SliceParams s;
  for (const auto& [from, to] : box) {
    s.start.push_back(from);
    s.limit.push_back(to);
    s.strides.push_back(1);
  }
  return make(ops::slice, s, {x});
}

Atom LocalRewriting::reshaped(const Atom& x, const Shape& shape) {
  return type(x).shape == shape ? x : make(ops::reshape, ops::Reshape{shape}, {x});
}
Atom LocalRewriting::filled(const Atom& scalar, const Shape& shape) {
  return shape.empty() ? scalar : make(ops::broadcast_in_dim, ops::BroadcastInDim{shape, {}}, {scalar});
}

Atom LocalRewriting::joined(std::vector<std::pair<IndexBox, Atom>> parts, const IndexBox& box) {
  if (parts.size() == 1) return parts[0].second;
  for (std::size_t d = 0; d < box.size(); ++d) {
    std::sort(parts.begin(), parts.end(),
              [&](const auto& a, const auto& b) { return a.first[d].first < b.first[d].first; });
    std::vector<std::pair<std::size_t, std::int64_t>> ends;  // parts, and where they end
    std::int64_t end = box[d].first;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      end = std::max(end, parts[k].first[d].second);
      if (k + 1 == parts.size() || parts[k + 1].first[d].first >= end) ends.emplace_back(k + 1, end);
    }
    if (ends.size() < 2) continue;
    std::vector<Atom> blocks;
    auto from = parts.begin();
    std::int64_t start = box[d].first;
    for (const auto& [to, limit] : ends) {
      const auto behind = parts.begin() + static_cast<std::ptrdiff_t>(to);
      IndexBox inside = box;
      inside[d] = {start, limit};
      blocks.push_back(joined({from, behind}, inside));
      from = behind;
      start = limit;
    }
    return make(ops::concatenate, ops::Concatenate{static_cast<int>(d)}, blocks);
  }
  throw InternalError("partition: boxes that cannot be put together");
}

// Operations whose results nobody reads any more, permutations that the partitioner made among them.
void LocalRewriting::drop_dead() {
  std::vector<char> live(out_.types.size(), 0);
  auto mark = [&](const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms)
      if (!a.is_literal()) live[static_cast<std::size_t>(a.id)] = 1;
  };
  mark(out_.outputs);
  std::vector<Eqn> eqns;
  std::vector<std::vector<Cause>> causes;
  for (std::size_t i = out_.eqns.size(); i-- > 0;) {
    Eqn& e = out_.eqns[i];
    const bool kept = e.op->effect || e.op->host || !e.subs.empty() || e.results.empty() ||
                      (sends(e) && (e.op != &ops::ppermute || out_causes_[i][0].by_hand)) ||
                      std::any_of(e.results.begin(), e.results.end(),
                                  [&](ValueId r) { return live[static_cast<std::size_t>(r)] != 0; });
    if (!kept) continue;
    mark(e.operands);
    eqns.push_back(std::move(e));
    causes.push_back(std::move(out_causes_[i]));
  }
  std::reverse(eqns.begin(), eqns.end());
  std::reverse(causes.begin(), causes.end());
  out_.eqns = std::move(eqns);
  out_causes_ = std::move(causes);
}

std::vector<BoxPiece> pieces_within(const Program& program, const Eqn& e, const IndexBox& box) {
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(program.type(a));
  std::vector<BoxPiece> out;
  for (const Piece& piece : e.op->pieces(Call{*e.op, e.params, types, e.subs}, program.types[e.results[0]])) {
    IndexBox at;
    for (std::size_t d = 0; d < piece.start.size(); ++d)
      at.emplace_back(piece.start[d], piece.start[d] + piece.extents[d]);
    const IndexBox part = intersection(at, box);
    if (volume(part) == 0) continue;
    IndexBox from;
    if (types[static_cast<std::size_t>(piece.operand)].ndim() > 0) {
      from = relative(part, at);
      for (std::size_t d = 0; d < from.size(); ++d)
        from[d] = {from[d].first + piece.from[d], from[d].second + piece.from[d]};
    }
    out.push_back({part, piece.operand, std::move(from)});
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
