// Products are written where a copy of them is wanted: their results may lie in any order of whole rows.
#include <optional>
#include <utility>

#include "compile/passes.hpp"

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
    for (Step& s : p_.steps) {
      auto* d = std::get_if<Dot>(&s.what);
      if (!d || p_.storages[d->c].kind != Storage::Kind::temporary || readers_[d->c] != 1) continue;
      const int copy = reader_[d->c];
      const auto* l = std::get_if<Loop>(&p_.steps[copy].what);
      std::optional<Dot> placed = l ? in_place_of(*l, *d) : std::nullopt;
      if (!placed) continue;
      *d = std::move(*placed);
      gone[copy] = 1;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < p_.steps.size(); ++i)
      if (!gone[i]) {
        if (kept != i) p_.steps[kept] = std::move(p_.steps[i]);
        ++kept;
      }
    p_.steps.resize(kept);
  }

 private:
  // The product with its result where the loop copies it, if it does nothing else and rows stay whole.
  std::optional<Dot> in_place_of(const Loop& l, Dot d) const {
    if (l.reduced >= 0 || l.accesses.size() != 2 || l.body.insts.size() != 1 || d.n < kFewestColumns)
      return std::nullopt;
    const bool is_load_first = l.accesses[0].kind == Access::Kind::load;
    const Access &from = l.accesses[is_load_first ? 0 : 1], &to = l.accesses[is_load_first ? 1 : 0];
    const std::int64_t size = d.result.size();
    if (from.kind != Access::Kind::load || to.kind != Access::Kind::store || from.dtype != to.dtype || from.offset ||
        to.offset || from.dtype != d.result || product(l.extents) * size != p_.storages[to.storage].bytes ||
        p_.storages[d.c].bytes != p_.storages[to.storage].bytes)
      return std::nullopt;
    // The stride of the copy along a dim of the result; negative where it has none.
    auto copied = [&](std::int64_t extent, std::int64_t stride) -> std::int64_t {
      if (extent == 1) return stride;
      const std::int64_t bytes = stride * size;
      int within = -1;  // the dim of the loop of which it is a part
      for (int k = 0; k < static_cast<int>(l.extents.size()); ++k)
        if (l.extents[k] > 1 && from.strides[k] > 0 && from.strides[k] <= bytes &&
            (within < 0 || from.strides[k] > from.strides[within]))
          within = k;
      if (within < 0 || bytes % from.strides[within] != 0) return -1;
      const std::int64_t steps = bytes / from.strides[within], to_next = steps * to.strides[within];
      return steps * extent <= l.extents[within] && to_next % size == 0 ? to_next / size : -1;
    };
    if (copied(d.n, 1) != 1) return std::nullopt;
    d.c_m = copied(d.m, d.c_m);
    if (d.c_m < d.n) return std::nullopt;
    for (std::size_t i = 0; i < d.batch.size(); ++i) {
      d.c_batch[i] = copied(d.batch[i], d.c_batch[i]);
      if (d.c_batch[i] < 0) return std::nullopt;
    }
    d.c = to.storage;
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
