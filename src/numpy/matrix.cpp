#include "tutti/numpy/matrix.hpp"

#include <algorithm>

#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {

using ops::Dims;

Array diagonal(const In& x, Dim offset, int axis1, int axis2) {
  CallScope scope(x.loc);
  const int a = ops::normal_axis("diagonal", axis1, x.array), b = ops::normal_axis("diagonal", axis2, x.array);
  if (a == b)
    raise<ValueError>("diagonal", "axis1 and axis2 are both " + std::to_string(a), "A diagonal has two dims.");
  Dims order;
  for (int d = 0; d < x.array.ndim(); ++d)
    if (d != a && d != b) order.push_back(d);
  order.push_back(a);
  order.push_back(b);
  const Array m = lax::transpose(x.array, order);
  Shape shape(Dims(m.shape().begin(), m.shape().end() - 2));
  const int last = shape.ndim();
  const std::int64_t rows = m.shape()[m.ndim() - 2], cols = m.shape().back(),
                     from = std::clamp<std::int64_t>(offset, -rows, cols);
  const std::int64_t n =
      std::max<std::int64_t>(0, from < 0 ? std::min(rows + from, cols) : std::min(rows, cols - from));
  if (n == 0) {
    shape.push_back(0);
    return lax::reshape(lax::slice(m, Dims(m.shape().size(), 0), Dims(m.shape().size(), 0)), shape);
  }
  // Every (cols + 1)th element: a strided reading.
  shape.push_back(rows * cols);
  Dims start(shape.size(), 0), limit = shape.dims(), strides(shape.size(), 1);
  start[last] = from < 0 ? -from * cols : from;
  limit[last] = start[last] + (n - 1) * (cols + 1) + 1;
  strides[last] = cols + 1;
  return lax::slice(lax::reshape(m, shape), start, limit, strides);
}

Array trace(const In& x, Dim offset, int axis1, int axis2, std::optional<DType> dtype) {
  CallScope scope(x.loc);
  return sum_with(diagonal(x.array, offset, axis1, axis2), {.axes = -1, .dtype = dtype});
}

Array matrix_transpose(const In& x) {
  CallScope scope(x.loc);
  if (x.array.ndim() < 2)
    raise<ShapeError>("matrix_transpose", "the array is " + x.array.type().str(), "It needs two dims or more.");
  return swapaxes(x.array, -1, -2);
}

Array kron(const In& x, const In& y) {
  CallScope scope(x.loc);
  std::vector<Array> xs = ops::same_dtype({x.array, y.array});
  const int n = std::max(xs[0].ndim(), xs[1].ndim());
  Shape left, right, result;
  for (int d = 0; d < n; ++d) {
    auto extent = [&](const Array& a) { return d < n - a.ndim() ? 1 : a.shape()[d - (n - a.ndim())]; };
    const std::int64_t a = extent(xs[0]), b = extent(xs[1]);
    left.push_back(a);
    left.push_back(1);
    right.push_back(1);
    right.push_back(b);
    result.push_back(a * b);
  }
  return reshape(reshape(xs[0], left) * reshape(xs[1], right), result);
}

Array cross(const In& x, const In& y, const CrossAxes& axes) {
  CallScope scope(x.loc);
  const Array a = moveaxis(x.array, axes.x, -1), b = moveaxis(y.array, axes.y, -1);
  const std::int64_t m = a.shape().back(), n = b.shape().back();
  if ((m != 2 && m != 3) || (n != 2 && n != 3))
    raise<ValueError>("cross",
                      "the vectors of " + x.array.type().str() + " and " + y.array.type().str() + " have " +
                          std::to_string(m) + " and " + std::to_string(n) + " elements",
                      "They need 2 or 3 along the axis.");
  auto part = [](const Array& v, int i) { return v(ellipsis, i); };
  auto third = [&] { return part(a, 0) * part(b, 1) - part(a, 1) * part(b, 0); };
  if (m == 2 && n == 2) return third();
  std::vector<Array> out(3);
  if (m == 3 && n == 3) {
    out = {part(a, 1) * part(b, 2) - part(a, 2) * part(b, 1), part(a, 2) * part(b, 0) - part(a, 0) * part(b, 2),
           third()};
  } else if (m == 3) {  // the other one's third element is 0
    out = {-part(a, 2) * part(b, 1), part(a, 2) * part(b, 0), third()};
  } else {
    out = {part(a, 1) * part(b, 2), -part(a, 0) * part(b, 2), third()};
  }
  return moveaxis(stack(out, -1), -1, axes.result);
}
Array cross(const In& x, const In& y, int axis) { return cross(x, y, CrossAxes{axis, axis, axis}); }

Array vecdot(const In& x, const In& y, int axis) {
  CallScope scope(x.loc);
  const Array a = moveaxis(x.array, axis, -1), b = moveaxis(y.array, axis, -1);
  if (a.shape().back() != b.shape().back())
    raise<ShapeError>("vecdot", x.array.type().str() + " and " + y.array.type().str() + " differ along the axis",
                      "Both extents must be equal.");
  const Array row = expand_dims(conj(a), -2), column = expand_dims(b, -1);
  return squeeze(matmul(row, column), std::vector<std::int64_t>{-2, -1});
}

Array vander(const In& x, std::optional<Dim> n, bool increasing) {
  CallScope scope(x.loc);
  if (x.array.ndim() != 1) raise<ShapeError>("vander", "the array is " + x.array.type().str(), "It takes a vector.");
  const std::int64_t count = n.value_or(x.array.size());
  if (count < 0) raise<ValueError>("vander", std::to_string(count) + " columns", "Give 0 or more.");
  if (count == 0) return zeros({x.array.size(), 0}, x.array.dtype());
  std::vector<Array> columns = {ones_like(x.array)};
  for (std::int64_t k = 1; k < count; ++k) columns.push_back(lax::integer_pow(x.array, k));
  if (!increasing) std::reverse(columns.begin(), columns.end());
  return stack(columns, -1);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
