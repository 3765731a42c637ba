#include "compile/row_group.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compile/passes.hpp"
#include "compile/reach.hpp"

namespace tutti::compile {
namespace {

constexpr int kMostTries = 8;
constexpr std::int64_t kMuchLarger = 2;   // times the bytes that a step reads
constexpr std::int64_t kFewestSums = 16;  // rows and columns of a product that adds up chunk by chunk

class Gathering {
 public:
  Gathering(const Plan& p, const Touches& touches, const std::vector<int>& steps, std::int64_t rows, bool adding)
      : p_(p),
        t_(touches),
        steps_(steps),
        rows_(rows),
        accesses_(p.steps.size()),
        sums_(p.steps.size()),
        barred_(p.steps.size(), 0) {
    for (int i : steps) accesses_[i] = row_accesses(p.steps[i], rows);
    if (adding)
      for (int i : steps)
        if (const auto* d = std::get_if<Dot>(&p.steps[i].what); d && pays_as_sum(*d)) {
          Dot sum = *d;
          sum.adds = true;
          sums_[i] = row_accesses({sum, {}}, rows);
        }
  }

  RowGroup run() {
    for (int tries = 1;; ++tries) {
      gather();
      if (tries == kMostTries || !bar_first()) break;
    }
    put_off();
    drop_single();
    count_handed();
    return std::move(g_);
  }

 private:
  enum class State : char { outside, made, late };  // of a storage: made by members; only there after the stage

  // Whether somebody outside may notice when the step runs: such steps keep their order.
  static bool is_told(const Step& s) {
    const auto* c = std::get_if<CallEqn>(&s.what);
    return c ? c->eqn.op->effect || c->eqn.op->host || c->eqn.op->collective
             : !std::holds_alternative<Dot>(s.what) && !std::holds_alternative<Loop>(s.what);
  }

  bool any_in(const std::vector<int>& storages, State s) const {
    return std::any_of(storages.begin(), storages.end(), [&](int m) { return state_[m] == s; });
  }

  void gather() {
    g_ = {.rows = rows_};
    state_.assign(p_.storages.size(), State::outside);
    bool told_late = false;
    for (int i : steps_) {
      const bool late =
          any_in(t_.reads(i), State::late) || any_in(t_.writes(i), State::late) || (told_late && is_told(p_.steps[i]));
      if (!late && !barred_[i] && fits(accesses_[i])) {
        g_.members.push_back(i);
        for (int m : t_.writes(i)) state_[m] = State::made;
      } else if (!late && any_in(t_.reads(i), State::made) && fits(sums_[i])) {
        g_.members.push_back(i);
        g_.added.push_back(i);
        for (int m : t_.writes(i)) state_[m] = State::late;
      } else if (late || any_in(t_.reads(i), State::made) || any_in(t_.writes(i), State::made)) {
        g_.after.push_back(i);
        for (int m : t_.writes(i)) state_[m] = State::late;
        told_late |= is_told(p_.steps[i]);
      } else {
        g_.before.push_back(i);
      }
    }
  }

  // Whether less is read and written where each chunk adds to a matrix than where its lines of both operands wait.
  bool pays_as_sum(const Dot& d) const {
    const bool whole = d.batch.empty() && d.c_m == d.n && d.m * d.n * d.result.size() == p_.storages[d.c].bytes;
    return whole && d.dtype == float32 && d.result == float32 && std::min(d.m, d.n) >= kFewestSums &&
           2 * d.m * d.n < std::max(kChunkLines, d.k / rows_) * (d.m + d.n);
  }

  // Whether the step reads, of what members make, its own rows only, and writes its own rows.
  bool fits(const std::vector<RowAccess>& all) const {
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const RowAccess& a) {
      if (!a.writes && state_[a.storage] != State::made) return true;
      const std::int64_t bytes = p_.storages[a.storage].bytes, row = bytes / rows_;
      return a.reach && a.reach->row == row && row * rows_ == bytes && a.reach->begin >= 0 && a.reach->end <= row;
    });
  }

  // What begins a chain but is read whole by the first step that comes after (a mask, indices) is no member: else all
  // that needs it came after. Whether there is such a thing.
  bool bar_first() {
    if (g_.after.empty()) return false;
    const std::vector<int>& needed = t_.reads(g_.after.front());
    bool any = false;
    for (int i : g_.members) {
      if (i > g_.after.front()) break;
      const bool is_needed = std::any_of(t_.writes(i).begin(), t_.writes(i).end(), [&](int m) {
        return std::find(needed.begin(), needed.end(), m) != needed.end();
      });
      if (!is_needed || any_in(t_.reads(i), State::made)) continue;
      barred_[i] = 1;
      any = true;
    }
    return any;
  }

  // What is much larger than what it is made of and read by none before the end of the stage is made behind it, by
  // those who need it.
  void put_off() {
    std::vector<char> kept(p_.storages.size(), 0);  // read or written until the end of the stage
    auto each = [&](auto f) {
      for (const std::vector<int>* list : {&g_.members, &g_.before})
        for (int i : *list) f(i);
    };
    auto waits = [&](int i) {
      std::int64_t reads = 0, writes = 0;
      for (int m : t_.reads(i)) reads += p_.storages[m].bytes;
      for (int m : t_.writes(i)) {
        if (kept[m] || p_.storages[m].kind != Storage::Kind::temporary) return false;
        writes += p_.storages[m].bytes;
      }
      return reads > 0 && writes >= kMuchLarger * reads && !is_told(p_.steps[i]);
    };
    each([&](int i) {
      for (int m : t_.reads(i)) kept[m] = 1;
    });
    for (bool more = true; std::exchange(more, false);)
      each([&](int i) {
        if (!waits(i))
          for (int m : t_.writes(i)) more |= !std::exchange(kept[m], 1);
      });
    for (std::vector<int>* list : {&g_.members, &g_.before}) {
      std::copy_if(list->begin(), list->end(), std::back_inserter(g_.after), waits);
      std::erase_if(*list, waits);
    }
    std::sort(g_.after.begin(), g_.after.end());
  }

  // Members that neither read what another makes nor are read by one go before the stage; nothing in it needs them.
  void drop_single() {
    std::vector<char> read(p_.storages.size(), 0);
    for (int i : g_.members)
      for (int m : t_.reads(i)) read[m] = 1;
    auto alone = [&](int i) {
      return !any_in(t_.reads(i), State::made) &&
             std::none_of(t_.writes(i).begin(), t_.writes(i).end(), [&](int m) { return read[m]; });
    };
    std::copy_if(g_.members.begin(), g_.members.end(), std::back_inserter(g_.before), alone);
    std::erase_if(g_.members, alone);
    std::sort(g_.before.begin(), g_.before.end());
  }

  void count_handed() {
    std::vector<char> made(p_.storages.size(), 0);
    for (int i : g_.members) {
      const bool adds = std::binary_search(g_.added.begin(), g_.added.end(), i);
      for (const RowAccess& a : adds ? sums_[i] : accesses_[i])
        if (!a.writes && made[a.storage]) g_.handed += a.row_bytes * rows_;
      for (int m : t_.writes(i)) made[m] = 1;
    }
  }

  const Plan& p_;
  const Touches& t_;
  const std::vector<int>& steps_;
  std::int64_t rows_;
  std::vector<std::vector<RowAccess>> accesses_;  // by step
  std::vector<std::vector<RowAccess>> sums_;      // by step: as a product that adds up over rows
  std::vector<char> barred_;                      // by step: no member
  std::vector<State> state_;                      // by storage
  RowGroup g_;
};

}  // namespace

Touches::Touches(const Plan& plan) : of_(plan.steps.size()) {
  for (std::size_t i = 0; i < of_.size(); ++i) uses_of(plan.steps[i], of_[i].first, of_[i].second);
}

RowGroup row_group(const Plan& plan, const Touches& touches, const std::vector<int>& steps, std::int64_t rows,
                   bool adding) {
  return Gathering(plan, touches, steps, rows, adding).run();
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
