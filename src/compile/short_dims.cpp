#include "compile/short_dims.hpp"

#include <algorithm>
#include <vector>

#include "ir/index.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/reduction/reduce.hpp"
#include "tutti/base/error.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kFewElements = 4;   // of a dim: side by side, loops read them as whole vectors
constexpr std::int64_t kRepeated = 16;     // times that a loop reads an element of which a copy is worth it
constexpr std::int64_t kLargeValue = 512;  // elements of a value that is worth it

bool is_short(std::int64_t extent) { return extent >= 2 && extent <= kFewElements; }
// Of a value that is worth it.
bool has_short_dim(const Type& type) {
  const Extents& dims = type.shape.dims();
  return type.num_elements() >= kLargeValue && !type.dtype.is_complex() &&
         std::any_of(dims.begin(), dims.end(), is_short);
}

bool reduces(const Eqn& e) { return e.op->reduce != Op::Reduce::none; }

// Whether a reduction can go along `dim` component by component.
bool goes_along(const Program& p, const Eqn& e, int dim) {
  const std::vector<int>& axes = e.params.get<ops::Reduction>().axes;
  if (axes == std::vector<int>{dim}) return combines_elementwise(p, e);
  const bool last = dim + 1 == p.type(e.operands[0]).ndim();
  return last && std::find(axes.begin(), axes.end(), dim) == axes.end();
}

}  // namespace

ShortDims::ShortDims(const Program& p) {
  const bool any = std::any_of(p.eqns.begin(), p.eqns.end(), [&](const Eqn& e) {
    return e.op->pointwise && e.results.size() == 1 && has_short_dim(p.types[e.results[0]]);
  });
  if (!any) return;
  const ProgramIndex index(p);
  for (std::size_t i = p.eqns.size(); i-- > 0;) {
    const Eqn& e = p.eqns[i];
    if (!e.op->pointwise || e.results.size() != 1) continue;
    const ValueId v = e.results[0];
    const Type& type = p.types[v];
    if (!has_short_dim(type) || index.is_output(v) || index.uses(v).empty()) continue;
    for (int d = 0; d < type.ndim(); ++d) {
      if (!is_short(type.shape[d])) continue;
      const bool all = std::all_of(index.uses(v).begin(), index.uses(v).end(), [&](const ProgramIndex::Use& use) {
        const Eqn& reader = p.eqns[use.eqn];
        if (reduces(reader)) return goes_along(p, reader, d);
        if (box_along(p, reader, d) >= 0) return true;
        return reader.op->pointwise && reader.results.size() == 1 && contain(reader.results[0], d);
      });
      if (all) found_.emplace(v, d);
    }
  }
}

int ShortDims::of_box(const Program& p, const Eqn& e) const {
  const Atom& x = e.operands[0];
  if (x.is_literal()) return -1;
  for (int d = p.type(x).ndim(); d-- > 0;)
    if (contain(x.id, d) && box_along(p, e, d) >= 0) return d;
  return -1;
}

int ShortDims::of_reduction(const Program& p, const Eqn& e) const {
  const Atom& x = e.operands[0];
  if (x.is_literal()) return -1;
  for (int d = p.type(x).ndim(); d-- > 0;)
    if (contain(x.id, d) && goes_along(p, e, d)) return d;
  return -1;
}

bool combines_elementwise(const Program& p, const Eqn& e) {
  const DType d = p.type(e.operands[0]).dtype;
  return e.op->reduce != Op::Reduce::none && d == p.types[e.results[0]].dtype && !d.is_complex() &&
         (!d.is_floating() || d.size() >= 4);  // narrow floats add up in float32
}

std::int64_t box_along(const Program& p, const Eqn& e, int dim) {
  if (!e.op->view || e.operands[0].is_literal()) return -1;
  const Type &from = p.type(e.operands[0]), &to = p.types[e.results[0]];
  if (to.ndim() != from.ndim() || to.shape[dim] == from.shape[dim]) return -1;
  const auto view = e.op->view(Call{*e.op, e.params, {from}, e.subs}, to);
  if (!view) return -1;
  const Extents steps = row_major(from.shape.dims());
  for (int d = 0; d < from.ndim(); ++d) {
    if (d != dim && to.shape[d] != from.shape[d]) return -1;
    const auto k = static_cast<std::size_t>(d);
    if (to.shape[d] > 1 && view->strides[k] != steps[k]) return -1;
  }
  const std::int64_t step = steps[static_cast<std::size_t>(dim)], start = view->offset / step;
  return view->offset % step == 0 && start + to.shape[dim] <= from.shape[dim] ? start : -1;
}

const Op& combining_op(Op::Reduce kind) {
  switch (kind) {
    case Op::Reduce::sum: return ops::add;
    case Op::Reduce::prod: return ops::mul;
    case Op::Reduce::max: return ops::max;
    case Op::Reduce::min: return ops::min;
    case Op::Reduce::any: return ops::bitwise_or;
    case Op::Reduce::all: return ops::bitwise_and;
    case Op::Reduce::none: break;
  }
  throw InternalError("apart: no reduction");
}

bool repeats(const Program& p, const Eqn& e, Extents& box) {
  if (!e.op->view) return false;
  const auto view = e.op->view(Call{*e.op, e.params, {p.type(e.operands[0])}, e.subs}, p.types[e.results[0]]);
  if (!view) return false;
  Extents once = box;
  for (std::size_t d = 0; d < once.size(); ++d)
    if (view->strides[d] == 0) once[d] = 1;
  if (product(once) * kRepeated > product(box)) return false;
  box = once;
  return true;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
