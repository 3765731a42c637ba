// A product whose elements are thrown away where a mask says so, as in masked attention, need not compute them.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "compile/passes.hpp"
#include "compile/reach.hpp"

namespace tutti::compile {
namespace {

class Masking {
 public:
  explicit Masking(Plan& p) : p_(p) { find_uses(); }

  void run() {
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i) {
      auto* d = std::get_if<Dot>(&p_.steps[i].what);
      if (!d || !may_have_mask(*d)) continue;
      d->mask = mask_of(*d, i);
      if (!d->mask) continue;
      const int writer = last_writer_[d->mask->storage];
      if (writer < 0 || place_[writer] < place_[i]) continue;
      place_[writer] = place_[i] - 1;
      moved_ = true;
    }
    if (moved_) put_in_order();
  }

 private:
  void find_uses() {
    readers_.assign(p_.storages.size(), {});
    last_writer_.assign(p_.storages.size(), -1);
    std::vector<int> reads, writes;
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i) {
      place_.push_back(2 * i);
      uses_of(p_.steps[i], reads, writes);
      for (int m : reads)
        if (readers_[m].empty() || readers_[m].back() != i) readers_[m].push_back(i);
      for (int m : writes) last_writer_[m] = i;
    }
  }

  // Whether a mask is there before a step, or may be: made by one loop of what is.
  bool may_be_before(int step, int mask) const {
    const int writer = last_writer_[mask];
    if (writer < 0 || place_[writer] < place_[step]) return true;
    if (!std::holds_alternative<Loop>(p_.steps[writer].what)) return false;
    std::vector<int> reads, writes;
    uses_of(p_.steps[writer], reads, writes);
    return writes.size() == 1 && std::all_of(reads.begin(), reads.end(), [&](int m) {
             return last_writer_[m] < 0 || place_[last_writer_[m]] < place_[step];
           });
  }

  void put_in_order() {
    std::vector<int> order(p_.steps.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return place_[a] < place_[b]; });
    std::vector<Step> steps;
    for (int i : order) steps.push_back(std::move(p_.steps[i]));
    p_.steps = std::move(steps);
  }

  bool may_have_mask(const Dot& d) const {
    return d.dtype == float32 && d.result == float32 && d.c_offset == 0 && d.m > 1 && d.n > 1 &&
           p_.storages[d.c].kind == Storage::Kind::temporary && last_writer_[d.c] >= 0 && !readers_[d.c].empty();
  }

  // The mask under which all readers look at the product, if it may be known before.
  std::optional<Dot::Mask> mask_of(const Dot& d, int step) const {
    std::optional<Dot::Mask> out;
    for (int reader : readers_[d.c]) {
      const auto* l = std::get_if<Loop>(&p_.steps[reader].what);
      if (!l || place_[reader] < place_[step]) return std::nullopt;
      for (int k = 0; k < static_cast<int>(l->accesses.size()); ++k) {
        if (l->accesses[k].storage != d.c) continue;
        const std::optional<Dot::Mask> mask = mask_of(d, *l, k);
        if (!mask || (out && *out != *mask)) return std::nullopt;
        out = mask;
      }
    }
    return out && may_be_before(step, out->storage) ? out : std::nullopt;
  }

  std::optional<Dot::Mask> mask_of(const Dot& d, const Loop& l, int access) const {
    const Access& from = l.accesses[access];
    if (from.kind != Access::Kind::load || from.offset != 0) return std::nullopt;
    const std::optional<std::pair<int, bool>> found = select_of(l, access);
    if (!found) return std::nullopt;
    const Access& mask = l.accesses[found->first];
    Dot::Mask out{mask.storage, mask.offset, {}, 0, found->second};
    auto beside = [&](std::int64_t extent, std::int64_t stride) -> std::int64_t {
      return extent == 1 ? 0 : stride_beside(l, from, mask, extent, stride * d.result.size()).value_or(-1);
    };
    for (std::size_t i = 0; i < d.batch.size(); ++i) {
      out.batch.push_back(beside(d.batch[i], d.c_batch[i]));
      if (out.batch.back() < 0) return std::nullopt;
    }
    out.m = beside(d.m, d.c_m);
    return out.m >= 0 && beside(d.n, 1) == 1 ? std::optional(std::move(out)) : std::nullopt;
  }

  // The access by which a loop loads a mask, and the value of the mask where what it makes of the element that it loads
  // by `access` is not thrown away by a select.
  static std::optional<std::pair<int, bool>> select_of(const Loop& l, int access) {
    const std::vector<Inst>& insts = l.body.insts;
    std::vector<char> depends(insts.size(), 0);  // by register: on the element
    std::optional<std::pair<int, bool>> out;
    for (std::size_t r = 0; r < insts.size(); ++r) {
      const Inst& i = insts[r];
      auto on = [&](int operand) { return operand >= 0 && depends[operand]; };
      if (i.kind == Inst::Kind::load) {
        depends[r] = i.bits == access;
        continue;
      }
      if (!on(i.a) && !on(i.b) && !on(i.c)) continue;
      if (i.kind == Inst::Kind::select && !on(i.a) && on(i.b) != on(i.c))
        if (const Inst& mask = insts[i.a]; mask.kind == Inst::Kind::load && l.accesses[mask.bits].dtype.is_bool()) {
          const std::pair now{static_cast<int>(mask.bits), on(i.b)};
          if (out && *out != now) return std::nullopt;
          out = now;
          continue;
        }
      if (i.kind == Inst::Kind::library || i.kind == Inst::Kind::rare) return std::nullopt;
      depends[r] = 1;
    }
    const bool is_kept = std::any_of(l.accesses.begin(), l.accesses.end(),
                                     [&](const Access& a) { return a.value >= 0 && depends[a.value]; });
    return is_kept ? std::nullopt : out;
  }

  Plan& p_;
  std::vector<std::vector<int>> readers_;  // by storage: steps
  std::vector<int> last_writer_;           // by storage: a step
  std::vector<int> place_;                 // by step: even as it came, before that of a product where it is to go there
  bool moved_ = false;
};

}  // namespace

Plan mask_products(Plan plan) {
  Masking(plan).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
