// NumPy-like functions that make arrays.
#include <algorithm>
#include <cmath>

#include "array/node.hpp"
#include "array/runtime.hpp"
#include "numpy/dims.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {
namespace {

Array filled(const char* function, const Shape& shape, const Array& value, Loc loc) {
  CallScope scope(loc, {"", function, 0});
  ops::check_extents(function, shape);
  return shape.empty() && value.ndim() == 0 ? value : broadcast_to(value, shape);
}
Array number(DType dtype, double value) { return ops::literal(canonical(dtype), value); }

}  // namespace

Array zeros(const Shape& shape, DType dtype, Loc loc) { return filled("zeros", shape, number(dtype, 0), loc); }
Array ones(const Shape& shape, DType dtype, Loc loc) { return filled("ones", shape, number(dtype, 1), loc); }
Array empty(const Shape& shape, DType dtype, Loc loc) {
  CallScope scope(loc);
  return zeros(shape, dtype, loc);
}
Array full(const Shape& shape, const Operand& value) { return filled("full", shape, value.array, value.loc); }
Array full(const Shape& shape, const Operand& value, DType dtype) {
  CallScope scope(value.loc);
  return filled("full", shape, lax::convert_element_type(value.array, canonical(dtype)), value.loc);
}

namespace {

// A concrete array of x's shape, where x is committed.
Array placed_like(const Array& x, const Array& made) {
  if (x.is_traced() || made.is_traced() || !x.committed() || made.committed() || made.shape() != x.shape()) return made;
  return relocated(made, x.sharding(), true);
}

}  // namespace

Array zeros_like(const In& x) {
  CallScope scope(x.loc);
  return zeros_like(x, x.array.dtype());
}
Array zeros_like(const In& x, DType dtype) { return zeros_like(x, x.array.shape(), dtype); }
Array zeros_like(const In& x, const Shape& shape, std::optional<DType> dtype) {
  CallScope scope(x.loc);
  return placed_like(x.array, zeros(shape, dtype.value_or(x.array.dtype()), x.loc));
}
Array ones_like(const In& x) {
  CallScope scope(x.loc);
  return ones_like(x, x.array.dtype());
}
Array ones_like(const In& x, DType dtype) { return ones_like(x, x.array.shape(), dtype); }
Array ones_like(const In& x, const Shape& shape, std::optional<DType> dtype) {
  CallScope scope(x.loc);
  return placed_like(x.array, ones(shape, dtype.value_or(x.array.dtype()), x.loc));
}
Array full_like(const In& x, const Operand& value) {
  CallScope scope(x.loc);
  return full_like(x, value, x.array.dtype());
}
Array full_like(const In& x, const Operand& value, DType dtype) { return full_like(x, value, x.array.shape(), dtype); }
Array full_like(const In& x, const Operand& value, const Shape& shape, std::optional<DType> dtype) {
  CallScope scope(x.loc);
  return placed_like(x.array, full(shape, value, dtype.value_or(x.array.dtype())));
}

namespace {

// Row number compared with column number - k, as bool.
Array band(const Shape& shape, std::int64_t k, bool lower) {
  const DType dtype = ops::position_dtype(shape);
  Array rows = ops::positions(dtype, shape, shape.ndim() - 2), columns = ops::positions(dtype, shape, shape.ndim() - 1);
  k = std::clamp(k, -shape[shape.size() - 2], shape.back());  // beyond them all is above, or all below
  Array shifted = lax::add(rows, lax::broadcast_in_dim(ops::literal(dtype, static_cast<double>(k)), shape, {}));
  return lower ? lax::ge(shifted, columns) : lax::eq(shifted, columns);
}

}  // namespace

Array eye(Dim n, DType dtype, Loc loc) {
  CallScope scope(loc);
  return eye(n, n, 0, dtype, loc);
}
Array eye(Dim n, Dim m, Dim k, DType dtype, Loc loc) {
  CallScope scope(loc);
  ops::check_extents("eye", Shape{n, m});
  return lax::convert_element_type(band(Shape{n, m}, k, false), canonical(dtype));
}
Array tri(Dim n, Dim m, Dim k, DType dtype, Loc loc) {
  CallScope scope(loc);
  ops::check_extents("tri", Shape{n, m});
  return lax::convert_element_type(band(Shape{n, m}, k, true), canonical(dtype));
}
Array tril(const In& x, Dim k) {
  CallScope scope(x.loc);
  if (x.array.ndim() < 2)
    raise<ShapeError>("tril", "the array is " + x.array.type().str(), "It needs two dims or more.");
  return lax::select(band(x.array.shape(), k, true), x.array, ops::zeros(x.array.dtype(), x.array.shape()));
}
Array triu(const In& x, Dim k) {
  CallScope scope(x.loc);
  if (x.array.ndim() < 2)
    raise<ShapeError>("triu", "the array is " + x.array.type().str(), "It needs two dims or more.");
  return lax::select(band(x.array.shape(), extent::add(k, -1), true), ops::zeros(x.array.dtype(), x.array.shape()),
                     x.array);
}

Array diag(const In& x, Dim k) {
  CallScope scope(x.loc);
  const Shape& shape = x.array.shape();
  const std::int64_t down = k < 0 ? extent::mul(k, -1) : 0, right = std::max<std::int64_t>(k, 0);
  if (shape.ndim() == 1) {
    const std::int64_t n = extent::add(shape[0], down + right);
    ops::check_extents("diag", Shape{n, n});
    Array rows = lax::pad(x.array, ops::zeros(x.array.dtype(), {}), {{down, right, 0}});
    return lax::select(band(Shape{n, n}, k, false), lax::broadcast_in_dim(rows, Shape{n, n}, {0}),
                       ops::zeros(x.array.dtype(), Shape{n, n}));
  }
  if (shape.ndim() != 2)
    raise<ShapeError>("diag", "the array is " + x.array.type().str(), "It takes vectors and matrices.");
  std::int64_t n = std::max<std::int64_t>(0, std::min(shape[0] - down, shape[1] - right));
  if (n == 0) return ops::zeros(x.array.dtype(), Shape{0});
  // In the flat order the elements of a diagonal stand at equal distances.
  std::int64_t first = down * shape[1] + right, step = shape[1] + 1;
  return lax::slice(lax::reshape(x.array, Shape{shape[0] * shape[1]}), {first}, {first + (n - 1) * step + 1}, {step});
}

Array arange_from(const Scalar& start, const Scalar& stop, const Scalar& step, std::optional<DType> dtype, Loc loc) {
  CallScope scope(loc, {"", "arange", 0});
  bool floating = start.dtype.is_inexact() || stop.dtype.is_inexact() || step.dtype.is_inexact();
  DType want = canonical(dtype.value_or(floating ? float64 : int64));
  std::int64_t n = 0;
  if (step.as<double>() == 0)
    raise<ValueError>("arange", "the step from " + start.str() + " to " + stop.str() + " is 0",
                      "Give a step towards stop.");
  if (floating) {
    double length = std::ceil((stop.as<double>() - start.as<double>()) / step.as<double>());
    if (!std::isfinite(length) || length >= 0x1p62)
      raise<ValueError>("arange",
                        "start " + start.str() + ", stop " + stop.str() + " and step " + step.str() + " give no length",
                        "They must be finite, with a step that is not too small.");
    n = static_cast<std::int64_t>(std::max(0.0, length));
  } else {
    std::int64_t distance, by = step.integer;
    if (__builtin_sub_overflow(stop.integer, start.integer, &distance))
      raise<ValueError>("arange", "there are too many integers from " + start.str() + " to " + stop.str(),
                        "Count over less.");
    if ((distance > 0) == (by > 0)) n = by == -1 ? extent::mul(distance, -1) : distance / by + (distance % by != 0);
    if (n > 0) {
      check_fits(start, want, loc);
      check_fits(Scalar(start.integer + (n - 1) * by), want, loc);
    }
  }
  bool from_zero = start.as<double>() == 0 && step.as<double>() == 1;
  if (from_zero) return ops::positions(want, Shape{n}, 0);
  // As JAX: start + i * step, computed in the wanted type.
  DType compute = want.is_floating() && want.size() < 4 ? float32 : want;
  Array i = lax::iota(compute, Shape{n}, 0);
  auto spread = [&](const Scalar& s) {
    return lax::broadcast_in_dim(array_from_scalar(s.to(compute), false), Shape{n}, {});
  };
  return lax::convert_element_type(lax::add(spread(start), lax::mul(i, spread(step))), want);
}

Array linspace(double start, double stop, Dim n, bool endpoint, DType dtype, Loc loc) {
  CallScope scope(loc);
  if (n < 0)
    raise<ValueError>(
        "linspace", std::to_string(n.value) + " numbers from " + std::to_string(start) + " to " + std::to_string(stop),
        "Ask for 0 or more.");
  DType want = canonical(dtype), compute = want == float64 ? float64 : float32;
  Shape shape{n};
  std::int64_t parts = endpoint ? n - 1 : n.value;
  auto spread = [&](double v) { return lax::broadcast_in_dim(number(compute, v), shape, {}); };
  if (parts < 1) return lax::convert_element_type(spread(start), want);
  // start * (1 - i / parts) + stop * (i / parts), as JAX: the last is stop itself.
  Array at = lax::div(lax::iota(compute, shape, 0), spread(static_cast<double>(parts)));
  Array out = lax::add(lax::mul(spread(start), lax::sub(spread(1), at)), lax::mul(spread(stop), at));
  if (endpoint) {
    const DType places = ops::position_dtype(shape);
    Array last = lax::eq(ops::positions(places, shape, 0),
                         lax::broadcast_in_dim(ops::literal(places, static_cast<double>(n - 1)), shape, {}));
    out = lax::select(last, spread(stop), out);
  }
  if (want.is_integer()) {
    Array below = lax::convert_element_type(out, want);  // truncates: step down where that went up
    Array back = lax::convert_element_type(below, compute);
    return lax::select(lax::gt(back, out), lax::sub(below, lax::broadcast_in_dim(number(want, 1), shape, {})), below);
  }
  return lax::convert_element_type(out, want);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
