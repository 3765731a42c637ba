#include "compile/dot.hpp"

#include <algorithm>
#include <optional>

#include "ops/contraction/dot_general.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::compile {
namespace {

struct Dim {
  std::int64_t extent, a, b;
};  // with a stride in each of two strided readings

// Merges a list of dims to one where both strides allow; the merged dim, or nothing.
std::optional<Dim> merge(const std::vector<Dim>& dims) {
  Dim out{1, 0, 0};
  for (const Dim& d : dims) {
    if (d.extent == 1) continue;
    if (out.extent == 1)
      out = d;
    else if (out.a == d.a * d.extent && out.b == d.b * d.extent)
      out = {out.extent * d.extent, d.a, d.b};
    else
      return std::nullopt;
  }
  return out;
}

struct Operand {
  View view;
  Extents extents;
  std::vector<Dim> free;
  std::vector<std::int64_t> free_dims;
};

struct Groups {
  Operand lhs, rhs;
  std::vector<Dim> batch, contract;
};

Groups groups_of(const Program& p, const Eqn& e, const View& lhs, const View& rhs) {
  const lax::DotDims& d = e.params.get<ops::DotGeneral>().dims;
  Groups g{
      {lhs, p.type(e.operands[0]).shape.dims(), {}, {}}, {rhs, p.type(e.operands[1]).shape.dims(), {}, {}}, {}, {}};
  auto pair_up = [&](const lax::Dims& l, const lax::Dims& r, std::vector<Dim>& out) {
    for (std::size_t i = 0; i < l.size(); ++i)
      out.push_back({g.lhs.extents[l[i]], lhs.strides[l[i]], rhs.strides[r[i]]});
  };
  pair_up(d.lhs_batch, d.rhs_batch, g.batch);
  pair_up(d.lhs_contract, d.rhs_contract, g.contract);
  auto free = [](Operand& o, const lax::Dims& batch, const lax::Dims& contract) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(o.extents.size()); ++i)
      if (!ops::contains(batch, i) && !ops::contains(contract, i)) {
        o.free.push_back({o.extents[i], o.view.strides[i], 0});
        o.free_dims.push_back(i);
      }
  };
  free(g.lhs, d.lhs_batch, d.lhs_contract);
  free(g.rhs, d.rhs_batch, d.rhs_contract);
  return g;
}

// A matrix that a product can read: one of its strides is 1 (or its dim has one element), no overlap.
bool readable(const Dim& major, const Dim& minor, std::int64_t major_stride, std::int64_t minor_stride) {
  auto dim_ok = [](const Dim& d, std::int64_t stride, const Dim& other) {
    return d.extent == 1 || stride >= other.extent;
  };
  if (major_stride < 0 || minor_stride < 0) return false;
  const bool by_rows = (minor.extent == 1 || minor_stride == 1) && dim_ok(major, major_stride, minor);
  const bool by_columns = (major.extent == 1 || major_stride == 1) && dim_ok(minor, minor_stride, major);
  return by_rows || by_columns;
}

bool lhs_readable(const Groups& g) {
  auto k = merge(g.contract), m = merge(g.lhs.free);
  return k && m && readable(*m, *k, m->a, k->a);
}
bool rhs_readable(const Groups& g) {
  auto k = merge(g.contract), n = merge(g.rhs.free);
  return k && n && readable(*k, *n, k->b, n->a);
}

}  // namespace

std::vector<int> unreadable_operands(const Program& p, const Fusion& f, const Eqn& e) {
  const Reading readings[] = {f.read(e.operands[0]), f.read(e.operands[1])};
  auto works = [&](const std::vector<int>& copies) {
    View views[2];
    for (int k : {0, 1}) {
      const bool copied = std::find(copies.begin(), copies.end(), k) != copies.end();
      if (!copied && (readings[k].index || readings[k].base.is_literal())) return false;
      views[k] = copied ? dense_view(p.type(e.operands[k]).shape.dims()) : readings[k].view;
    }
    const Groups g = groups_of(p, e, views[0], views[1]);
    return lhs_readable(g) && rhs_readable(g);
  };
  const bool first_is_smaller = p.type(e.operands[0]).num_elements() <= p.type(e.operands[1]).num_elements();
  for (const std::vector<int>& copies : {std::vector<int>{}, {first_is_smaller ? 0 : 1}, {first_is_smaller ? 1 : 0}})
    if (works(copies)) return copies;
  return {0, 1};
}

Dot lower_dot(const Program& p, const Fusion& f, const Eqn& e, Storages& storages) {
  const Reading l = f.read(e.operands[0]), r = f.read(e.operands[1]);
  const Groups g = groups_of(p, e, l.view, r.view);
  auto k = merge(g.contract), m = merge(g.lhs.free), n = merge(g.rhs.free);
  Dot d;
  d.dtype = p.type(e.operands[0]).dtype;
  d.result = p.type(e.results[0]).dtype;
  d.a = storages.of(l.base.id);
  d.b = storages.of(r.base.id);
  d.c = storages.of(e.results[0]);
  d.a_offset = l.view.offset;
  d.b_offset = r.view.offset;
  if (k && m && n) {
    d.m = m->extent;
    d.a_m = m->a;
    d.n = n->extent;
    d.b_n = n->a;
    d.k = k->extent;
    d.a_k = k->a;
    d.b_k = k->b;
  } else {
    throw InternalError("dot_general: operands are no matrices");
  }
  d.c_m = d.n;
  for (const Dim& b : g.batch) {
    if (b.extent == 1) continue;
    d.batch.push_back(b.extent);
    d.a_batch.push_back(b.a);
    d.b_batch.push_back(b.b);
  }
  d.c_batch = row_major(d.batch);
  for (std::int64_t& s : d.c_batch) s *= d.m * d.n;
  return d;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
