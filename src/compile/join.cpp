// Small loops and products that do not need each other are one stage: threads meet once for all of them, and each takes
// whole products, whose operands it reads alone.
#include <algorithm>
#include <set>
#include <utility>

#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kSmall = 1 << 17;                      // elements of a loop
constexpr std::int64_t kMostProduct = std::int64_t{1} << 28;  // multiplications: one thread may wait for half of them
constexpr std::int64_t kMostWritten = std::int64_t{1} << 20;  // bytes of temporaries that would not live at once else
constexpr std::int64_t kMuchRead = 16;  // times what is written: then that is little beside what lives anyway

class Joining {
 public:
  explicit Joining(const Plan& p) : p_(p) {}

  std::vector<Stage> run() {
    for (const Stage& s : p_.stages) {
      if (!is_small(s)) {
        end();
        out_.push_back(s);
        continue;
      }
      const auto [reads, writes] = touched(s);
      if (needs(reads, writes) || !has_room(reads, writes)) end();
      joined_.steps.insert(joined_.steps.end(), s.steps.begin(), s.steps.end());
      read_ += unread(reads);
      reads_.insert(reads.begin(), reads.end());
      writes_.insert(writes.begin(), writes.end());
      written_ += temporary(writes);
    }
    end();
    return std::move(out_);
  }

 private:
  void end() {
    if (!joined_.steps.empty()) out_.push_back(std::exchange(joined_, {}));
    reads_.clear();
    writes_.clear();
    written_ = read_ = 0;
  }

  bool is_small(const Stage& s) const {
    return s.rows == 0 && std::all_of(s.steps.begin(), s.steps.end(), [&](int i) {
             if (const auto* d = std::get_if<Dot>(&p_.steps[i].what))
               return product(d->batch) * d->m * d->n * d->k <= kMostProduct;
             const auto* l = std::get_if<Loop>(&p_.steps[i].what);
             return l && product(l->extents) <= kSmall;
           });
  }

  bool has_room(const std::set<int>& reads, const std::set<int>& writes) const {
    const std::int64_t written = written_ + temporary(writes);
    return written <= std::max(kMostWritten, (read_ + unread(reads)) / kMuchRead);
  }

  std::pair<std::set<int>, std::set<int>> touched(const Stage& s) const {
    std::pair<std::set<int>, std::set<int>> all;
    std::vector<int> reads, writes;
    for (int i : s.steps) {
      uses_of(p_.steps[i], reads, writes);
      all.first.insert(reads.begin(), reads.end());
      all.second.insert(writes.begin(), writes.end());
    }
    return all;
  }

  bool needs(const std::set<int>& reads, const std::set<int>& writes) const {
    return std::any_of(reads.begin(), reads.end(), [&](int m) { return writes_.contains(m); }) ||
           std::any_of(writes.begin(), writes.end(), [&](int m) { return writes_.contains(m) || reads_.contains(m); });
  }

  std::int64_t temporary(const std::set<int>& writes) const {
    std::int64_t bytes = 0;
    for (int m : writes)
      if (p_.storages[m].kind == Storage::Kind::temporary) bytes += p_.storages[m].bytes;
    return bytes;
  }

  // Bytes of temporaries that the stage which is being joined does not read yet.
  std::int64_t unread(std::set<int> reads) const {
    std::erase_if(reads, [&](int m) { return reads_.contains(m); });
    return temporary(reads);
  }

  const Plan& p_;
  std::vector<Stage> out_;
  Stage joined_;
  std::set<int> reads_, writes_;         // of the stage that is being joined: storages
  std::int64_t written_ = 0, read_ = 0;  // bytes of temporaries
};

}  // namespace

Plan join_small(Plan plan) {
  // In a program that sends messages each stage gives them a chance to go on.
  if (std::none_of(plan.steps.begin(), plan.steps.end(), is_sending)) plan.stages = Joining(plan).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
