#include "tutti/lax/reductions.hpp"

#include <algorithm>

#include "array/node.hpp"
#include "ops/elementwise/reduce_precision.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::lax {
namespace {

Array along_last(const Array& x, std::int64_t from, std::int64_t to, std::int64_t step) {
  Dims start(x.shape().size(), 0), limit = x.shape().dims(), strides(x.shape().size(), 1);
  start.back() = from;
  limit.back() = to;
  strides.back() = step;
  return lax::slice(x, start, limit, strides);
}

// The reduced dims as one, behind the others.
Array rows_of(const Array& x, const Dims& dims) {
  Dims order;
  Shape shape;
  std::int64_t n = 1;
  for (int d = 0; d < x.ndim(); ++d) {
    if (ops::contains(dims, d)) {
      n *= x.shape()[d];
    } else {
      order.push_back(d);
      shape.push_back(x.shape()[d]);
    }
  }
  for (std::int64_t d : dims) order.push_back(d);
  shape.push_back(n);
  return tutti::reshape(lax::transpose(x, order), shape);
}

}  // namespace

std::vector<Array> reduce(const std::vector<Array>& xs, const std::vector<Array>& initial,
                          const CombineSeveral& combine, const Dims& dims, Loc loc) {
  CallScope scope(loc);
  if (xs.empty() || xs.size() != initial.size())
    raise<ShapeError>("reduce",
                      std::to_string(xs.size()) + " arrays and " + std::to_string(initial.size()) + " initial values",
                      "Give one initial value per array.");
  ops::check_dims("reduce", "dims", dims, xs[0].ndim());
  std::vector<Array> rows, out;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (xs[i].shape() != xs[0].shape())
      raise<ShapeError>("reduce", "the arrays are " + type_text(xs[0]) + " and " + type_text(xs[i]),
                        "They have one shape.");
    rows.push_back(rows_of(xs[i], dims));
  }
  auto dtypes_as = [&](std::vector<Array> ys) {
    for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = lax::convert_element_type(ys[i], xs[i].dtype());
    return ys;
  };
  Shape rest = rows[0].shape();
  const std::int64_t n = rest.back();
  rest.erase(rest.ndim() - 1);
  for (std::size_t i = 0; i < xs.size(); ++i) out.push_back(broadcast_to(initial[i], rest));
  out = dtypes_as(out);
  if (n == 0) return out;
  // Neighbours join, so the order stays and rounding errors grow with the logarithm.
  for (std::int64_t left = n; left > 1; left = (left + 1) / 2) {
    std::vector<Array> even, odd;
    for (const Array& r : rows) {
      even.push_back(along_last(r, 0, left - 1, 2));
      odd.push_back(along_last(r, 1, left, 2));
    }
    std::vector<Array> joined = dtypes_as(combine(even, odd));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] =
          left % 2 ? lax::concatenate({joined[i], along_last(rows[i], left - 1, left, 1)}, rest.ndim()) : joined[i];
  }
  for (Array& r : rows) r = tutti::reshape(r, rest);
  return dtypes_as(combine(out, rows));
}
Array reduce(const In& x, const Operand& initial, const Combine& combine, const Dims& dims) {
  return reduce(
      {x.array}, {initial.array},
      [&](const std::vector<Array>& a, const std::vector<Array>& b) { return std::vector<Array>{combine(a[0], b[0])}; },
      dims, x.loc)[0];
}

namespace {
Array reduce_bits(const char* name, const In& x, const Dims& dims, int initial,
                  Array (*combine)(const Operand&, const Operand&)) {
  CallScope scope(x.loc, {"", name, 0});
  const Array start = x.array.dtype().is_bool() ? Array(initial != 0) : Array(initial);
  return lax::reduce(
      x, start, [combine](const Array& a, const Array& b) { return combine(a, b); }, dims);
}
}  // namespace
Array reduce_and(const In& x, const Dims& dims) { return reduce_bits("reduce_and", x, dims, -1, tutti::bitwise_and); }
Array reduce_or(const In& x, const Dims& dims) { return reduce_bits("reduce_or", x, dims, 0, tutti::bitwise_or); }
Array reduce_xor(const In& x, const Dims& dims) { return reduce_bits("reduce_xor", x, dims, 0, tutti::bitwise_xor); }

Array reduce_precision(const In& x, int exponent_bits, int mantissa_bits) {
  CallScope scope(x.loc);
  return bind1(ops::reduce_precision, ops::ReducePrecision{exponent_bits, mantissa_bits}, {x.array});
}

Array select_n(const In& which, const std::vector<Array>& cases) {
  CallScope scope(which.loc);
  if (cases.empty() || (which.array.dtype().is_bool() && cases.size() > 2))
    raise<ShapeError>("select_n", std::to_string(cases.size()) + " cases for " + type_text(which.array),
                      "Give at least one, of a bool at most two.");
  if (which.array.dtype().is_bool()) return cases.size() == 1 ? cases[0] : lax::select(which.array, cases[1], cases[0]);
  Array out = cases.back();
  for (std::size_t i = cases.size() - 1; i-- > 0;) out = lax::select(which.array <= static_cast<int>(i), cases[i], out);
  return out;
}
Array clamp(const In& lo, const In& x, const In& hi) {
  CallScope scope(x.loc);
  auto spread = [&](const Array& bound) {
    return bound.ndim() ? bound : lax::broadcast_in_dim(bound, x.array.shape(), {});
  };
  const Array low = spread(lo.array), high = spread(hi.array), &a = x.array;
  // Strictly between the bounds it is x; on a bound nothing has a derivative, as in JAX.
  const Array inside = lax::bitwise_and(a > low, a < high);
  // Where the bounds cross the upper one holds, among complex numbers the lower one.
  const Array kept = lax::stop_gradient(a);
  const Array above = a.dtype().is_complex() ? kept : lax::select(a < low, low, kept);
  const Array below = lax::select(above > high, high, above);
  Array y = lax::select(inside, a, a.dtype().is_complex() ? lax::select(a < low, low, below) : below);
  for (const Array* bound : {&lo.array, &hi.array})  // one that is no number, neither is what it bounds
    if (a.dtype().is_floating() && !bound->node()->literal) y = where(isnan(*bound), *bound, y);
  return y;
}
Array round(const In& x, OneOf<RoundingMethod> method) {
  CallScope scope(x.loc);
  if (method == RoundingMethod::to_nearest_even) return rint(x);
  const Array& a = x.array;
  const Array whole = trunc(a);
  return lax::convert_element_type(where(abs(a - whole) >= 0.5, whole + sign(a), whole), a.dtype());
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
