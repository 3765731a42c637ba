// Loops write where a copy of what they make is wanted: the arrays of a stack lie in the stack from the beginning.
#include <optional>
#include <utility>

#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

class LoopPlacing {
 public:
  explicit LoopPlacing(Plan& p)
      : p_(p),
        readers_(p.storages.size(), 0),
        reader_(p.storages.size(), -1),
        writers_(p.storages.size()),
        gone_(p.steps.size(), 0) {
    std::vector<int> reads, writes;
    for (int i = 0; i < static_cast<int>(p.steps.size()); ++i) {
      uses_of(p.steps[i], reads, writes);
      for (int m : reads) {
        ++readers_[m];
        reader_[m] = i;
      }
      for (int m : writes) writers_[m].push_back(i);
    }
  }

  void run() {
    for (int m = 0; m < static_cast<int>(p_.storages.size()); ++m) {
      if (p_.storages[m].kind != Storage::Kind::temporary || readers_[m] != 1) continue;
      if (const auto* copy = std::get_if<Loop>(&p_.steps[reader_[m]].what); copy && copies_all(*copy, m))
        place(m, *copy);
    }
    drop_steps(p_, gone_);
  }

 private:
  static const Access& access(const Loop& l, Access::Kind kind) {
    return l.accesses[l.accesses[0].kind == kind ? 0 : 1];
  }

  // Whether the loop does nothing but copy storage m, all of it, to a place in another one, rows staying whole.
  bool copies_all(const Loop& l, int m) const {
    if (l.reduced >= 0 || l.block_total || l.accesses.size() != 2 || l.body.insts.size() != 1 || l.extents.empty())
      return false;
    const Access &from = access(l, Access::Kind::load), &to = access(l, Access::Kind::store);
    if (from.kind != Access::Kind::load || to.kind != Access::Kind::store || from.storage != m || to.storage == m ||
        from.dtype != to.dtype || from.offset != 0)
      return false;
    std::int64_t step = from.dtype.size();
    if (to.strides.back() != step) return false;
    for (std::size_t d = l.extents.size(); d-- > 0; step *= l.extents[d])
      if (from.strides[d] != step || to.strides[d] < step) return false;
    return step == p_.storages[m].bytes;
  }

  // An access to what the loop copies, as one to where it is copied.
  static std::optional<Access> moved(const Access& a, const Extents& extents, const Loop& copy) {
    const Access &from = access(copy, Access::Kind::load), &to = access(copy, Access::Kind::store);
    const std::size_t dims = copy.extents.size();
    Extents last(dims, 0);  // the farthest place in each dim of the copy
    Access out = a;
    out.storage = to.storage;
    out.offset = to.offset;
    std::int64_t rest = a.offset;
    for (std::size_t d = 0; d < dims; ++d) {
      last[d] = rest / from.strides[d];
      rest %= from.strides[d];
      out.offset += last[d] * to.strides[d];
    }
    if (rest != 0) return std::nullopt;
    for (std::size_t k = 0; k < a.strides.size(); ++k) {
      const std::int64_t stride = a.strides[k];
      if (stride == 0) continue;
      std::size_t d = 0;  // the dim in which it steps
      while (d < dims && (from.strides[d] > stride || copy.extents[d] == 1)) ++d;
      if (stride < 0 || d == dims || stride % from.strides[d] != 0) return std::nullopt;
      const std::int64_t steps = stride / from.strides[d];
      last[d] += steps * (extents[k] - 1);
      out.strides[k] = steps * to.strides[d];
    }
    for (std::size_t d = 0; d < dims; ++d)
      if (last[d] >= copy.extents[d]) return std::nullopt;
    return out;
  }

  void place(int m, const Loop& copy) {
    std::vector<std::pair<Access*, Access>> changes;
    for (int i : writers_[m]) {
      auto* l = std::get_if<Loop>(&p_.steps[i].what);
      if (!l || l->block_total) return;
      for (Access& a : l->accesses) {
        if (a.kind == Access::Kind::index || a.storage != m) continue;
        std::optional<Access> there = a.kind == Access::Kind::store ? moved(a, l->extents, copy) : std::nullopt;
        if (!there) return;
        changes.push_back({&a, std::move(*there)});
      }
    }
    if (changes.empty()) return;
    const int to = changes[0].second.storage;
    for (auto& [access, there] : changes) *access = std::move(there);
    gone_[reader_[m]] = 1;
    for (int i : writers_[m]) writers_[to].push_back(i);
  }

  Plan& p_;
  std::vector<int> readers_, reader_;      // by storage: how many steps, one of them
  std::vector<std::vector<int>> writers_;  // by storage
  std::vector<char> gone_;                 // by step
};

}  // namespace

Plan place_loops(Plan plan) {
  LoopPlacing(plan).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
