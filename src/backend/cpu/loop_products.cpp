#include "backend/cpu/loop_products.hpp"

#include <utility>

namespace tutti::cpu {
namespace {

using compile::Access;
using compile::Dot;
using compile::Extents;
using compile::Loop;

constexpr std::int64_t kMostProductWork =
    1024;  // multiplications of one product: larger ones are worth their own kernels

// A dim of the nest: its extent, and steps of the operands and of the result in elements.
struct Dim {
  std::int64_t extent, a, b, c;
};

// The last dim is one along which memory lies in order: of the result, if a row of an operand does too, else the one
// that is summed over.
Loop loop_of(const Dot& d) {
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < d.batch.size(); ++i)
    dims.push_back({d.batch[i], d.a_batch[i], d.b_batch[i], d.c_batch[i]});
  const Dim rows{d.m, d.a_m, 0, d.c_m}, columns{d.n, 0, d.b_n, 1}, inner{d.k, d.a_k, d.b_k, 0};
  const bool by_columns = d.n > 1 && d.b_n == 1, by_rows = d.n == 1 && d.m > 1 && d.a_m == 1 && d.c_m == 1;
  if (d.m > 1 && !by_rows) dims.push_back(rows);
  if (d.n > 1 && !by_columns) dims.push_back(columns);
  Loop l;
  l.reduced = static_cast<int>(dims.size());
  dims.push_back(inner);
  if (by_columns) dims.push_back(columns);
  if (by_rows) dims.push_back(rows);

  const std::int64_t size = d.dtype.size();
  compile::Recorder ir;
  Access a, b, c;
  a.dtype = b.dtype = c.dtype = c.accumulate = d.dtype;
  a.storage = d.a;
  a.offset = d.a_offset * size;
  b.storage = d.b;
  b.offset = d.b_offset * size;
  c.kind = Access::Kind::reduce;
  c.combine = Op::Reduce::sum;
  c.storage = d.c;
  c.offset = d.c_offset * size;
  for (const Dim& x : dims) {
    l.extents.push_back(x.extent);
    a.strides.push_back(x.a * size);
    b.strides.push_back(x.b * size);
    c.strides.push_back(x.c * size);
  }
  c.value = ir.binary(VectorIR::Bin::mul, ir.load(0, d.dtype), ir.load(1, d.dtype)).id;
  l.accesses = {a, b, c};
  l.body = ir.take();
  return l;
}

}  // namespace

std::optional<Loop> nest_of(const compile::Step& step) {
  if (const auto* l = std::get_if<Loop>(&step.what)) return *l;
  const auto* d = std::get_if<Dot>(&step.what);
  if (!d || d->dtype != d->result || (d->dtype != float32 && d->dtype != float64) || d->panel || d->adds ||
      d->m * d->n * d->k > kMostProductWork)
    return std::nullopt;
  return loop_of(*d);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
