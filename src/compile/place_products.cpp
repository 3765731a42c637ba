// Products are written where a copy of them is wanted: their results may lie in any order of whole rows. A part of an
// array, as in the gradient of what was split, is a copy plus the zeros of the other parts.
#include <algorithm>
#include <optional>
#include <utility>

#include "compile/passes.hpp"
#include "compile/reach.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kFewestColumns = 16;  // of a row that is written at once

class ProductPlacing {
 public:
  explicit ProductPlacing(Plan& p) : p_(p), readers_(p.storages.size(), 0), reader_(p.storages.size(), -1) {
    std::vector<int> reads, writes;
    for (int i = 0; i < static_cast<int>(p.steps.size()); ++i) {
      uses_of(p.steps[i], reads, writes);
      for (int m : reads) {
        ++readers_[m];
        reader_[m] = i;
      }
    }
  }

  void run() {
    std::vector<char> gone(p_.steps.size(), 0);
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i) {
      auto* d = std::get_if<Dot>(&p_.steps[i].what);
      while (d && p_.storages[d->c].kind == Storage::Kind::temporary && readers_[d->c] == 1) {
        const int copy = reader_[d->c];
        const auto* l = std::get_if<Loop>(&p_.steps[copy].what);
        std::optional<Dot> placed = l && nobody_between(i, copy) ? in_place_of(*l, *d) : std::nullopt;
        if (!placed) break;
        *d = std::move(*placed);
        gone[copy] = 1;
      }
    }
    drop_steps(p_, gone);
  }

 private:
  // Whether what the copy writes may be written by the product: until then only other parts of the same array are.
  bool nobody_between(int dot, int copy) const {
    std::vector<int> reads, writes, touched, wanted;
    uses_of(p_.steps[copy], reads, wanted);
    for (int i = dot + 1; i < copy; ++i) {
      if (p_.steps[i].eqns == p_.steps[copy].eqns) continue;
      uses_of(p_.steps[i], touched, writes);
      touched.insert(touched.end(), writes.begin(), writes.end());
      if (std::find_first_of(touched.begin(), touched.end(), wanted.begin(), wanted.end()) != touched.end())
        return false;
    }
    return true;
  }

  bool is_zero(const Access& a) const {
    const Storage& s = p_.storages[a.storage];
    const auto is_none = [](auto x) { return x == decltype(x){}; };
    if (a.dtype != float32 || s.kind != Storage::Kind::constant ||
        !std::all_of(a.strides.begin(), a.strides.end(), is_none))
      return false;
    const auto at = p_.constants.begin() + s.offset + a.offset;
    return std::all_of(at, at + a.dtype.size(), is_none);
  }

  struct Copy {
    const Access *from = nullptr, *to = nullptr;
    bool plus_zero = false;
  };
  // The loop as a copy of one array, to which zeros may be added.
  std::optional<Copy> copy_of(const Loop& l) const {
    Copy out;
    if (l.reduced >= 0) return std::nullopt;
    std::vector<char> is_copy(l.body.insts.size(), 0);  // by register; others are zeros
    for (std::size_t r = 0; r < l.body.insts.size(); ++r) {
      const Inst& i = l.body.insts[r];
      if (i.kind == Inst::Kind::load) {
        const Access& a = l.accesses[i.bits];
        if (a.kind == Access::Kind::load && is_zero(a)) continue;
        if (a.kind != Access::Kind::load || std::exchange(out.from, &a)) return std::nullopt;
        is_copy[r] = 1;
      } else if (i.kind == Inst::Kind::binary && static_cast<VectorIR::Bin>(i.sub) == VectorIR::Bin::add) {
        if (is_copy[i.a] && is_copy[i.b]) return std::nullopt;
        is_copy[r] = is_copy[i.a] || is_copy[i.b];
        out.plus_zero |= is_copy[r];
      } else {
        return std::nullopt;
      }
    }
    for (const Access& a : l.accesses)
      if (a.kind != Access::Kind::load) {
        if (a.kind != Access::Kind::store || !is_copy[a.value] || std::exchange(out.to, &a)) return std::nullopt;
      }
    return out.from && out.to ? std::optional(out) : std::nullopt;
  }

  // The product with its result where the loop copies it, if it does nothing else and rows stay whole.
  std::optional<Dot> in_place_of(const Loop& l, Dot d) const {
    const std::optional<Copy> copy = d.n < kFewestColumns ? std::nullopt : copy_of(l);
    if (!copy || (copy->plus_zero && (d.dtype != float32 || d.result != float32 || d.m == 1))) return std::nullopt;
    const Access &from = *copy->from, &to = *copy->to;
    const std::int64_t size = d.result.size();
    if (from.dtype != to.dtype || from.storage != d.c || d.c_offset || from.offset || to.offset % size ||
        from.dtype != d.result || product(l.extents) * size != p_.storages[d.c].bytes ||
        product(l.extents) != product(d.batch) * d.m * d.n)
      return std::nullopt;
    // The stride of the copy along a dim of the result; negative where it has none.
    auto copied = [&](std::int64_t extent, std::int64_t stride) -> std::int64_t {
      if (extent == 1) return stride;
      const std::int64_t to_next = stride_beside(l, from, to, extent, stride * size).value_or(-1);
      return to_next % size == 0 ? to_next / size : -1;
    };
    if (copied(d.n, 1) != 1) return std::nullopt;
    d.c_m = copied(d.m, d.c_m);
    if (d.c_m < d.n) return std::nullopt;
    for (std::size_t i = 0; i < d.batch.size(); ++i) {
      d.c_batch[i] = copied(d.batch[i], d.c_batch[i]);
      if (d.c_batch[i] < 0) return std::nullopt;
    }
    d.c = to.storage;
    d.c_offset = to.offset / size;
    d.plus_zero |= copy->plus_zero;
    return d;
  }

  Plan& p_;
  std::vector<int> readers_, reader_;  // by storage: how many steps, one of them
};

}  // namespace

Plan place_products(Plan plan) {
  ProductPlacing(plan).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
