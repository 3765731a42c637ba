// Index expressions, functional updates and take. Integers and slices become slices, arrays a gather (scatter).
#include <algorithm>
#include <optional>

#include "array/node.hpp"
#include "lax/as_often.hpp"
#include "numpy/dims.hpp"
#include "numpy/index_plan.hpp"
#include "numpy/promotion.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {

using ops::Dims;

namespace {

// Indices counted from the front.
Array from_front(const Array& i, std::int64_t extent, DType dtype) {
  Array x = ops::exactly(i, dtype);
  if (i.dtype().is_unsigned()) return x;
  auto every = [&](double v) { return lax::broadcast_in_dim(ops::literal(dtype, v), x.shape(), {}); };
  return lax::select(lax::lt(x, every(0)), lax::add(x, every(static_cast<double>(extent))), x);
}

// Without arrays: a slice, a reversal where steps are negative, a reshape.
Array sliced(const Array& x, const IndexPlan& plan, bool keep_integers = false) {
  Dims start, limit, strides, reversed;
  bool moves = false;
  for (std::size_t d = 0; d < plan.picks.size(); ++d) {
    const Pick& p = plan.picks[d];
    std::int64_t by = std::abs(p.step), extent = x.shape()[d];
    if (p.kind == Pick::Kind::array) {
      start.push_back(0);
      limit.push_back(extent);
      strides.push_back(1);
      continue;
    }
    std::int64_t low = p.count == 0 ? 0 : p.step > 0 ? p.start : p.start + (p.count - 1) * p.step;
    start.push_back(low);
    limit.push_back(p.count == 0 ? low : low + (p.count - 1) * by + 1);
    strides.push_back(p.count > 1 ? by : 1);
    if (p.step < 0 && p.count > 1) reversed.push_back(static_cast<std::int64_t>(d));
    moves = moves || p.count != extent;
  }
  Array y = moves ? lax::slice(x, start, limit, strides) : x;
  if (!reversed.empty()) y = lax::rev(y, reversed);
  if (keep_integers) return y;
  Shape to;
  for (int d : plan.order)
    if (d < 0 || plan.picks[d].kind == Pick::Kind::range) to.push_back(d < 0 ? 1 : plan.picks[d].count);
  return reshape(y, to);
}

// With arrays: what a gather (scatter) along the indexed dims needs. Integers beside arrays count as arrays, as in
// NumPy. The dims of the broadcast indices come first, unless all arrays stand side by side: then in their place.
struct GatherPlan {
  Array indices;       // [..., number of indexed dims]
  Dims indexed;        // dims of x
  Shape sizes;         // of a window
  Shape batch;         // the common shape of the arrays
  bool front = false;  // their dims come first in the result, else where the first array stands
  int at = 0;          // range dims before theirs
};
GatherPlan gather_plan(const Array& x, const IndexPlan& plan) {
  GatherPlan g;
  DType dtype = ops::position_dtype(x.shape());
  std::vector<Array> arrays;
  int first = -1, last = -1;
  for (std::size_t e = 0; e < plan.order.size(); ++e) {
    int d = plan.order[e];
    if (d < 0 || plan.picks[d].kind == Pick::Kind::range) continue;
    if (first < 0) first = static_cast<int>(e);
    last = static_cast<int>(e);
    g.indexed.push_back(d);
    const Pick& p = plan.picks[d];
    // Integers were cut out by the slice before: they are position 0 of extent 1.
    arrays.push_back(p.kind == Pick::Kind::array ? from_front(p.array, x.shape()[d], dtype) : ops::literal(dtype, 0));
  }
  g.front = last - first + 1 != static_cast<int>(g.indexed.size());
  std::vector<Shape> shapes;
  for (const Array& a : arrays) shapes.push_back(a.shape());
  g.batch = ops::common_shape("index", shapes);
  Shape column = g.batch;
  column.push_back(1);
  for (Array& a : arrays) a = lax::reshape(ops::spread_to(a, g.batch), column);
  g.indices = arrays.size() == 1 ? arrays[0] : lax::concatenate(arrays, g.batch.ndim());
  g.sizes = x.shape();
  for (std::int64_t d : g.indexed) g.sizes[d] = 1;
  for (int e = 0; !g.front && e < first; ++e) g.at += plan.order[e] >= 0;
  return g;
}

// The result's shape: ranges, new dims, and the dims of the arrays in their place.
Shape full_shape(const IndexPlan& plan, const GatherPlan& g) {
  Shape out;
  bool placed = !plan.has_array;
  auto place = [&] {
    for (std::int64_t b : g.batch) out.push_back(b);
    placed = true;
  };
  if (plan.has_array && g.front) place();
  for (int d : plan.order) {
    if (d < 0)
      out.push_back(1);
    else if (plan.picks[d].kind == Pick::Kind::range)
      out.push_back(plan.picks[d].count);
    else if (!placed)
      place();
  }
  return out;
}

// Indices that are out of range are clamped, unless `mode` says otherwise. As in JAX, the derivative of the element
// that a scalar index was clamped to counts, as in dynamic_slice; that of elements read by arrays of indices does not.
Array gathered(const Array& x, const IndexPlan& plan, std::optional<lax::GatherMode> mode = std::nullopt) {
  Array base = sliced(x, plan, true);
  GatherPlan g = gather_plan(base, plan);
  lax::GatherDims dims;
  for (int d = 0; d < base.ndim() - static_cast<int>(g.indexed.size()); ++d)
    dims.offset_dims.push_back(d < g.at ? d : d + g.batch.ndim());
  dims.collapsed_slice_dims = g.indexed;
  dims.start_index_map = g.indexed;
  const bool by_slices = g.batch.ndim() == 0 && std::all_of(plan.picks.begin(), plan.picks.end(), [](const Pick& p) {
                           return p.kind != Pick::Kind::range || p.step == 1;
                         });
  const auto clamped = by_slices ? lax::GatherMode::clip : lax::GatherMode::promise_in_bounds;
  Array y = lax::gather(base, g.indices, dims, g.sizes, mode.value_or(clamped));
  return reshape(y, full_shape(plan, g));
}

// An element of what pmap returned is an uncommitted array on the device that it lies on.
Array on_its_device(const Array& x, const IndexPlan& plan, const Array& y) {
  if (!x.node()->rows || plan.picks.empty() || plan.picks[0].kind != Pick::Kind::integer || y.is_traced()) return y;
  for (const auto& [device, index] : x.sharding().devices_indices_map(x.shape()))
    if (index[0].start <= plan.picks[0].start && plan.picks[0].start < index[0].stop)
      return moved_to(y, SingleDeviceSharding(device), false, "index");
  return y;
}

Array indexed(const Array& x, const std::vector<Index>& index) {
  CallScope scope(index.empty() ? Loc() : index[0].loc);
  IndexPlan plan = plan_of(x, index);
  if (plan.has_array) return gathered(x, plan);
  // x[i] on a concrete array: the index is an operand, so that another i needs no new program.
  if (index.size() == 1 && index[0].kind == Index::Kind::integer && !x.is_traced()) {
    std::vector<Array> starts(x.ndim(), ops::literal(int32, 0));
    starts[0] = array_from_scalar(Scalar(plan.picks[0].start).to(ops::position_dtype(x.shape())), false);
    Shape sizes = x.shape();
    sizes[0] = 1;
    Shape to(Dims(sizes.begin() + 1, sizes.end()));
    return on_its_device(x, plan, lax::reshape(lax::dynamic_slice(x, starts, sizes), to));
  }
  return on_its_device(x, plan, sliced(x, plan));
}

Array combined(const Array& x, const Array& y, lax::ScatterKind kind) {
  switch (kind) {
    case lax::ScatterKind::set: return y;
    case lax::ScatterKind::add: return lax::add(x, y);
    case lax::ScatterKind::mul: return lax::mul(x, y);
    case lax::ScatterKind::min: return lax::min(x, y);
    case lax::ScatterKind::max: return lax::max(x, y);
  }
  return y;
}

// A box without steps is written in one piece.
Array box_updated(const Array& x, const IndexPlan& plan, const Array& v, lax::ScatterKind kind) {
  Shape sizes;
  std::vector<Array> starts;
  DType dtype = ops::position_dtype(x.shape());
  for (const Pick& p : plan.picks) {
    sizes.push_back(p.count);
    starts.push_back(array_from_scalar(Scalar(p.count ? p.start : 0).to(dtype), false));
  }
  Array y = reshape(v, sizes);
  if (kind != lax::ScatterKind::set) y = combined(sliced(x, plan, true), y, kind);
  return lax::dynamic_update_slice(x, y, starts);
}

// The rest is a scatter. Its batch dims: ranges that are not whole, as positions along a dim each, then the dims of the
// arrays. Its windows: the whole ranges.
struct ScatterPlan {
  GatherPlan arrays;         // without arrays: integers alone, of the common shape ()
  std::vector<int> partial;  // dims whose range is not whole
  Dims window, places;       // dims that are whole, and those that have positions
  Shape batch;
};
ScatterPlan scatter_plan(const Array& x, const IndexPlan& plan) {
  ScatterPlan s;
  if (plan.has_array) s.arrays = gather_plan(x, plan);
  for (int d = 0; d < x.ndim(); ++d) {
    const Pick& p = plan.picks[d];
    const bool range = p.kind == Pick::Kind::range, whole = range && p.count == x.shape()[d] && p.step == 1;
    (whole ? s.window : s.places).push_back(d);
    if (!range || whole) continue;
    s.partial.push_back(d);
    s.batch.push_back(p.count);
  }
  for (std::int64_t b : s.arrays.batch) s.batch.push_back(b);
  return s;
}

// Where the windows go: a position in each of `places`, for every element of the batch.
Array scatter_indices(const Array& x, const IndexPlan& plan, const ScatterPlan& s) {
  const DType dtype = ops::position_dtype(x.shape());
  const Dims array_dims = ops::range(static_cast<std::int64_t>(s.partial.size()), s.batch.ndim());
  auto every = [&](std::int64_t c) {
    return lax::broadcast_in_dim(array_from_scalar(Scalar(c).to(dtype), false), s.batch, {});
  };
  Shape column = s.batch;
  column.push_back(1);
  std::vector<Array> columns;
  for (std::int64_t d : s.places) {
    const Pick& p = plan.picks[d];
    Array i;
    if (p.kind == Pick::Kind::range) {
      auto along = std::find(s.partial.begin(), s.partial.end(), d) - s.partial.begin();
      i = lax::add(lax::mul(ops::positions(dtype, s.batch, static_cast<int>(along)), every(p.step)), every(p.start));
    } else if (p.kind == Pick::Kind::integer) {
      i = every(p.start);
    } else {
      Array own = ops::spread_to(from_front(p.array, x.shape()[d], dtype), s.arrays.batch);
      i = lax::broadcast_in_dim(own, s.batch, array_dims);
    }
    columns.push_back(lax::reshape(i, column));
  }
  return columns.size() == 1 ? columns[0] : lax::concatenate(columns, s.batch.ndim());
}

// The dims of v, which stand in the order of the expression, as batch dims and windows.
Array scatter_updates(const Array& x, const IndexPlan& plan, const ScatterPlan& s, const Array& v) {
  std::vector<std::int64_t> from(x.ndim(), -1);
  const std::int64_t dims = plan.has_array ? s.arrays.batch.ndim() : 0;
  std::int64_t arrays_at = plan.has_array && s.arrays.front ? 0 : -1, next = arrays_at < 0 ? 0 : dims;
  for (int d : plan.order) {
    if (d < 0) {
      ++next;
    } else if (plan.picks[d].kind == Pick::Kind::range) {
      from[d] = next++;
    } else if (plan.has_array && arrays_at < 0) {
      arrays_at = next;
      next += dims;
    }
  }
  Dims order;
  Shape shape = s.batch;
  for (int d : s.partial) order.push_back(from[d]);
  for (int k = 0; k < dims; ++k) order.push_back(arrays_at + k);
  for (std::int64_t d : s.window) {
    order.push_back(from[d]);
    shape.push_back(x.shape()[d]);
  }
  for (int k = 0; k < v.ndim(); ++k)
    if (!ops::contains(order, k)) order.push_back(k);  // new dims, of extent 1
  return reshape(order == ops::range(0, v.ndim()) ? v : lax::transpose(v, order), shape);
}

Array scattered(const Array& x, const IndexPlan& plan, const Array& v, lax::ScatterKind kind, lax::GatherMode mode) {
  const ScatterPlan s = scatter_plan(x, plan);
  lax::ScatterDims dims;
  dims.update_window_dims = ops::range(s.batch.ndim(), s.batch.ndim() + static_cast<std::int64_t>(s.window.size()));
  dims.inserted_window_dims = dims.scatter_dims_to_operand_dims = s.places;
  return lax::scatter(x, scatter_indices(x, plan, s), scatter_updates(x, plan, s, v), dims, kind, mode);
}

Array updated(const char* function, const Array& x, const std::vector<Index>& index, const Operand& value,
              lax::ScatterKind kind, AtMode mode) {
  CallScope scope(value.loc, {"", function, 0});
  // Computed in the common dtype, kept in x's: 7 times 1.5 is 10 among integers.
  if (const DType common = ops::promote({x, value.array}).dtype; kind != lax::ScatterKind::set && common != x.dtype())
    return lax::convert_element_type(updated(function, lax::convert_element_type(x, common), index, value, kind, mode),
                                     x.dtype(), x.weak_type());
  // A mask and one value: no position is needed, so the mask may be traced.
  if (index.size() == 1 && index[0].kind == Index::Kind::array && index[0].array.dtype().is_bool() &&
      value.array.ndim() == 0 && index[0].array.is_traced() && index[0].array.ndim() <= x.ndim()) {
    const Array v = ops::spread_to(lax::convert_element_type(value.array, x.dtype()), x.shape());
    Array mask = index[0].array;
    while (mask.ndim() < x.ndim()) mask = expand_dims(mask, -1);
    return where(mask, combined(x, v, kind), x);
  }
  IndexPlan plan = plan_of(x, reachable(x, index, mode));
  bool box =
      !plan.has_array && std::all_of(plan.picks.begin(), plan.picks.end(), [](const Pick& p) { return p.step == 1; });
  Shape result = full_shape(plan, plan.has_array ? gather_plan(x, plan) : GatherPlan{});
  Array v = broadcast_to(lax::convert_element_type(value.array, x.dtype()), result);
  if (x.size() == 0) return x;
  return box ? box_updated(x, plan, v, kind)
             : scattered(x, plan, v, kind, mode == AtMode::clip ? lax::GatherMode::clip : lax::GatherMode::fill);
}

// The products of what v says of each position; 1 where it says nothing.
Array factors(const Array& x, const std::vector<Index>& index, const Operand& v, AtMode mode) {
  return AtIndex(ones_like(x), index).mul(v, mode);
}

}  // namespace

Array Array::operator[](const Index& i) const { return indexed(*this, {i}); }
Array Array::operator()(const Index& a) const { return indexed(*this, {a}); }
Array Array::operator()(const Index& a, const Index& b) const { return indexed(*this, {a, b}); }
Array Array::operator()(const Index& a, const Index& b, const Index& c) const { return indexed(*this, {a, b, c}); }
Array Array::operator()(const Index& a, const Index& b, const Index& c, const Index& d) const {
  return indexed(*this, {a, b, c, d});
}
Array Array::operator()(const Index& a, const Index& b, const Index& c, const Index& d, const Index& e) const {
  return indexed(*this, {a, b, c, d, e});
}

Array Array::index(const std::vector<Index>& entries) const { return indexed(*this, entries); }

Array AtIndex::get(Loc loc) const {
  CallScope scope(loc, {"", "at.get", 0});
  return indexed(x_, index_);
}
Array AtIndex::get(OneOf<AtMode> mode, const Array& fill_value, Loc loc) const {
  CallScope scope(loc, {"", "at.get", 0});
  const std::vector<Index> index = reachable(x_, index_, mode);
  IndexPlan plan = plan_of(x_, index);
  if (mode == AtMode::clip && plan.has_array) return gathered(x_, plan, lax::GatherMode::clip);
  if (mode != AtMode::fill || !plan.has_array) return indexed(x_, index);
  Array y = gathered(x_, plan, lax::GatherMode::fill);
  if (!fill_value.has_value()) return y;
  const Array there = gathered(full_like(x_, 1, int32), plan, lax::GatherMode::fill) == 1;
  return where(there, y, lax::convert_element_type(fill_value, x_.dtype()));
}
Array AtIndex::set(const Operand& v, OneOf<AtMode> mode) const {
  return updated("at.set", x_, index_, v, lax::ScatterKind::set, mode);
}
Array AtIndex::add(const Operand& v, OneOf<AtMode> mode) const {
  return updated("at.add", x_, index_, v, lax::ScatterKind::add, mode);
}
Array AtIndex::subtract(const Operand& v, OneOf<AtMode> mode) const {
  CallScope scope(v.loc, {"", "at.subtract", 0});
  return updated("at.subtract", x_, index_, -v.array, lax::ScatterKind::add, mode);
}
Array AtIndex::mul(const Operand& v, OneOf<AtMode> mode) const {
  return updated("at.mul", x_, index_, v, lax::ScatterKind::mul, mode);
}
Array AtIndex::divide(const Operand& v, OneOf<AtMode> mode) const {
  CallScope scope(v.loc, {"", "at.divide", 0});
  return x_ / factors(x_, index_, v, mode);
}
Array AtIndex::power(const Operand& v, OneOf<AtMode> mode) const {
  CallScope scope(v.loc, {"", "at.power", 0});
  return tutti::power(x_, factors(x_, index_, v, mode));
}
Array AtIndex::applied(const std::function<Array(const Array&)>& f, Loc loc) const {
  CallScope scope(loc, {"", "at.apply", 0});
  auto once = [&](const Array& x) {
    const AtIndex at(x, index_);
    return at.set({f(at.get(loc)), loc});
  };
  auto may_repeat = [](const Index& i) { return i.kind == Index::Kind::array && i.array.dtype().is_integer(); };
  if (std::none_of(index_.begin(), index_.end(), may_repeat)) return once(x_);
  const Array times = AtIndex(zeros_like(x_, int32), index_).add({1, loc});
  return lax::as_often(times, AtIndex(times, index_).get(loc).size(), x_, once);
}
Array AtIndex::min(const Operand& v, OneOf<AtMode> mode) const {
  return updated("at.min", x_, index_, v, lax::ScatterKind::min, mode);
}
Array AtIndex::max(const Operand& v, OneOf<AtMode> mode) const {
  return updated("at.max", x_, index_, v, lax::ScatterKind::max, mode);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
