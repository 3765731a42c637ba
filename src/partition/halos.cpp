#include "partition/halos.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "partition/halo_reads.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// Permutations that are alike, and what they bring.
struct Exchange {
  ops::Permute permute;
  std::vector<int> eqns;
  WantedBoxes boxes = {};
  bool replaced = false;  // or they stay as they are
};

class Sharing {
 public:
  Sharing(const Program& program, const std::vector<Cause>& causes, std::size_t& at)
      : p_(program), reads_(program), out_(program), exchange_of_(program.eqns.size(), -1) {
    out_.eqns.clear();
    for (const Eqn& e : p_.eqns) {
      Own own;
      if (sends(e)) own.causes.push_back(causes[at++]);
      for (const ProgramPtr& sub : e.subs) {
        Sharing inner(*sub, causes, at);
        own.subs.push_back(inner.run(sub));
        own.causes.insert(own.causes.end(), inner.causes_.begin(), inner.causes_.end());
        changed_ = changed_ || own.subs.back() != sub;
      }
      own_.push_back(std::move(own));
    }
    find();
  }

  ProgramPtr run(const ProgramPtr& program) {
    for (std::size_t v = 0; v < p_.types.size(); ++v) is_.emplace_back(static_cast<ValueId>(v));
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      Eqn e = p_.eqns[i];
      if (exchange_of_[i] >= 0 && replaced(static_cast<int>(i))) continue;
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
  const std::vector<Cause>& causes() const { return causes_; }

 private:
  struct Own {
    std::vector<ProgramPtr> subs;
    std::vector<Cause> causes;  // of it, or of its bodies
  };

  // Permutations that the user did not write, and what is less to send than what they do.
  void find() {
    std::map<std::size_t, std::vector<int>> by_hash;
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
      if (e.op != &ops::ppermute || e.operands[0].is_literal() || own_[static_cast<std::size_t>(i)].causes[0].by_hand)
        continue;
      const auto& permute = e.params.get<ops::Permute>();
      const Type& type = p_.types[e.results[0]];
      if (!HaloReads::is_total(permute) || !type.varying.empty() || type.dtype.is_key() || type.num_elements() == 0)
        continue;
      std::vector<int>& alike = by_hash[e.params.hash()];
      const auto known = std::find_if(alike.begin(), alike.end(), [&](int x) {
        return exchanges_[static_cast<std::size_t>(x)].permute == permute;
      });
      const int number = known == alike.end() ? static_cast<int>(exchanges_.size()) : *known;
      if (known == alike.end()) {
        alike.push_back(number);
        exchanges_.push_back({permute, {}});
      }
      exchange_of_[static_cast<std::size_t>(i)] = number;
      exchanges_[static_cast<std::size_t>(number)].eqns.push_back(i);
    }
    for (Exchange& x : exchanges_) plan(x);
  }

  void plan(Exchange& x) const {
    std::vector<ValueId> wanted;
    double least = 0;
    for (int i : x.eqns) {
      const ValueId v = p_.eqns[static_cast<std::size_t>(i)].operands[0].id;
      least += reads_.bytes(v, {all_of_shape(p_.types[static_cast<std::size_t>(v)].shape)});
      if (std::find(wanted.begin(), wanted.end(), v) == wanted.end()) wanted.push_back(v);
    }
    for (const bool recompute : {false, true}) {
      WantedBoxes all = reads_.boxes(wanted, x.permute, recompute);
      double bytes = 0;
      for (const auto& [v, boxes] : all.sent) bytes += reads_.bytes(v, boxes);
      if (bytes >= least) continue;
      least = bytes;
      x.boxes = std::move(all);
      x.replaced = true;
    }
  }

  // Whether the elements that the permutation brings come another way.
  bool replaced(int i) {
    const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
    const int number = exchange_of_[static_cast<std::size_t>(i)];
    const Exchange& x = exchanges_[static_cast<std::size_t>(number)];
    if (!x.replaced) return false;
    loc_ = e.loc;
    const ValueId v = e.operands[0].id;
    const IndexBox all = all_of_shape(p_.types[static_cast<std::size_t>(v)].shape);
    send(number, v, all, own_[static_cast<std::size_t>(i)].causes[0]);
    const Atom there = received(number, v, all);
    changed_ = true;
    if (!(type(there) == p_.types[static_cast<std::size_t>(e.results[0])])) return false;
    is_[static_cast<std::size_t>(e.results[0])] = there;
    return true;
  }

  // ---- sending
  // What has not come yet of that which makes the box: one message.
  void send(int number, ValueId v, const IndexBox& box, const Cause& cause) {
    std::vector<ValueId> values;
    std::map<std::pair<ValueId, IndexBox>, bool> seen;
    gather(number, v, box, seen, values);
    std::vector<std::vector<std::pair<ValueId, IndexBox>>> messages;  // by dtype
    for (ValueId value : values)
      for (const IndexBox& part : exchanges_[static_cast<std::size_t>(number)].boxes.sent.at(value)) {
        const DType dtype = p_.types[static_cast<std::size_t>(value)].dtype;
        const auto same = std::find_if(messages.begin(), messages.end(), [&](const auto& m) {
          return p_.types[static_cast<std::size_t>(m[0].first)].dtype == dtype;
        });
        if (same == messages.end())
          messages.push_back({{value, part}});
        else
          same->emplace_back(value, part);
      }
    for (const auto& message : messages) send(number, message, cause);
  }

  void gather(int number, ValueId v, const IndexBox& box, std::map<std::pair<ValueId, IndexBox>, bool>& seen,
              std::vector<ValueId>& out) {
    if (!seen.emplace(std::pair(v, box), true).second) return;
    const Exchange& x = exchanges_[static_cast<std::size_t>(number)];
    if (x.boxes.sent.contains(v)) {
      if (!came_.contains({number, v}) && std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
      return;
    }
    const IndexBox larger = made_with(x, v, box);
    for (const BoxRead& read : reads_.source(v, larger, x.permute).reads)
      if (read.value >= 0) gather(number, read.value, read.box, seen, out);
  }

  void send(int number, const std::vector<std::pair<ValueId, IndexBox>>& parts, const Cause& cause) {
    std::vector<Atom> blocks;
    for (const auto& [v, box] : parts) blocks.push_back(cut(now(v), box));
    auto flat = [&](const Atom& x) { return reshaped(x, Shape{type(x).num_elements()}); };
    Atom one = blocks[0];
    if (blocks.size() > 1) {
      for (Atom& x : blocks) x = flat(x);
      one = make(ops::concatenate, ops::Concatenate{0}, blocks);
    }
    const ops::Permute& permute = exchanges_[static_cast<std::size_t>(number)].permute;
    Cause mine = cause;
    const Received received =
        static_cast<const Op&>(ops::ppermute)
            .collective->received(static_cast<double>(type(one).nbytes()), static_cast<double>(permute.group.size()));
    mine.bytes = received.bytes;
    mine.messages = received.messages;
    const Atom there = make(ops::ppermute, permute, {one}, {mine});
    std::int64_t at = 0;
    for (const auto& [v, box] : parts) {
      const std::int64_t n = volume(box);
      const Atom part = parts.size() == 1 ? there : reshaped(cut(there, {{at, at + n}}), extents_of(box));
      came_[{number, v}].emplace_back(box, part);
      at += n;
    }
  }

  // ---- what came
  Atom received(int number, ValueId v, const IndexBox& box) {
    auto [known, fresh] = made_.try_emplace({number, v, box});
    if (fresh) {
      const Atom made = assembled(number, v, box);
      made_[{number, v, box}] = made;
      return made;
    }
    return known->second;
  }

  Atom assembled(int number, ValueId v, const IndexBox& box) {
    const Exchange& x = exchanges_[static_cast<std::size_t>(number)];
    if (const auto came = came_.find({number, v}); came != came_.end()) {
      const auto part =
          std::find_if(came->second.begin(), came->second.end(), [&](const auto& c) { return covers(c.first, box); });
      if (part == came->second.end()) throw InternalError("halos: a box was not sent");
      return cut(part->second, relative(box, part->first));
    }
    if (const IndexBox larger = made_with(x, v, box); larger != box)
      return cut(received(number, v, larger), relative(box, larger));
    const BoxSource source = reads_.source(v, box, x.permute);
    const Eqn* e = producer(v);
    switch (source.kind) {
      case BoxSource::Kind::here: return cut(now(source.here), box);
      case BoxSource::Kind::position: return position(now(v), x.permute);
      case BoxSource::Kind::slice: return received(number, source.reads[0].value, source.reads[0].box);
      case BoxSource::Kind::pieces: return pieces(number, *e, box);
      case BoxSource::Kind::each: return each(number, *e, box, source);
      case BoxSource::Kind::sent: break;
    }
    throw InternalError("halos: a value was not sent");
  }

  // The box, or one that holds it and can be made where it cannot by itself, as a part of a dim that a reshape merges.
  IndexBox made_with(const Exchange& x, ValueId v, const IndexBox& box) const {
    if (reads_.source(v, box, x.permute).kind != BoxSource::Kind::sent) return box;
    for (const IndexBox& all : x.boxes.made.at(v))
      if (covers(all, box)) return all;
    throw InternalError("halos: a box was not planned");
  }

  // Of the device that sends: `turn` places before.
  Atom position(const Atom& here, const ops::Permute& permute) {
    const std::int64_t n = permute.group.size(), by = (permute.turn % n + n) % n;
    auto number = [](std::int64_t k) { return Atom(Scalar(k).to(int32), false); };
    return make(ops::rem, {}, {make(ops::add, {}, {here, number(n - by)}), number(n)});
  }

  Atom pieces(int number, const Eqn& e, const IndexBox& box) {
    std::vector<Type> types;
    for (const Atom& a : e.operands) types.push_back(p_.type(a));
    std::vector<std::pair<IndexBox, Atom>> parts;
    for (const Piece& piece : e.op->pieces(Call{*e.op, e.params, types, e.subs}, p_.types[e.results[0]])) {
      IndexBox there;
      for (std::size_t d = 0; d < piece.start.size(); ++d)
        there.emplace_back(piece.start[d], piece.start[d] + piece.extents[d]);
      const IndexBox part = intersection(there, box);
      if (volume(part) == 0) continue;
      IndexBox read = relative(part, there);
      for (std::size_t d = 0; d < read.size(); ++d) {
        read[d].first += piece.from[d];
        read[d].second += piece.from[d];
      }
      const Atom& a = e.operands[static_cast<std::size_t>(piece.operand)];
      const bool scalar = a.is_literal() || p_.type(a).ndim() == 0;
      Atom x = a.is_literal() ? a : received(number, a.id, scalar ? IndexBox{} : read);
      if (scalar && !part.empty()) x = make(ops::broadcast_in_dim, ops::BroadcastInDim{extents_of(part), {}}, {x});
      parts.emplace_back(part, x);
    }
    return joined(std::move(parts), box);
  }

  // Boxes that cover one, put together: along a dim where no box lies on both sides of a cut.
  Atom joined(std::vector<std::pair<IndexBox, Atom>> parts, const IndexBox& box) {
    if (parts.size() == 1) return parts[0].second;
    for (std::size_t d = 0; d < box.size(); ++d) {
      std::sort(parts.begin(), parts.end(),
                [&](const auto& a, const auto& b) { return a.first[d].first < b.first[d].first; });
      std::vector<Atom> blocks;
      std::size_t from = 0;
      std::int64_t start = box[d].first, end = start;
      std::vector<std::pair<std::size_t, std::int64_t>> ends;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        end = std::max(end, parts[k].first[d].second);
        if (k + 1 == parts.size() || parts[k + 1].first[d].first >= end) ends.emplace_back(k + 1, end);
      }
      if (ends.size() < 2) continue;
      for (const auto& [to, limit] : ends) {
        IndexBox inside = box;
        inside[d] = {start, limit};
        blocks.push_back(
            joined({parts.begin() + static_cast<std::ptrdiff_t>(from), parts.begin() + static_cast<std::ptrdiff_t>(to)},
                   inside));
        from = to;
        start = limit;
      }
      return make(ops::concatenate, ops::Concatenate{static_cast<int>(d)}, blocks);
    }
    throw InternalError("halos: boxes that cannot be put together");
  }

  Atom each(int number, const Eqn& e, const IndexBox& box, const BoxSource& source) {
    LocalTypes types;
    std::vector<Atom> operands;
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
      const Atom& a = e.operands[k];
      types.global.push_back(p_.type(a));
      operands.push_back(a.is_literal() ? a : received(number, a.id, source.reads[k].box));
      types.local.push_back(type(operands.back()));
    }
    types.results = {extents_of(box)};
    Atom out = make_of(*e.op, e.op->localize ? e.op->localize(e.params, types) : e.params, std::move(operands));
    if (!(type(out).shape == types.results[0])) throw InternalError("halos: " + e.op->name + " on another box");
    return out;
  }

  // ---- Eqns
  Atom now(const Atom& a) const { return a.is_literal() ? a : is_[static_cast<std::size_t>(a.id)]; }
  Type type(const Atom& a) const { return out_.type(a); }
  const Eqn* producer(ValueId v) {
    if (producers_.empty())
      for (const Eqn& e : p_.eqns)
        for (ValueId r : e.results) producers_[r] = &e;
    return producers_.at(v);
  }
  void add(Eqn e, std::vector<Cause> causes) {
    out_.eqns.push_back(std::move(e));
    out_causes_.push_back(std::move(causes));
  }
  Atom make_of(const Op& op, Params params, std::vector<Atom> operands, std::vector<Cause> causes = {}) {
    std::vector<Type> types;
    for (const Atom& a : operands) types.push_back(type(a));
    out_.types.push_back(infer_types(op, params, types, {})[0]);
    const auto v = static_cast<ValueId>(out_.types.size()) - 1;
    add({&op, std::move(params), std::move(operands), {v}, {}, loc_}, std::move(causes));
    return v;
  }
  Atom make(const Home& op, Params params, std::vector<Atom> operands, std::vector<Cause> causes = {}) {
    return make_of(op, std::move(params), std::move(operands), std::move(causes));
  }
  Atom cut(const Atom& x, const IndexBox& box) {
    if (box == all_of_shape(type(x).shape)) return x;
    ops::SliceParams s;
    for (const auto& [from, to] : box) {
      s.start.push_back(from);
      s.limit.push_back(to);
      s.strides.push_back(1);
    }
    return make(ops::slice, s, {x});
  }
  Atom reshaped(const Atom& x, const Shape& shape) {
    return type(x).shape == shape ? x : make(ops::reshape, ops::Reshape{shape}, {x});
  }

  // Operations whose results nobody reads any more, permutations among them.
  void drop_dead() {
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

  const Program& p_;
  HaloReads reads_;
  Program out_;
  std::vector<Own> own_;          // by Eqn
  std::vector<int> exchange_of_;  // by Eqn
  std::vector<Exchange> exchanges_;
  std::vector<Atom> is_;  // by value: what stands for it
  std::map<ValueId, const Eqn*> producers_;
  std::map<std::pair<int, ValueId>, std::vector<std::pair<IndexBox, Atom>>> came_;  // by exchange and value
  std::map<std::tuple<int, ValueId, IndexBox>, Atom> made_;
  std::vector<std::vector<Cause>> out_causes_;  // by Eqn of the result
  std::vector<Cause> causes_;
  Loc loc_;
  bool changed_ = false;
};

}  // namespace

LocalProgram with_shared_halos(LocalProgram local) {
  std::size_t at = 0;
  Sharing sharing(*local.program, local.causes, at);
  local.program = sharing.run(local.program);
  local.causes = sharing.causes();
  return local;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
