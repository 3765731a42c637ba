// NumPy-like functions that reshape, join and cut arrays.
#include <algorithm>

#include "mesh/conflict.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/copy.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/roll.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {

using ops::Dims;

namespace ops {

namespace {
int normal_axis(const char* function, std::int64_t axis, int ndim, const std::string& of) {
  if (axis < -ndim || axis >= ndim)
    raise<IndexError>(
        function, "axis " + std::to_string(axis) + " is out of range for " + of,
        ndim ? "Axes are " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1) + "." : "A scalar has no axes.");
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}
}  // namespace

int normal_axis(const char* function, std::int64_t axis, int ndim) {
  return normal_axis(function, axis, ndim, "an array of " + std::to_string(ndim) + " dims");
}
int normal_axis(const char* function, std::int64_t axis, const Array& x) {
  return normal_axis(function, axis, x.ndim(), x.type().str());
}

void check_extents(const char* function, const Shape& shape) {
  for (std::int64_t d : shape)
    if (d < 0)
      raise<ShapeError>(function, "the shape " + shape.str() + " has a negative extent", "Extents are 0 or more.");
}

DType position_dtype(const Shape& shape) {
  for (std::int64_t d : shape)
    if (d > INT32_MAX) return int64;
  return int32;
}
Array exactly(const Array& x, DType dtype) {
  return x.dtype() == dtype ? x : bind1(convert_element_type, ConvertElementType{dtype, false}, {x});
}
Array positions(DType dtype, const Shape& shape, int dim) { return bind1(iota, Iota{dtype, shape, dim}, {}); }

std::vector<Array> same_dtype(std::vector<Array> xs) {
  if (xs.empty()) return xs;
  bool same = std::all_of(xs.begin(), xs.end(), [&](const Array& x) {
    return x.dtype() == xs[0].dtype() && x.weak_type() == xs[0].weak_type();
  });
  if (same) return xs;
  Promotion p = promote(xs);
  for (Array& x : xs) x = converted(x, p);
  return xs;
}

}  // namespace ops

Array reshape(const In& x, const Shape& shape) {
  CallScope scope(x.loc);
  Shape to = shape;
  std::int64_t known = 1, open = -1;
  bool wraps = false, empty = false;
  for (int d = 0; d < to.ndim(); ++d) {
    if (to[d] == -1) {
      if (open >= 0)
        raise<ShapeError>("reshape", "the shape " + shape.str() + " has more than one -1",
                          "One extent at most can be inferred.");
      open = d;
      continue;
    }
    if (to[d] < 0)
      raise<ShapeError>("reshape", "the shape " + shape.str() + " has the extent " + std::to_string(to[d]),
                        "Extents are 0 or more, or -1 once: what is left.");
    empty = empty || to[d] == 0;
    wraps = wraps || __builtin_mul_overflow(known, to[d], &known);
  }
  if (empty) known = 0;
  if (open >= 0) {
    if (wraps || known == 0 || x.array.size() % known != 0)
      raise<ShapeError>("reshape",
                        x.array.type().str() + " has " + std::to_string(x.array.size()) +
                            " elements, which the rest of " + shape.str() + " does not divide",
                        "A reshape keeps the number of elements.");
    to[open] = x.array.size() / known;
  }
  return to == x.array.shape() ? x.array : lax::reshape(x.array, to);
}
Array ravel(const In& x) {
  CallScope scope(x.loc);
  return reshape(x, Shape{x.array.size()});
}

Array transpose(const In& x) {
  CallScope scope(x.loc);
  Dims order = ops::range(0, x.array.ndim());
  std::reverse(order.begin(), order.end());
  return x.array.ndim() < 2 ? x.array : lax::transpose(x.array, order);
}
Array transpose(const In& x, const std::vector<int>& permutation) {
  CallScope scope(x.loc);
  Dims order;
  for (int d : permutation) order.push_back(ops::normal_axis("transpose", d, x.array));
  return lax::transpose(x.array, order);
}
Array moveaxis(const In& x, int from, int to) {
  CallScope scope(x.loc);
  int n = x.array.ndim(), a = ops::normal_axis("moveaxis", from, x.array),
      b = ops::normal_axis("moveaxis", to, x.array);
  Dims order = ops::range(0, n);
  order.erase(order.begin() + a);
  order.insert(order.begin() + b, a);
  return a == b ? x.array : lax::transpose(x.array, order);
}
Array swapaxes(const In& x, int a, int b) {
  CallScope scope(x.loc);
  Dims order = ops::range(0, x.array.ndim());
  std::swap(order[ops::normal_axis("swapaxes", a, x.array)], order[ops::normal_axis("swapaxes", b, x.array)]);
  return lax::transpose(x.array, order);
}

Array squeeze(const In& x, const Axes& axes) {
  CallScope scope(x.loc);
  const Shape& from = x.array.shape();
  std::vector<int> drop = axes.resolve(from.ndim());
  Shape to;
  for (int d = 0; d < from.ndim(); ++d) {
    bool named = std::find(drop.begin(), drop.end(), d) != drop.end();
    if (named && from[d] != 1 && !axes.is_all())
      raise<ShapeError>("squeeze", "dim " + std::to_string(d) + " of " + x.array.type().str() + " is not 1",
                        "Only dims of extent 1 can be dropped.");
    if (!named || from[d] != 1) to.push_back(from[d]);
  }
  return reshape(x.array, to);
}
Array expand_dims(const In& x, const std::vector<int>& axes) {
  CallScope scope(x.loc);
  int n = x.array.ndim() + static_cast<int>(axes.size());
  std::vector<bool> added(n, false);
  for (int a : axes) {
    int d = ops::normal_axis("expand_dims", a, n);
    if (added[d])
      raise<ValueError>("expand_dims", "axis " + std::to_string(a) + " is given twice", "Name each axis once.");
    added[d] = true;
  }
  Shape to;
  for (int d = 0, i = 0; d < n; ++d) to.push_back(added[d] ? 1 : x.array.shape()[i++]);
  return reshape(x.array, to);
}

Array broadcast_to(const In& x, const Shape& shape) {
  CallScope scope(x.loc);
  const Shape& from = x.array.shape();
  ops::check_extents("broadcast_to", shape);
  bool fits = from.ndim() <= shape.ndim();
  for (int d = 0; fits && d < from.ndim(); ++d) {
    std::int64_t to = shape[shape.ndim() - from.ndim() + d];
    fits = from[d] == 1 || from[d] == to;
  }
  if (!fits)
    raise<ShapeError>("broadcast_to", x.array.type().str() + " does not broadcast to the shape " + shape.str(),
                      "Aligned at the right, extents must be equal, or 1 in the array.");
  return ops::spread_to(x.array, shape);
}
std::vector<Array> broadcast_arrays(const std::vector<Array>& xs) {
  std::vector<Shape> shapes;
  for (const Array& x : xs) shapes.push_back(x.shape());
  Shape shape = ops::common_shape("broadcast_arrays", shapes);
  std::vector<Array> out;
  for (const Array& x : xs) out.push_back(ops::spread_to(x, shape));
  return out;
}

Array concatenate(const ArrayList& xs, int axis) {
  CallScope scope(xs.loc);
  if (xs.arrays.empty()) raise<ValueError>("concatenate", "there are no arrays", "Give at least one.");
  if (xs.arrays[0].ndim() == 0)
    raise<ValueError>("concatenate", "the first array is " + xs.arrays[0].type().str() + ": scalars have no axis",
                      "stack joins scalars.");
  int d = ops::normal_axis("concatenate", axis, xs.arrays[0]);
  return xs.arrays.size() == 1 ? xs.arrays[0] : lax::concatenate(ops::same_dtype(xs.arrays), d);
}
namespace {

// Said before the first operation on one of them, so that errors show the user's own shapes.
void check_one_device_list(const char* function, const std::vector<Array>& xs) {
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (xs[i].is_traced() || !xs[i].committed()) continue;
    Type type{xs[i].dtype(), xs[i].shape(), false, {}};
    placed.push_back({argument_text("x" + std::to_string(i + 1), function, type.str()), xs[i].sharding(), {}});
  }
  check_devices(placed);
}

}  // namespace

Array stack(const ArrayList& xs, int axis) {
  CallScope scope(xs.loc);
  if (xs.arrays.empty()) raise<ValueError>("stack", "there are no arrays", "Give at least one.");
  check_one_device_list("stack", xs.arrays);
  int d = ops::normal_axis("stack", axis, xs.arrays[0].ndim() + 1);
  std::vector<Array> parts;
  for (const Array& x : ops::same_dtype(xs.arrays)) {
    if (x.shape() != xs.arrays[0].shape())
      raise<ShapeError>("stack", "arrays of shapes " + xs.arrays[0].shape().str() + " and " + x.shape().str(),
                        "All must have one shape; concatenate joins others.");
    Shape shape = x.shape();
    shape.insert(d, 1);
    parts.push_back(lax::reshape(x, shape));
  }
  return parts.size() == 1 ? parts[0] : lax::concatenate(parts, d);
}
Array vstack(const ArrayList& xs) {
  CallScope scope(xs.loc);
  std::vector<Array> rows;
  for (const Array& x : xs.arrays) rows.push_back(x.ndim() < 2 ? reshape(x, Shape{1, -1}) : x);
  return concatenate(rows, 0);
}
Array hstack(const ArrayList& xs) {
  CallScope scope(xs.loc);
  std::vector<Array> parts;
  for (const Array& x : xs.arrays) parts.push_back(x.ndim() < 1 ? reshape(x, Shape{1}) : x);
  return concatenate(parts, parts.empty() || parts[0].ndim() == 1 ? 0 : 1);
}

std::vector<Array> split(const In& x, int parts, int axis) {
  CallScope scope(x.loc);
  int d = ops::normal_axis("split", axis, x.array);
  std::int64_t n = x.array.shape()[d];
  std::string asked =
      std::to_string(parts) + " equal parts of dim " + std::to_string(d) + " of " + x.array.type().str();
  if (parts < 1) raise<ShapeError>("split", asked, "Ask for 1 part or more.");
  if (n % parts)
    raise<ShapeError>("split", asked + " leave a rest of " + std::to_string(n % parts),
                      "Give positions instead: split(x, {2, 5}).");
  std::vector<std::int64_t> at;
  for (int i = 1; i < parts; ++i) at.push_back(n / parts * i);
  return split(x.array, at, d);
}
std::vector<Array> split(const In& x, const std::vector<std::int64_t>& at, int axis) {
  CallScope scope(x.loc);
  int d = ops::normal_axis("split", axis, x.array);
  std::int64_t n = x.array.shape()[d];
  Dims start(x.array.ndim(), 0), limit = x.array.shape().dims();
  std::vector<Array> out;
  for (std::size_t i = 0; i <= at.size(); ++i) {
    std::int64_t end = i < at.size() ? at[i] : n;
    if (end < 0) end += n;
    end = std::clamp<std::int64_t>(end, 0, n);
    limit[d] = std::max(end, start[d]);
    out.push_back(lax::slice(x.array, start, limit));
    start[d] = end;
  }
  return out;
}

Array flip(const In& x, const Axes& axes) {
  CallScope scope(x.loc);
  std::vector<int> dims = axes.resolve(x.array.ndim());
  return dims.empty() ? x.array : lax::rev(x.array, Dims(dims.begin(), dims.end()));
}
Array roll(const In& x, std::int64_t shift) {
  CallScope scope(x.loc);
  return reshape(roll(ravel(x.array), shift, 0), x.array.shape());
}
Array roll(const In& x, std::int64_t shift, int axis) {
  CallScope scope(x.loc);
  int d = ops::normal_axis("roll", axis, x.array);
  std::int64_t n = x.array.shape()[d];
  if (n == 0 || shift % n == 0) return x.array;
  return bind1(ops::roll, ops::Roll{d, (shift % n + n) % n}, {x.array});
}
Array roll(const In& x, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  CallScope scope(x.loc);
  if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1)
    raise<ValueError>("roll",
                      std::to_string(shifts.size()) + " shifts for " + std::to_string(axes.size()) + " axes of " +
                          x.array.type().str(),
                      "Give one shift per axis, or one for all.");
  Array y = x.array;
  for (std::size_t i = 0; i < std::max(shifts.size(), axes.size()); ++i)
    y = roll(y, shifts[shifts.size() == 1 ? 0 : i], axes[axes.size() == 1 ? 0 : i]);
  return y;
}
Array tile(const In& x, const Shape& repeats) {
  CallScope scope(x.loc);
  for (std::int64_t times : repeats)
    if (times < 0)
      raise<ShapeError>(
          "tile", x.array.type().str() + " " + repeats.str() + " times: " + std::to_string(times) + " is negative",
          "Repeat 0 times or more.");
  int n = std::max(x.array.ndim(), repeats.ndim());
  Shape wide, to;
  Dims dims;
  for (int d = 0; d < n; ++d) {  // each dim becomes (repeat, extent)
    int i = d - (n - x.array.ndim()), r = d - (n - repeats.ndim());
    std::int64_t extent = i < 0 ? 1 : x.array.shape()[i], times = r < 0 ? 1 : repeats[r];
    wide.push_back(times);
    if (i >= 0) dims.push_back(wide.ndim());
    wide.push_back(extent);
    to.push_back(extent::mul(times, extent));
  }
  return reshape(lax::broadcast_in_dim(x.array, wide, dims), to);
}
Array repeat(const In& x, Dim n) {
  CallScope scope(x.loc);
  return repeat(ravel(x.array), n, 0);
}
Array repeat(const In& x, Dim n, int axis) {
  CallScope scope(x.loc);
  int d = ops::normal_axis("repeat", axis, x.array);
  if (n < 0)
    raise<ShapeError>("repeat", "the elements of " + x.array.type().str() + " " + std::to_string(n.value) + " times",
                      "Repeat 0 times or more.");
  Shape wide = x.array.shape(), to = wide;
  to[d] = extent::mul(to[d], n);
  wide.insert(d + 1, n);
  Dims dims = ops::range(0, wide.ndim());
  dims.erase(dims.begin() + d + 1);
  return reshape(lax::broadcast_in_dim(x.array, wide, dims), to);
}

// --- members of Array

Array Array::reshape(const Shape& shape, Loc loc) const { return tutti::reshape({*this, loc}, shape); }
Array Array::T(Loc loc) const { return tutti::transpose({*this, loc}); }
Array Array::transpose(const std::vector<int>& permutation, Loc loc) const {
  return tutti::transpose({*this, loc}, permutation);
}
Array Array::flatten(Loc loc) const { return ravel({*this, loc}); }
Array Array::copy(Loc loc) const {
  CallScope scope(loc);
  return bind1(ops::copy, {}, {*this});
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
