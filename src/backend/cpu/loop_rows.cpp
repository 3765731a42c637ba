#include "backend/cpu/loop_rows.hpp"

#include <algorithm>
#include <set>

#include "backend/cpu/loop_products.hpp"

namespace tutti::cpu {
namespace {

using compile::Access;
using compile::Loop;
using compile::Plan;
using compile::Repeat;
using compile::Storage;

constexpr std::int64_t kFewest = 64;      // rows
constexpr std::int64_t kSameBytes = 512;  // of what is the same for all rows
constexpr std::int64_t kSameWork = 64;    // elements of a loop that all rows repeat

class Finder {
 public:
  Finder(const Repeat& r, const std::vector<Loop>& nests, std::int64_t rows) : r_(r), p_(*r.body), nests_(nests) {
    found_.rows = rows;
    found_.layouts.resize(p_.storages.size());
    found_.read_by_rows.assign(p_.storages.size(), 0);
    known_.assign(p_.storages.size(), 0);
    changes_.assign(p_.storages.size(), 0);
    for (std::size_t s = 0; s < p_.storages.size(); ++s) {
      const Storage::Kind kind = p_.storages[s].kind;
      changes_[s] = kind == Storage::Kind::output || kind == Storage::Kind::temporary;
    }
    for (std::size_t c = 0; c < r.carries.size(); ++c) changes_[input(c)] = 1;
  }

  std::optional<LoopRows> run() {
    for (const Loop& l : nests_)
      if (l.block_total || !classify(l)) return std::nullopt;
    for (std::size_t c = 0; c < r_.carries.size(); ++c)
      if (!same(input(c), p_.outputs[c])) return std::nullopt;
    for (std::size_t k = 0; k < nests_.size(); ++k)
      if (!fits(nests_[k], found_.dims[k])) return std::nullopt;
    for (std::size_t s = 0; s < changes_.size(); ++s)
      if (changes_[s] && !holds(static_cast<int>(s))) return std::nullopt;
    for (std::size_t k = r_.carries.size(); k < p_.outputs.size(); ++k)
      if (found_.layouts[p_.outputs[k]].row == 0) return std::nullopt;
    if (r_.condition && !same_for_all(*r_.condition)) return std::nullopt;
    return found_;
  }

 private:
  int input(std::size_t carry) const { return p_.inputs[static_cast<std::size_t>(r_.consts) + carry]; }

  bool layout(int storage, std::int64_t row) {
    if (!changes_[storage]) return true;
    if (known_[storage]) return found_.layouts[storage].row == row;
    known_[storage] = 1;
    found_.layouts[storage].row = row;
    return row >= 0;
  }
  bool same(int a, int b) {
    if (!known_[a] && !known_[b]) return true;
    return known_[a] ? layout(b, found_.layouts[a].row) : layout(a, found_.layouts[b].row);
  }

  // The dim of a loop that goes over the rows: each point of it writes other elements.
  int row_dim(const Loop& l) const {
    for (int d = 0; d < static_cast<int>(l.extents.size()); ++d) {
      if (d == l.reduced || l.extents[d] % found_.rows) continue;
      if (std::all_of(l.accesses.begin(), l.accesses.end(),
                      [&](const Access& a) { return a.value < 0 || a.strides[d] != 0; }))
        return d;
    }
    return -1;
  }

  bool classify(const Loop& l) {
    const int d = row_dim(l);
    found_.dims.push_back(d);
    const std::int64_t inner = d < 0 ? 0 : l.extents[d] / found_.rows, elements = compile::product(l.extents);
    if (d < 0 && elements > kSameWork) return false;
    if (d >= 0) found_.elements = std::max(found_.elements, elements / found_.rows);
    for (const Access& a : l.accesses) {
      if (a.kind == Access::Kind::index) continue;
      const std::int64_t row = d < 0 ? 0 : a.strides[d] * inner;
      if (row) found_.read_by_rows[a.storage] = 1;
      if (!layout(a.storage, row)) return false;
    }
    return true;
  }

  // Whether a loop stays in the rows that it works on, of everything that changes.
  bool fits(const Loop& l, int d) const {
    for (const Access& a : l.accesses) {
      if (a.kind == Access::Kind::index || !changes_[a.storage] || d < 0) continue;
      const std::int64_t row = found_.layouts[a.storage].row, plane = found_.plane_bytes(a.storage);
      if (row == 0) continue;
      if (a.offset < 0) return false;
      std::int64_t low = a.offset % plane, high = low + a.dtype.size();
      for (int i = 0; i < static_cast<int>(l.extents.size()); ++i) {
        const std::int64_t n = i == d ? l.extents[i] / found_.rows : l.extents[i];
        if (n > 1 && a.strides[i] % plane != 0) (a.strides[i] < 0 ? low : high) += (n - 1) * a.strides[i];
      }
      if (low < 0 || high > row) return false;
    }
    return true;
  }

  bool holds(int s) {
    LoopRows::Layout& x = found_.layouts[s];
    const std::int64_t bytes = p_.storages[s].bytes;
    if (x.row == 0) return bytes <= kSameBytes;
    x.planes = bytes / found_.plane_bytes(s);
    return x.planes > 0 && bytes == x.planes * found_.plane_bytes(s);
  }

  // A condition looks at what all rows have in common.
  bool same_for_all(const Plan& c) const {
    for (const compile::Step& step : c.steps) {
      const auto* l = std::get_if<Loop>(&step.what);
      if (!l || compile::product(l->extents) > kSameWork) return false;
      for (const Access& a : l->accesses)
        for (std::size_t k = 0; k < r_.carries.size(); ++k)
          if (a.storage == c.inputs[static_cast<std::size_t>(r_.condition_consts) + k] &&
              found_.layouts[input(k)].row != 0)
            return false;
    }
    return true;
  }

  const Repeat& r_;
  const Plan& p_;
  const std::vector<Loop>& nests_;  // by step
  LoopRows found_;
  std::vector<char> known_, changes_;  // by storage
};

}  // namespace

std::optional<LoopRows> rows_of(const Repeat& r) {
  std::set<std::int64_t, std::greater<>> extents;
  std::vector<Loop> nests;
  for (const compile::Step& step : r.body->steps) {
    std::optional<Loop> l = nest_of(step);
    if (!l) return std::nullopt;
    for (std::int64_t n : l->extents)
      if (n >= kFewest) extents.insert(n);
    nests.push_back(std::move(*l));
  }
  for (std::int64_t rows : extents)
    if (auto found = Finder(r, nests, rows).run()) return found;
  return std::nullopt;
}

Loop rows_of_loop(const Loop& loop, int dim, const LoopRows& rows, std::int64_t count, const std::vector<char>& own) {
  if (dim < 0) return loop;
  Loop l = loop;
  l.extents[dim] = l.extents[dim] / rows.rows * count;
  for (Access& a : l.accesses) {
    if (a.kind == Access::Kind::index || !own[a.storage] || rows.layouts[a.storage].row == 0) continue;
    const std::int64_t plane = rows.plane_bytes(a.storage), here = count * rows.layouts[a.storage].row;
    a.offset = a.offset / plane * here + a.offset % plane;
    for (std::size_t d = 0; d < l.extents.size(); ++d)
      if (static_cast<int>(d) != dim && a.strides[d] % plane == 0) a.strides[d] = a.strides[d] / plane * here;
  }
  return l;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
