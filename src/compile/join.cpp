// Small loops and products that do not need each other are one stage: threads meet once for all of them, and each takes
// whole products, whose operands it reads alone.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kSmall = 1 << 17;                      // elements of a loop
constexpr std::int64_t kMostProduct = std::int64_t{1} << 28;  // multiplications: one thread may wait for half of them
constexpr std::int64_t kMostWritten = std::int64_t{1} << 20;  // bytes of temporaries that would not live at once else
constexpr std::int64_t kMuchRead = 16;  // times what is written: then that is little beside what lives anyway

// A stage that is being joined: what it touches, and which bytes of temporaries live because of it.
struct Level {
  std::vector<int> steps;
  std::set<int> reads, writes;  // storages
  std::int64_t written = 0;

  bool needs(const Level& before) const {
    const auto in = [](const std::set<int>& some, const std::set<int>& all) {
      return std::any_of(some.begin(), some.end(), [&](int m) { return all.contains(m); });
    };
    return in(reads, before.writes) || in(writes, before.writes) || in(writes, before.reads);
  }
};

class Joining {
 public:
  explicit Joining(const Plan& p) : p_(p) {}

  std::vector<Stage> run() {
    for (const Stage& s : p_.stages) {
      if (is_small(s)) {
        add(touched(s));
        continue;
      }
      end();
      out_.push_back(s);
    }
    end();
    return std::move(out_);
  }

 private:
  // To the first stage behind all that it needs where there is room for what it writes: beside what is read there,
  // which need not live any longer in those behind it.
  void add(Level s) {
    std::size_t at = levels_.size();
    while (at > 0 && !s.needs(levels_[at - 1])) --at;
    while (at < levels_.size() && !has_room(levels_[at], s)) ++at;
    if (at == levels_.size()) levels_.emplace_back();
    Level& to = levels_[at];
    to.steps.insert(to.steps.end(), s.steps.begin(), s.steps.end());
    to.reads.insert(s.reads.begin(), s.reads.end());
    to.writes.insert(s.writes.begin(), s.writes.end());
    to.written += temporary(s.writes);
  }

  void end() {
    for (Level& level : levels_) out_.push_back({in_order(std::move(level.steps))});
    levels_.clear();
  }

  // Threads take steps from the front and from the back: what takes long stands there, and in the middle what takes
  // little time, so that all of them end at about the same time.
  std::vector<int> in_order(std::vector<int> steps) const {
    std::stable_sort(steps.begin(), steps.end(), [&](int a, int b) { return work(a) > work(b); });
    std::vector<int> out(steps.size());
    std::size_t front = 0, back = steps.size();
    for (std::size_t k = 0; k < steps.size(); ++k) out[k % 2 ? --back : front++] = steps[k];
    return out;
  }

  // Multiplications of a product. A loop takes little time beside them.
  std::int64_t work(int step) const {
    if (const auto* d = std::get_if<Dot>(&p_.steps[step].what)) return product(d->batch) * d->m * d->n * d->k;
    const auto& l = std::get<Loop>(p_.steps[step].what);
    return product(l.extents) * static_cast<std::int64_t>(1 + l.body.insts.size());
  }

  bool is_small(const Stage& s) const {
    return s.rows == 0 && std::all_of(s.steps.begin(), s.steps.end(), [&](int i) {
             if (const auto* d = std::get_if<Dot>(&p_.steps[i].what))
               return product(d->batch) * d->m * d->n * d->k <= kMostProduct;
             const auto* l = std::get_if<Loop>(&p_.steps[i].what);
             return l && product(l->extents) <= kSmall;
           });
  }

  bool has_room(const Level& level, const Level& s) const {
    std::set<int> all = level.reads;
    all.insert(s.reads.begin(), s.reads.end());
    const std::int64_t written = level.written + temporary(s.writes);
    return written <= std::max(kMostWritten, temporary(all) / kMuchRead);
  }

  Level touched(const Stage& s) const {
    Level all{s.steps, {}, {}};
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

  const Plan& p_;
  std::vector<Stage> out_;
  std::vector<Level> levels_;  // one behind the other, of small stages that came after out_
};

}  // namespace

Plan join_small(Plan plan) {
  // In a program that sends messages each stage gives them a chance to go on.
  if (std::none_of(plan.steps.begin(), plan.steps.end(), is_sending)) plan.stages = Joining(plan).run();
  return plan;
}

}  // namespace tutti::compile
