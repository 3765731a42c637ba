#include "compile/reach.hpp"

#include <array>
#include <utility>

namespace tutti::compile {
namespace {

using Dims = std::vector<std::pair<std::int64_t, std::int64_t>>;  // extent, bytes from one to the next

// Of `dims`, of which the first is cut into rows.
std::optional<Reach> reach_of(const Dims& dims, std::int64_t offset, std::int64_t size, std::int64_t rows) {
  const std::int64_t inner = dims[0].first / rows;
  Reach r{dims[0].second * inner, offset, offset + size};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (d == 0 && dims[d].second < 0) return std::nullopt;
    const std::int64_t span = dims[d].second * ((d ? dims[d].first : inner) - 1);
    (span < 0 ? r.begin : r.end) += span;
  }
  return r;
}

std::int64_t touched(const Dims& dims, std::int64_t size, std::int64_t rows) {
  std::int64_t n = size;
  for (auto [extent, step] : dims)
    if (step) n *= extent;
  return dims[0].second ? n / rows : n;
}

// Operand or result of a product: its dims with those of the batch first, then rows and columns.
Dims dims_of(const Dot& d, const Extents& batch, std::array<std::pair<std::int64_t, std::int64_t>, 2> matrix,
             std::int64_t size) {
  Dims out;
  for (std::size_t i = 0; i < d.batch.size(); ++i) out.push_back({d.batch[i], batch[i] * size});
  for (auto [extent, step] : matrix) out.push_back({extent, step * size});
  return out;
}

std::vector<RowAccess> accesses(const Dot& d, std::int64_t rows) {
  const std::int64_t size = d.dtype.size(), of_result = d.result.size();
  const Dims a = dims_of(d, d.a_batch, {{{d.m, d.a_m}, {d.k, d.a_k}}}, size),
             c = dims_of(d, d.c_batch, {{{d.m, d.c_m}, {d.n, 1}}}, of_result);
  Dims b = dims_of(d, d.b_batch, {{{d.k, d.b_k}, {d.n, d.b_n}}}, size);
  auto access = [&](int storage, bool writes, const Dims& dims, std::int64_t offset, std::int64_t bytes) {
    return RowAccess{storage, writes, reach_of(dims, offset * bytes, bytes, rows), touched(dims, bytes, rows)};
  };
  if (d.adds) return {access(d.a, false, {a[1], a[0]}, d.a_offset, size), access(d.b, false, b, d.b_offset, size)};
  if (d.batch.empty()) b.insert(b.begin(), {d.m, 0});  // the same for all rows
  std::vector<RowAccess> out{access(d.a, false, a, d.a_offset, size), access(d.b, false, b, d.b_offset, size),
                             access(d.c, true, c, d.c_offset, of_result)};
  if (d.mask)
    out.push_back(access(d.mask->storage, false, dims_of(d, d.mask->batch, {{{d.m, d.mask->m}, {d.n, 1}}}, 1),
                         d.mask->offset, 1));
  return out;
}

Dims dims_of(const Loop& l, const Access& a) {
  Dims out;
  for (std::size_t d = 0; d < l.extents.size(); ++d) out.push_back({l.extents[d], a.strides[d]});
  return out;
}

// Blocks of a dim that is added up are rows too, unless the last one is shorter.
bool by_rows(const Loop& l) {
  return l.reduced != 0 && !(l.block_total && l.reduced == 1 && l.block_total != l.extents[0] * l.extents[1]);
}

}  // namespace

std::optional<Reach> reach_of(const Loop& l, const Access& a, std::int64_t rows) {
  return reach_of(dims_of(l, a), a.offset, a.dtype.size(), rows);
}

std::optional<std::int64_t> stride_beside(const Loop& l, const Access& known, const Access& other, std::int64_t extent,
                                          std::int64_t bytes) {
  int within = -1;  // the dim of the loop of which they are a part
  for (int k = 0; k < static_cast<int>(l.extents.size()); ++k)
    if (l.extents[k] > 1 && known.strides[k] > 0 && known.strides[k] <= bytes &&
        (within < 0 || known.strides[k] > known.strides[within]))
      within = k;
  if (within < 0 || bytes % known.strides[within] != 0) return std::nullopt;
  const std::int64_t steps = bytes / known.strides[within];
  if (steps * extent > l.extents[within]) return std::nullopt;
  return steps * other.strides[within];
}

std::int64_t first_extent(const Step& step) {
  if (const auto* l = std::get_if<Loop>(&step.what)) return l->extents.empty() || !by_rows(*l) ? 0 : l->extents[0];
  if (const auto* d = std::get_if<Dot>(&step.what)) return d->adds ? d->k : d->batch.empty() ? d->m : d->batch[0];
  return 0;
}

std::vector<RowAccess> row_accesses(const Step& step, std::int64_t rows) {
  const std::int64_t extent = first_extent(step);
  if (extent == 0 || extent % rows != 0) return {};
  if (const auto* d = std::get_if<Dot>(&step.what)) return accesses(*d, rows);
  const Loop& l = std::get<Loop>(step.what);
  std::vector<RowAccess> out;
  for (const Access& a : l.accesses)
    if (a.kind != Access::Kind::index)
      out.push_back({a.storage, a.kind != Access::Kind::load, reach_of(l, a, rows),
                     touched(dims_of(l, a), a.dtype.size(), rows)});
  return out;
}

Dot dot_of_rows(const Dot& dot, std::int64_t rows, std::int64_t count) {
  Dot d = dot;
  std::int64_t& extent = d.adds ? d.k : d.batch.empty() ? d.m : d.batch[0];
  extent = extent / rows * count;
  return d;
}

bool in_place(const Loop& l, int from, int to) {
  const Access* store = nullptr;
  for (const Access& a : l.accesses) {
    if (a.storage != to) continue;
    if (a.kind != Access::Kind::store || store) return false;
    store = &a;
  }
  if (!store || store->offset != 0) return false;
  for (const Access& a : l.accesses)
    if (a.storage == from && (a.kind != Access::Kind::load || a.strides != store->strides || a.offset != 0 ||
                              a.dtype.size() != store->dtype.size()))
      return false;
  return true;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
