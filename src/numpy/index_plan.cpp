#include "numpy/index_plan.hpp"

#include <algorithm>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/selection.hpp"

namespace tutti {
namespace {

// Python's slice.indices.
Pick pick_slice(const Array& x, int d, const Slice& s) {
  const std::int64_t n = x.shape()[static_cast<std::size_t>(d)];
  Pick p;
  constexpr std::int64_t far = std::int64_t(1) << 62;  // longer steps are as good as this one
  p.step = std::clamp(s.step.value.value_or(1), -far, far);
  if (p.step == 0)
    raise<ValueError>("index", "the step of the slice of dim " + std::to_string(d) + " of " + x.type().str() + " is 0",
                      "Steps are positive or negative.");
  auto bound = [&](const SliceBound& b, std::int64_t open) {
    if (!b.value) return open;
    std::int64_t v = *b.value < 0 ? *b.value + n : *b.value;
    return p.step > 0 ? std::clamp<std::int64_t>(v, 0, n) : std::clamp<std::int64_t>(v, -1, n - 1);
  };
  p.start = bound(s.start, p.step > 0 ? 0 : n - 1);
  std::int64_t stop = bound(s.stop, p.step > 0 ? n : -1);
  std::int64_t distance = p.step > 0 ? stop - p.start : p.start - stop, by = std::abs(p.step);
  p.count = distance > 0 ? (distance - 1) / by + 1 : 0;
  return p;
}

// Counts the dims that the expression names; IndexError when they are more than x has, or ellipses more than one.
int named_dims(const Array& x, const std::vector<Index>& index) {
  const int ndim = x.ndim();
  int named = 0, ellipses = 0;
  for (const Index& i : index) {
    ellipses += i.kind == Index::Kind::ellipsis;
    const bool mask = i.kind == Index::Kind::array && i.array.dtype().is_bool();
    named += mask ? i.array.ndim() : i.kind != Index::Kind::ellipsis && i.kind != Index::Kind::newaxis;
  }
  if (ellipses > 1)
    raise<IndexError>("index", std::to_string(ellipses) + " ellipses in the index of " + x.type().str(),
                      "One ellipsis stands for all dims that are not named.");
  if (named > ndim)
    raise<IndexError>("index",
                      "too many indices: " + x.type().str() + " has " + std::to_string(ndim) + " dims, but " +
                          std::to_string(named) + " were indexed",
                      ndim ? "Give " + std::to_string(ndim) + " or fewer." : "A scalar has no dims to index.");
  return named;
}

Pick whole_dim(const Array& x, int d) { return {Pick::Kind::range, 0, x.shape()[static_cast<std::size_t>(d)], 1, {}}; }

Pick pick_integer(const Array& x, int d, std::int64_t i) {
  const std::int64_t n = x.shape()[static_cast<std::size_t>(d)], at = i < 0 ? i + n : i;
  if (at < 0 || at >= n)
    raise<IndexError>("index",
                      std::to_string(i) + " is out of range for dim " + std::to_string(d) + " of " + x.type().str() +
                          ", of extent " + std::to_string(n),
                      n ? "Indices go from " + std::to_string(-n) + " to " + std::to_string(n - 1) + "."
                        : "The dim is empty: there is nothing to index.");
  return {Pick::Kind::integer, at, 1, 1, {}};
}

Pick pick_array(int d, const Array& i) {
  if (!i.dtype().is_integer())
    raise<TypeError>("index", "the index of dim " + std::to_string(d) + " is " + i.type().str(),
                     "Indices are integers: convert with astype(int32).");
  return {Pick::Kind::array, 0, 0, 1, i};
}

// A mask stands for the positions where it holds, an array per dim of it.
std::vector<Array> mask_positions(const Array& x, int d, const Array& mask) {
  if (mask.is_traced())
    raise<TracerError>("index",
                       "the mask " + mask.type().str() + " as an index of " + x.type().str() +
                           ": the result's shape would depend on values, and the mask is traced",
                       "Use where(mask, x, 0), or nonzero(mask, {.size = n}).");
  for (int k = 0; k < mask.ndim(); ++k)
    if (mask.shape()[k] != x.shape()[d + k])
      raise<IndexError>(
          "index",
          "the mask " + mask.type().str() + " does not fit dim " + std::to_string(d + k) + " of " + x.type().str(),
          "A mask has the extents of the dims that it stands for.");
  return mask.ndim() ? nonzero(mask) : std::vector<Array>{};
}

Pick pick(const Array& x, int d, const Index& i) {
  switch (i.kind) {
    case Index::Kind::integer: return pick_integer(x, d, i.integer);
    case Index::Kind::slice: return pick_slice(x, d, i.slice);
    case Index::Kind::array: return pick_array(d, i.array);
    default: return whole_dim(x, d);
  }
}

}  // namespace

IndexPlan plan_of(const Array& x, const std::vector<Index>& index) {
  const int unnamed = x.ndim() - named_dims(x, index);
  IndexPlan plan;
  auto add = [&](const Pick& p) {
    plan.order.push_back(static_cast<int>(plan.picks.size()));
    plan.picks.push_back(p);
    plan.has_array = plan.has_array || p.kind == Pick::Kind::array;
  };
  auto next = [&] { return static_cast<int>(plan.picks.size()); };
  for (const Index& i : index) {
    if (i.kind == Index::Kind::newaxis)
      plan.order.push_back(-1);
    else if (i.kind == Index::Kind::ellipsis)
      for (int k = 0; k < unnamed; ++k) add(whole_dim(x, next()));
    else if (i.kind == Index::Kind::array && i.array.dtype().is_bool() && i.array.ndim() > 0)
      for (const Array& at : mask_positions(x, next(), i.array)) add({Pick::Kind::array, 0, 0, 1, at});
    else
      add(pick(x, next(), i));
  }
  while (next() < x.ndim()) add(whole_dim(x, next()));
  return plan;
}

std::vector<Index> reachable(const Array& x, std::vector<Index> index, AtMode mode) {
  auto number = [](const Index& i) { return i.kind == Index::Kind::integer; };
  if (mode == AtMode::automatic || std::none_of(index.begin(), index.end(), number)) return index;
  const int named = named_dims(x, index);
  int d = 0;
  for (Index& i : index) {
    if (i.kind == Index::Kind::ellipsis) d += x.ndim() - named;
    if (i.kind == Index::Kind::ellipsis || i.kind == Index::Kind::newaxis) continue;
    const bool mask = i.kind == Index::Kind::array && i.array.dtype().is_bool();
    const std::int64_t n = mask ? 0 : x.shape()[static_cast<std::size_t>(d)];
    if (number(i) && (i.integer < -n || i.integer >= n))
      i = Index(array_from_scalar(Scalar(i.integer).to(ops::position_dtype(x.shape())), false), i.loc);
    d += mask ? i.array.ndim() : 1;
  }
  return index;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
