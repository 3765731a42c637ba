// Small loops, products and calls that do not need each other are one stage: threads meet once for all of them, and
// each takes whole products and calls, whose operands it reads alone. A step joins the first stage behind all that it
// needs that has room, of the last few.
#include <algorithm>
#include <set>
#include <utility>

#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kSmall = 1 << 17;                      // elements of a loop
constexpr std::int64_t kSmallCall = 1 << 14;                  // of a call: larger ones hand out tasks of their own
constexpr std::int64_t kMostProduct = std::int64_t{1} << 28;  // multiplications: one thread may wait for half of them
constexpr std::int64_t kMostWritten = std::int64_t{1} << 20;  // bytes of temporaries that would not live at once else
constexpr std::int64_t kMuchRead = 16;     // times what is written: then that is little beside what lives anyway
constexpr std::int64_t kLittle = 1 << 17;  // bytes that a second-level cache has room for
constexpr int kReach = 8;                  // stages back

struct TouchedBy {
  std::set<int> reads, writes;  // storages
};

class Joining {
 public:
  Joining(const Plan& p, const std::vector<int>& own)
      : p_(p),
        read_in_(p.storages.size(), -1),
        written_in_(p.storages.size(), -1),
        before_(p.storages.size(), -1),
        after_(p.storages.size(), -1) {
    for (std::size_t k = 0; k < own.size(); ++k)
      if (own[k] >= 0) {
        before_[p.outputs[k]] = p.inputs[own[k]];
        after_[p.inputs[own[k]]] = p.outputs[k];
      }
  }

  std::vector<Stage> run() {
    const std::vector<std::int64_t> live = live_by_stage();
    if (!live.empty()) peak_ = *std::max_element(live.begin(), live.end());
    for (std::size_t i = 0; i < p_.stages.size(); ++i) {
      const Stage& s = p_.stages[i];
      const TouchedBy t = touched(s);
      const int k = is_small(s) ? stage_for(t) : static_cast<int>(out_.size());
      if (k == static_cast<int>(out_.size())) {
        out_.push_back(s);
        joined_.push_back({.open = is_small(s), .live = live[i]});
      } else {
        for (auto later = static_cast<std::size_t>(k); later < out_.size(); ++later)
          joined_[later].live += temporary(t.writes);
        out_[k].steps.insert(out_[k].steps.end(), s.steps.begin(), s.steps.end());
      }
      Joined& to = joined_[k];
      to.read += unread(to, t.reads);
      to.written += temporary(t.writes);
      to.reads.insert(t.reads.begin(), t.reads.end());
      to.writes.insert(t.writes.begin(), t.writes.end());
      for (int m : t.reads) read_in_[m] = std::max(read_in_[m], k);
      for (int m : t.writes) written_in_[m] = k;
    }
    return std::move(out_);
  }

 private:
  struct Joined {
    bool open = false;  // of small steps, to which others may be added
    std::set<int> reads, writes;
    std::int64_t written = 0, read = 0, live = 0;  // bytes of temporaries
  };

  // Bytes of temporaries that are alive while a stage of the plan as it came runs.
  std::vector<std::int64_t> live_by_stage() const {
    const std::size_t count = p_.stages.size();
    std::vector<std::size_t> first(p_.storages.size(), count), last(p_.storages.size(), 0);
    for (std::size_t i = 0; i < count; ++i) {
      const TouchedBy t = touched(p_.stages[i]);
      for (int m : t.writes) first[m] = std::min(first[m], i);
      for (const std::set<int>* all : {&t.reads, &t.writes})
        for (int m : *all) last[m] = i;
    }
    std::vector<std::int64_t> change(count + 1, 0);
    for (std::size_t m = 0; m < first.size(); ++m) {
      if (first[m] == count || p_.storages[m].kind != Storage::Kind::temporary) continue;
      change[first[m]] += p_.storages[m].bytes;
      change[last[m] + 1] -= p_.storages[m].bytes;
    }
    for (std::size_t i = 1; i < count; ++i) change[i] += change[i - 1];
    change.resize(count);
    return change;
  }

  // What is computed earlier lives longer: not where the plan would take more memory by it, as for what is recomputed
  // behind the forward pass.
  bool lives_longer_for_nothing(int from, const TouchedBy& t) const {
    const std::int64_t bytes = temporary(t.writes);
    return from + 1 == static_cast<int>(out_.size()) ||
           std::all_of(joined_.begin() + from, joined_.end(),
                       [&](const Joined& j) { return j.live + bytes <= std::max(peak_, kLittle); });
  }

  int stage_for(const TouchedBy& t) const {
    const int end = static_cast<int>(out_.size());
    int first = std::max(0, end - kReach);
    for (int m : t.reads) first = std::max(first, written_in_[m] + 1);
    for (int m : t.writes) first = std::max({first, written_in_[m] + 1, read_in_[m] + 1});
    while (first < end && !(joined_[first].open && has_room(joined_[first], t) && leaves_in_place(joined_[first], t) &&
                            lives_longer_for_nothing(first, t)))
      ++first;
    return first;
  }

  // A carry is written over the one of the step before only where no other step of the stage reads that.
  bool leaves_in_place(const Joined& to, const TouchedBy& t) const {
    return std::none_of(t.writes.begin(), t.writes.end(), [&](int m) { return to.reads.contains(before_[m]); }) &&
           std::none_of(t.reads.begin(), t.reads.end(), [&](int m) { return to.writes.contains(after_[m]); });
  }

  bool is_small(const Stage& s) const {
    return s.rows == 0 && std::all_of(s.steps.begin(), s.steps.end(), [&](int i) {
             if (const auto* d = std::get_if<Dot>(&p_.steps[i].what))
               return product(d->batch) * d->m * d->n * d->k <= kMostProduct;
             if (const auto* c = std::get_if<CallEqn>(&p_.steps[i].what)) return is_small(*c);
             const auto* l = std::get_if<Loop>(&p_.steps[i].what);
             return l && product(l->extents) <= kSmall;
           });
  }

  // What calls the user does so on the thread of the caller.
  static bool is_small(const CallEqn& c) {
    auto few = [](const Type& t) { return t.shape.num_elements() <= kSmallCall; };
    return !c.eqn.op->effect && !c.eqn.op->host && !c.eqn.op->collective && c.eqn.subs.empty() &&
           std::all_of(c.operand_types.begin(), c.operand_types.end(), few) &&
           std::all_of(c.result_types.begin(), c.result_types.end(), few);
  }

  bool has_room(const Joined& to, const TouchedBy& t) const {
    return to.written + temporary(t.writes) <= std::max(kMostWritten, (to.read + unread(to, t.reads)) / kMuchRead);
  }

  TouchedBy touched(const Stage& s) const {
    TouchedBy all;
    std::vector<int> reads, writes;
    for (int i : s.steps) {
      uses_of(p_.steps[i], reads, writes);
      all.reads.insert(reads.begin(), reads.end());
      all.writes.insert(writes.begin(), writes.end());
    }
    return all;
  }

  std::int64_t temporary(const std::set<int>& storages) const {
    std::int64_t bytes = 0;
    for (int m : storages)
      if (p_.storages[m].kind == Storage::Kind::temporary) bytes += p_.storages[m].bytes;
    return bytes;
  }

  // Bytes of temporaries that a joined stage does not read yet.
  std::int64_t unread(const Joined& to, std::set<int> reads) const {
    std::erase_if(reads, [&](int m) { return to.reads.contains(m); });
    return temporary(reads);
  }

  const Plan& p_;
  std::vector<Stage> out_;
  std::vector<Joined> joined_;             // by stage
  std::int64_t peak_ = 0;                  // bytes of temporaries that the plan as it came takes at a time
  std::vector<int> read_in_, written_in_;  // by storage: the last stage, or -1
  std::vector<int> before_, after_;        // by storage: the same carry of the step before, and of this one; or -1
};

}  // namespace

Plan join_small(Plan plan, const std::vector<int>& own) {
  // In a program that sends messages each stage gives them a chance to go on.
  if (std::none_of(plan.steps.begin(), plan.steps.end(), is_sending)) plan.stages = Joining(plan, own).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
