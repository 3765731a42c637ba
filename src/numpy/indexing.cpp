// Index expressions, functional updates and take. Integers and slices become slices, arrays a gather (scatter).
#include <algorithm>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {

using ops::Dims;

namespace {

// One dim of x under an index expression.
struct Pick {
  enum class Kind { range, integer, array } kind = Kind::range;
  std::int64_t start = 0, count = 0, step = 1;  // range; integer: start
  Array array;
};

// An index expression resolved against a shape: a Pick per dim of x, and where new dims of extent 1 stand among the
// entries.
struct Plan {
  std::vector<Pick> picks;  // per dim
  std::vector<int> order;   // entries: a dim, or -1 for a new dim
  bool has_array = false;
};

// Python's slice.indices.
Pick resolve(const Array& x, int d, const Slice& s) {
  const std::int64_t n = x.shape()[static_cast<std::size_t>(d)];
  Pick p;
  constexpr std::int64_t far = std::int64_t(1) << 62;  // longer steps are as good as this one
  p.step = std::clamp(s.step.value.value_or(1), -far, far);
  if (p.step == 0)
    raise<ValueError>("index", "the step of the slice of dim " + std::to_string(d) + " of " + x.type().str() + " is 0",
                      "Steps are positive or negative.");
  auto bound = [&](const Bound& b, std::int64_t open) {
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

Plan plan_of(const Array& x, const std::vector<Index>& index) {
  const Shape& shape = x.shape();
  Plan plan;
  int used = 0, ellipses = 0;
  for (const Index& i : index) {
    if (i.kind == Index::Kind::ellipsis)
      ++ellipses;
    else if (i.kind == Index::Kind::array && i.array.dtype().is_bool())
      raise<UnsupportedError>("index",
                              "the mask " + i.array.type().str() + " as an index of " + x.type().str() +
                                  ": the result's shape would depend on values",
                              "Use where(mask, x, 0).");
    else if (i.kind != Index::Kind::newaxis)
      ++used;
  }
  if (ellipses > 1)
    raise<IndexError>("index", std::to_string(ellipses) + " ellipses in the index of " + x.type().str(),
                      "One ellipsis stands for all dims that are not named.");
  if (used > shape.ndim())
    raise<IndexError>(
        "index",
        "too many indices: " + x.type().str() + " has " + std::to_string(shape.ndim()) + " dims, but " +
            std::to_string(used) + " were indexed",
        shape.ndim() ? "Give " + std::to_string(shape.ndim()) + " or fewer." : "A scalar has no dims to index.");
  auto whole = [&](int d) {
    plan.order.push_back(d);
    plan.picks.push_back({Pick::Kind::range, 0, shape[d], 1, {}});
  };
  for (const Index& i : index) {
    int d = static_cast<int>(plan.picks.size());
    switch (i.kind) {
      case Index::Kind::newaxis: plan.order.push_back(-1); break;
      case Index::Kind::ellipsis:
        for (int k = used; k < shape.ndim(); ++k) whole(static_cast<int>(plan.picks.size()));
        break;
      case Index::Kind::all: whole(d); break;
      case Index::Kind::slice:
        plan.order.push_back(d);
        plan.picks.push_back(resolve(x, d, i.slice));
        break;
      case Index::Kind::integer: {
        std::int64_t at = i.integer < 0 ? i.integer + shape[d] : i.integer;
        if (at < 0 || at >= shape[d])
          raise<IndexError>(
              "index",
              std::to_string(i.integer) + " is out of range for dim " + std::to_string(d) + " of " + x.type().str() +
                  ", of extent " + std::to_string(shape[d]),
              shape[d] ? "Indices go from " + std::to_string(-shape[d]) + " to " + std::to_string(shape[d] - 1) + "."
                       : "The dim is empty: there is nothing to index.");
        plan.order.push_back(d);
        plan.picks.push_back({Pick::Kind::integer, at, 1, 1, {}});
        break;
      }
      case Index::Kind::array:
        if (!i.array.dtype().is_integer())
          raise<TypeError>("index", "the index of dim " + std::to_string(d) + " is " + i.array.type().str(),
                           "Indices are integers: convert with astype(int32).");
        plan.order.push_back(d);
        plan.picks.push_back({Pick::Kind::array, 0, 0, 1, i.array});
        plan.has_array = true;
        break;
    }
  }
  while (static_cast<int>(plan.picks.size()) < shape.ndim()) whole(static_cast<int>(plan.picks.size()));
  return plan;
}

DType index_dtype(const Shape& shape) {
  for (std::int64_t d : shape)
    if (d > INT32_MAX) return canonical(int64);
  return int32;
}

// Indices counted from the front.
Array from_front(const Array& i, std::int64_t extent, DType dtype) {
  Array x = lax::convert_element_type(i, dtype);
  if (i.dtype().is_unsigned()) return x;
  auto every = [&](double v) { return lax::broadcast_in_dim(ops::literal(dtype, v), x.shape(), {}); };
  return lax::select(lax::lt(x, every(0)), lax::add(x, every(static_cast<double>(extent))), x);
}

// Without arrays: a slice, a reversal where steps are negative, a reshape.
Array sliced(const Array& x, const Plan& plan, bool keep_integers = false) {
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
GatherPlan gather_plan(const Array& x, const Plan& plan) {
  GatherPlan g;
  DType dtype = index_dtype(x.shape());
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
Shape full_shape(const Plan& plan, const GatherPlan& g) {
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

Array gathered(const Array& x, const Plan& plan) {
  Array base = sliced(x, plan, true);
  GatherPlan g = gather_plan(base, plan);
  lax::GatherDims dims;
  for (int d = 0; d < base.ndim() - static_cast<int>(g.indexed.size()); ++d)
    dims.offset_dims.push_back(d < g.at ? d : d + g.batch.ndim());
  dims.collapsed_slice_dims = g.indexed;
  dims.start_index_map = g.indexed;
  // Traced indices that are out of range are clamped.
  Array y = lax::gather(base, g.indices, dims, g.sizes, lax::GatherMode::clip);
  return reshape(y, full_shape(plan, g));
}

// An element of what pmap returned is an uncommitted array on the device that it lies on.
Array on_its_device(const Array& x, const Plan& plan, const Array& y) {
  if (!x.node()->rows || plan.picks.empty() || plan.picks[0].kind != Pick::Kind::integer || y.is_traced()) return y;
  for (const auto& [device, index] : x.sharding().devices_indices_map(x.shape()))
    if (index[0].start <= plan.picks[0].start && plan.picks[0].start < index[0].stop)
      return make_array(y.type(), buffer_of(y, "index"), SingleDeviceSharding(device));
  return y;
}

Array indexed(const Array& x, const std::vector<Index>& index) {
  CallScope scope(index.empty() ? Loc() : index[0].loc);
  Plan plan = plan_of(x, index);
  if (plan.has_array) return gathered(x, plan);
  // x[i] on a concrete array: the index is an operand, so that another i needs no new program.
  if (index.size() == 1 && index[0].kind == Index::Kind::integer && !x.is_traced()) {
    std::vector<Array> starts(x.ndim(), ops::literal(int32, 0));
    starts[0] = array_from_scalar(Scalar(plan.picks[0].start).to(index_dtype(x.shape())), false);
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
Array box_updated(const Array& x, const Plan& plan, const Array& v, lax::ScatterKind kind) {
  Shape sizes;
  std::vector<Array> starts;
  DType dtype = index_dtype(x.shape());
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
Array scattered(const Array& x, const Plan& plan, const Array& v, lax::ScatterKind kind) {
  GatherPlan g = plan.has_array ? gather_plan(x, plan) : GatherPlan{};  // integers alone have the common shape ()
  DType dtype = index_dtype(x.shape());
  Shape batch;
  std::vector<int> partial;
  Dims window, places;
  for (int d = 0; d < x.ndim(); ++d) {
    const Pick& p = plan.picks[d];
    bool range = p.kind == Pick::Kind::range, whole = range && p.count == x.shape()[d] && p.step == 1;
    if (whole)
      window.push_back(d);
    else
      places.push_back(d);
    if (range && !whole) {
      partial.push_back(d);
      batch.push_back(p.count);
    }
  }
  int ranges = batch.ndim();
  for (std::int64_t b : g.batch) batch.push_back(b);
  Shape column = batch;
  column.push_back(1);
  std::vector<Array> columns;
  auto every = [&](std::int64_t c) {
    return lax::broadcast_in_dim(ops::literal(dtype, static_cast<double>(c)), batch, {});
  };
  for (std::int64_t d : places) {
    const Pick& p = plan.picks[d];
    Array i;
    if (p.kind == Pick::Kind::range) {
      int along = static_cast<int>(std::find(partial.begin(), partial.end(), d) - partial.begin());
      i = lax::add(lax::mul(lax::iota(dtype, batch, along), every(p.step)), every(p.start));
    } else if (p.kind == Pick::Kind::integer) {
      i = every(p.start);
    } else {
      i = lax::broadcast_in_dim(ops::spread_to(from_front(p.array, x.shape()[d], dtype), g.batch), batch,
                                ops::range(ranges, batch.ndim()));
    }
    columns.push_back(lax::reshape(i, column));
  }
  // Dims of v, in the order of the expression, brought to [batch, windows].
  std::vector<std::int64_t> from(x.ndim(), -1);
  std::int64_t arrays_at = plan.has_array && g.front ? 0 : -1, next = arrays_at < 0 ? 0 : g.batch.ndim();
  for (int d : plan.order) {
    if (d < 0) {
      ++next;
    } else if (plan.picks[d].kind == Pick::Kind::range) {
      from[d] = next++;
    } else if (plan.has_array && arrays_at < 0) {
      arrays_at = next;
      next += g.batch.ndim();
    }
  }
  Dims order;
  for (int d : partial) order.push_back(from[d]);
  for (int k = 0; plan.has_array && k < g.batch.ndim(); ++k) order.push_back(arrays_at + k);
  for (std::int64_t d : window) order.push_back(from[d]);
  for (int k = 0; k < v.ndim(); ++k)
    if (!ops::contains(order, k)) order.push_back(k);  // new dims, of extent 1
  Array updates = order == ops::range(0, v.ndim()) ? v : lax::transpose(v, order);
  Shape shape = batch;
  for (std::int64_t d : window) shape.push_back(x.shape()[d]);
  Array indices = columns.size() == 1 ? columns[0] : lax::concatenate(columns, batch.ndim());
  lax::ScatterDims dims;
  dims.update_window_dims = ops::range(batch.ndim(), shape.ndim());
  dims.inserted_window_dims = dims.scatter_dims_to_operand_dims = places;
  return lax::scatter(x, indices, reshape(updates, shape), dims, kind, lax::GatherMode::fill);
}

Array updated(const char* function, const Array& x, const std::vector<Index>& index, const Operand& value,
              lax::ScatterKind kind) {
  CallScope scope(value.loc, {"", function, 0});
  Plan plan = plan_of(x, index);
  bool box =
      !plan.has_array && std::all_of(plan.picks.begin(), plan.picks.end(), [](const Pick& p) { return p.step == 1; });
  Shape result = full_shape(plan, plan.has_array ? gather_plan(x, plan) : GatherPlan{});
  Array v = broadcast_to(lax::convert_element_type(value.array, x.dtype()), result);
  return box ? box_updated(x, plan, v, kind) : scattered(x, plan, v, kind);
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

Array AtIndex::get(Loc loc) const {
  CallScope scope(loc, {"", "at.get", 0});
  return indexed(x_, index_);
}
Array AtIndex::set(const Operand& v) const { return updated("at.set", x_, index_, v, lax::ScatterKind::set); }
Array AtIndex::add(const Operand& v) const { return updated("at.add", x_, index_, v, lax::ScatterKind::add); }
Array AtIndex::mul(const Operand& v) const { return updated("at.mul", x_, index_, v, lax::ScatterKind::mul); }
Array AtIndex::min(const Operand& v) const { return updated("at.min", x_, index_, v, lax::ScatterKind::min); }
Array AtIndex::max(const Operand& v) const { return updated("at.max", x_, index_, v, lax::ScatterKind::max); }

}  // namespace tutti
