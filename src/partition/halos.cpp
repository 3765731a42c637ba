#include "partition/halos.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/movement/concatenate.hpp"
#include "partition/halo_reads.hpp"
#include "partition/local_rewriting.hpp"
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

class Sharing : public LocalRewriting {
 public:
  Sharing(const Program& program, const std::vector<Cause>& causes, std::size_t& at)
      : LocalRewriting(program, causes, at, written_by<Sharing>(causes)),
        reads_(program),
        exchange_of_(program.eqns.size(), -1) {
    find();
  }

  ProgramPtr run(const ProgramPtr& program) {
    return write(program, [this](int i) { return exchange_of_[static_cast<std::size_t>(i)] >= 0 && replaced(i); });
  }

 private:
  // Permutations that the user did not write, and what is less to send than what they do.
  void find() {
    std::map<std::size_t, std::vector<int>> by_hash;
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
      if (e.op != &ops::ppermute || e.operands[0].is_literal() || cause(i).by_hand) continue;
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
    std::set<ValueId> known;
    double least = 0;
    for (int i : x.eqns) {
      const ValueId v = p_.eqns[static_cast<std::size_t>(i)].operands[0].id;
      least += reads_.bytes(v, {all_of_shape(p_.types[static_cast<std::size_t>(v)].shape)});
      if (known.insert(v).second) wanted.push_back(v);
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
    const ValueId v = e.operands[0].id;
    const IndexBox all = all_of_shape(p_.types[static_cast<std::size_t>(v)].shape);
    send(number, v, all, cause(i));
    const Atom there = received(number, v, all);
    changed_ = true;
    if (!(type(there) == p_.types[static_cast<std::size_t>(e.results[0])])) return false;
    is(e.results[0], there);
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
    std::vector<std::pair<IndexBox, Atom>> parts;
    for (const BoxPiece& piece : pieces_within(p_, e, box)) {
      const Atom& a = e.operands[static_cast<std::size_t>(piece.operand)];
      const Atom x = a.is_literal() ? a : received(number, a.id, piece.from);
      parts.emplace_back(piece.at, piece.from.empty() ? filled(x, extents_of(piece.at)) : x);
    }
    return joined(std::move(parts), box);
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

  HaloReads reads_;
  std::vector<int> exchange_of_;  // by Eqn
  std::vector<Exchange> exchanges_;
  std::map<std::pair<int, ValueId>, std::vector<std::pair<IndexBox, Atom>>> came_;  // by exchange and value
  std::map<std::tuple<int, ValueId, IndexBox>, Atom> made_;
};

}  // namespace

LocalProgram with_shared_halos(LocalProgram local) { return rewritten<Sharing>(std::move(local)); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
