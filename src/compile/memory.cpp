#include <algorithm>
#include <deque>
#include <map>

#include "base/effort.hpp"
#include "compile/passes.hpp"
#include "compile/place.hpp"
#include "compile/reach.hpp"
#include "ir/op.hpp"

namespace tutti::compile {
namespace {

// Whether the Eqn writes its only result over an operand when both are the same memory, and reads nothing else there.
bool in_place(const CallEqn& c, int from, int to) {
  const int o = c.eqn.op->overwrites;
  return o >= 0 && c.results[0] == to && std::count(c.operands.begin(), c.operands.end(), from) == 1 &&
         c.operands[o] == from;
}

// Whether the last value of a carry may lie where the first one does: nothing else of the loop reads that.
bool in_place(const Repeat& r, int from, int to) {
  auto passes = [&](const std::pair<int, int>& pair) { return pair.first == from; };
  if (std::count(r.operands.begin(), r.operands.end(), from) +
          std::count_if(r.passed.begin(), r.passed.end(), passes) !=
      1)
    return false;
  return std::any_of(r.carries.begin(), r.carries.end(),
                     [&](const Repeat::Carry& c) { return c.start == from && c.result == to; });
}

class Memory {
 public:
  Memory(Plan& p, const std::vector<bool>& donatable)
      : p_(p), donatable_(donatable), writer_(p.storages.size(), -1), slot_(p.storages.size()) {}

  void run() {
    lifetimes();
    take_inputs();
    share_slots();
    place_slots();
  }

  void run_within(const std::vector<int>& own) {
    lifetimes();
    p_.within = true;
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (own[k] < 0) continue;
      const int from = p_.inputs[own[k]], to = p_.outputs[k];
      if (p_.storages[to].kind == Storage::Kind::output && may_take(from, to)) p_.storages[to].takes = from;
    }
    share_slots();
    place_slots();
  }

 private:
  void lifetimes() {
    for (Storage& s : p_.storages) {
      s.first = static_cast<int>(p_.stages.size());
      s.last = -1;
    }
    std::vector<int> reads, writes;
    for (int k = 0; k < static_cast<int>(p_.stages.size()); ++k)
      for (int i : p_.stages[k].steps) {
        uses_of(p_.steps[i], reads, writes);
        for (int s : writes) {
          p_.storages[s].first = std::min(p_.storages[s].first, k);
          p_.storages[s].last = std::max(p_.storages[s].last, k);
          writer_[s] = i;
        }
        for (int s : reads) p_.storages[s].last = std::max(p_.storages[s].last, k);
      }
    keep_what_travels();
  }

  // What a collective reads and writes is its own until it is over.
  void keep_what_travels() {
    std::vector<int> over(p_.steps.size(), static_cast<int>(p_.stages.size()));  // before which stage
    for (int k = 0; k < static_cast<int>(p_.stages.size()); ++k)
      for (int i : p_.stages[k].awaits) over[i] = k;
    std::vector<int> reads, writes;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      if (!is_sending(p_.steps[i])) continue;
      uses_of(p_.steps[i], reads, writes);
      reads.insert(reads.end(), writes.begin(), writes.end());
      for (int s : reads) p_.storages[s].last = std::max(p_.storages[s].last, over[i] - 1);
    }
  }

  // Whether `to` may begin in the memory of `from`: dead before, or read by the one step that writes `to`, at the same
  // places.
  bool may_take(int from, int to) const {
    ++effort;
    const Storage &x = p_.storages[from], &y = p_.storages[to];
    if (aligned(x.bytes) != aligned(y.bytes) || writer_[to] < 0) return false;
    if (x.last < y.first) return true;
    if (x.last > y.first) return false;
    const int i = writer_[to];
    const auto* l = std::get_if<Loop>(&p_.steps[i].what);
    const auto* c = std::get_if<CallEqn>(&p_.steps[i].what);
    const auto* r = std::get_if<Repeat>(&p_.steps[i].what);
    if (!(l && in_place(*l, from, to)) && !(c && in_place(*c, from, to)) && !(r && in_place(*r, from, to)))
      return false;
    std::vector<int> reads, writes;
    for (int k : p_.stages[y.first].steps) {  // no other step of the stage reads it
      if (k == i) continue;
      uses_of(p_.steps[k], reads, writes);
      if (std::find(reads.begin(), reads.end(), from) != reads.end()) return false;
    }
    return true;
  }

  // Each output takes, of the donated inputs of its size, the one that was read last.
  void take_inputs() {
    std::vector<char> kept(p_.storages.size(), 0);
    for (int s : p_.outputs) kept[s] = 1;                         // an input that is an output itself
    std::map<std::int64_t, std::map<int, std::deque<int>>> free;  // by bytes, then by the stage of the last reading
    for (std::size_t k = 0; k < p_.inputs.size() && k < donatable_.size(); ++k) {
      const int s = p_.inputs[k];
      if (donatable_[k] && !kept[s] && p_.storages[s].bytes > 0)
        free[p_.storages[s].bytes][p_.storages[s].last].push_back(s);
    }
    for (int to = 0; to < static_cast<int>(p_.storages.size()); ++to) {
      Storage& y = p_.storages[to];
      if (y.kind != Storage::Kind::output || writer_[to] < 0) continue;
      auto of_size = free.find(y.bytes);
      if (of_size == free.end()) continue;
      auto& by_stage = of_size->second;
      for (auto stage = by_stage.upper_bound(y.first); y.takes < 0 && stage != by_stage.begin();) {
        std::deque<int>& inputs = (--stage)->second;
        auto found = std::find_if(inputs.begin(), inputs.end(), [&](int from) { return may_take(from, to); });
        if (found == inputs.end()) continue;
        y.takes = *found;
        inputs.erase(found);
        if (inputs.empty()) by_stage.erase(stage);
        break;
      }
    }
    for (const Storage& s : p_.storages)
      if (s.kind == Storage::Kind::output && s.takes < 0) p_.fresh_output_bytes += s.bytes;
  }

  // A temporary that dies where another begins in its place shares its slot. One over which a call writes an output
  // lies in that output's memory.
  void share_slots() {
    const int n = static_cast<int>(p_.storages.size());
    for (int s = 0; s < n; ++s) {
      slot_[s] = s;
      end_.push_back(p_.storages[s].last);
    }
    passed_on_.assign(p_.storages.size(), 0);
    for (const Step& step : p_.steps) {
      if (const auto* c = std::get_if<CallEqn>(&step.what)) {
        if (!c->operands.empty() && c->results.size() == 1) share(c->operands[0], c->results[0], true);
        continue;
      }
      if (const auto* r = std::get_if<Repeat>(&step.what))
        for (const Repeat::Carry& c : r->carries) share(c.start, c.result, true);
      const auto* l = std::get_if<Loop>(&step.what);
      if (!l) continue;
      for (const Access& w : l->accesses) {
        if (w.kind != Access::Kind::store) continue;
        for (const Access& r : l->accesses)
          if (r.kind == Access::Kind::load && share(r.storage, w.storage, false)) break;
      }
    }
  }

  bool share(int from, int to, bool is_call) {
    const Storage &x = p_.storages[from], &y = p_.storages[to];
    if (x.kind != Storage::Kind::temporary || passed_on_[from] || x.last != y.first) return false;
    if (y.kind == Storage::Kind::temporary && slot_[to] == to) {
      if (!may_take(from, to)) return false;
      slot_[to] = slot_[from];
      end_[slot_[from]] = std::max(end_[slot_[from]], y.last);
    } else if (y.kind == Storage::Kind::output && is_call) {
      Storage& whole = p_.storages[slot_[from]];
      if (!may_take(from, to) || (y.takes >= 0 && !may_take(y.takes, slot_[from]))) return false;
      whole.takes = to;
    } else {
      return false;
    }
    passed_on_[from] = 1;
    return true;
  }

  void place_slots() {
    std::vector<Block> blocks;
    std::vector<int> owners;
    for (int s = 0; s < static_cast<int>(p_.storages.size()); ++s) {
      const Storage& x = p_.storages[s];
      if (x.kind != Storage::Kind::temporary || slot_[s] != s || x.last < 0 || x.takes >= 0) continue;
      blocks.push_back({x.bytes, x.first, end_[s], 0});
      owners.push_back(s);
    }
    p_.slab_bytes = place(blocks);
    for (std::size_t k = 0; k < blocks.size(); ++k) p_.storages[owners[k]].offset = blocks[k].offset;
    for (std::size_t s = 0; s < p_.storages.size(); ++s) {
      if (p_.storages[s].kind != Storage::Kind::temporary) continue;
      p_.storages[s].offset = p_.storages[slot_[s]].offset;
      p_.storages[s].takes = p_.storages[slot_[s]].takes;
    }
  }

  Plan& p_;
  const std::vector<bool>& donatable_;
  std::vector<int> writer_;      // by storage: a step, or -1
  std::vector<int> slot_, end_;  // by storage: whose memory it shares; of those: the last use
  std::vector<char> passed_on_;  // by storage
};

}  // namespace

void drop_steps(Plan& plan, const std::vector<char>& gone) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) plan.steps[kept] = std::move(plan.steps[i]);
    ++kept;
  }
  plan.steps.resize(kept);
}

void uses_of(const Step& s, std::vector<int>& reads, std::vector<int>& writes) {
  reads.clear();
  writes.clear();
  if (const auto* l = std::get_if<Loop>(&s.what)) {
    for (const Access& a : l->accesses) {
      if (a.storage < 0) continue;
      (a.kind == Access::Kind::load ? reads : writes).push_back(a.storage);
    }
  } else if (const auto* d = std::get_if<Dot>(&s.what)) {
    reads = {d->a, d->b};
    if (d->mask) reads.push_back(d->mask->storage);
    writes = {d->c};
  } else if (const auto* c = std::get_if<CallEqn>(&s.what)) {
    reads = c->operands;
    writes = c->results;
  } else if (const auto* r = std::get_if<Repeat>(&s.what)) {
    reads = r->operands;
    writes = r->results;
    for (const auto& [from, to] : r->passed) {
      reads.push_back(from);
      writes.push_back(to);
    }
    if (r->scratch >= 0) writes.push_back(r->scratch);
  } else if (const auto* b = std::get_if<Branch>(&s.what)) {
    reads = b->operands;
    reads.push_back(b->index);
    writes = b->results;
    if (b->scratch >= 0) writes.push_back(b->scratch);
  }
}

Plan assign_memory(Plan plan, const std::vector<bool>& donatable) {
  Memory(plan, donatable).run();
  return plan;
}

Plan assign_memory_within(Plan plan, const std::vector<int>& own) {
  Memory(plan, {}).run_within(own);
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
