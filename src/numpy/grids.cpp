#include "tutti/numpy/grids.hpp"

#include <algorithm>
#include <cmath>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/selection.hpp"
#include "tutti/special/special.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

using ops::Dims;

// --- equidistant numbers

Array linspace(const Array& start, const Array& stop, const LinspaceOptions& o, Loc loc) {
  CallScope scope(loc);
  if (o.n < 0) raise<ValueError>("linspace", std::to_string(o.n.value) + " numbers", "Ask for 0 or more.");
  const ops::Promotion p = ops::promote_inexact({start, stop});
  const DType result = o.dtype.value_or(p.dtype), compute = result.is_inexact() ? result : p.dtype;
  std::vector<Array> ends = {start, stop};
  for (Array& e : ends) e = lax::convert_element_type(e, compute);
  const Shape shape = ops::common_shape("linspace", {ends[0].shape(), ends[1].shape()});
  const int axis = ops::normal_axis("linspace", o.axis, shape.ndim() + 1);
  const Array y = composite(
      "linspace",
      [](const Array& from, const Array& to, std::int64_t n, bool endpoint, bool round_down, const Dims& to_shape) {
        const Array a = broadcast_to(from, Shape(to_shape)), b = broadcast_to(to, Shape(to_shape));
        Shape column(Dims(to_shape.size() + 1, 1));
        column[0] = n;
        const std::int64_t steps = endpoint ? n - 1 : n;
        // Weights instead of steps: both ends come out as they went in.
        const Array place = reshape(lax::iota(a.dtype(), Shape{n}, 0), column);
        const Array weight = steps > 0 ? place / static_cast<double>(steps) : place * 0;
        Array out = a * (1 - weight) + b * weight;
        if (endpoint && n > 1) out = out.at(-1).set(b);
        return round_down ? floor(out) : out;
      },
      ends[0], ends[1], o.n.value, o.endpoint, !result.is_inexact(), shape.dims());
  return lax::convert_element_type(moveaxis(y, 0, axis), result);
}
double linspace_step(double start, double stop, std::int64_t n, bool endpoint) {
  const std::int64_t steps = endpoint ? n - 1 : n;
  return steps > 0 ? (stop - start) / static_cast<double>(steps) : std::nan("");
}
Array logspace(const Operand& start, const Operand& stop, Dim n, bool endpoint, double base) {
  return logspace(start, stop, {.n = n, .endpoint = endpoint}, base);
}
Array logspace(const Operand& start, const Operand& stop, const LinspaceOptions& o, double base) {
  CallScope scope(start.loc);
  const Array y = power(base, linspace(start.array, stop.array, {.n = o.n, .endpoint = o.endpoint, .axis = o.axis}));
  return o.dtype ? lax::convert_element_type(y, *o.dtype) : y;
}
Array geomspace(const Operand& start, const Operand& stop, Dim n, bool endpoint) {
  return geomspace(start, stop, {.n = n, .endpoint = endpoint});
}
Array geomspace(const Operand& start, const Operand& stop, const LinspaceOptions& o) {
  CallScope scope(start.loc);
  const ops::Promotion p = ops::promote_inexact({start.array, stop.array});
  const Array a = lax::convert_element_type(start.array, p.dtype), b = lax::convert_element_type(stop.array, p.dtype);
  const Array sign = where((tutti::sign(a) == -1) & (tutti::sign(b) == -1), -1, 1);
  const Array y = sign * exp(linspace(log(a * sign), log(b * sign), {.n = o.n, .endpoint = o.endpoint}));
  return lax::convert_element_type(moveaxis(y, 0, o.axis), o.dtype.value_or(p.dtype));
}
Array identity(Dim n, DType dtype, Loc loc) { return eye(n, dtype, loc); }

// --- grids

std::vector<Array> meshgrid(const ArrayList& vectors, const MeshgridOptions& o) {
  CallScope scope(vectors.loc);
  const int n = static_cast<int>(vectors.arrays.size());
  const bool turned = o.indexing == Indexing::xy && n >= 2;
  auto place = [&](int i) { return turned && i < 2 ? 1 - i : i; };
  Shape shape(Dims(static_cast<std::size_t>(n), 1));
  for (int i = 0; i < n; ++i) {
    const Array& v = vectors.arrays[static_cast<std::size_t>(i)];
    if (v.ndim() > 1)
      raise<ShapeError>("meshgrid", "argument " + std::to_string(i) + " is " + v.type().str(), "It takes vectors.");
    shape[place(i)] = v.size();
  }
  std::vector<Array> out;
  for (int i = 0; i < n; ++i) {
    const Array& v = vectors.arrays[static_cast<std::size_t>(i)];
    Shape own(Dims(static_cast<std::size_t>(n), 1));
    own[place(i)] = v.size();
    out.push_back(o.sparse ? reshape(v, own)
                           : lax::broadcast_in_dim(v.ndim() ? v : reshape(v, {1}), shape, {place(i)}));
  }
  return out;
}
Array indices(const Shape& dimensions, DType dtype, Loc loc) {
  CallScope scope(loc);
  Shape shape = dimensions;
  shape.insert(0, dimensions.ndim());
  if (dimensions.ndim() == 0) return zeros({0}, dtype);
  std::vector<Array> out;
  for (int d = 0; d < dimensions.ndim(); ++d) out.push_back(lax::iota(dtype, dimensions, d));
  return stack(out);
}
std::vector<Array> sparse_indices(const Shape& dimensions, DType dtype, Loc loc) {
  CallScope scope(loc);
  std::vector<Array> out;
  for (int d = 0; d < dimensions.ndim(); ++d) {
    Shape own(Dims(dimensions.size(), 1));
    own[d] = dimensions[d];
    out.push_back(lax::iota(dtype, own, d));
  }
  return out;
}
std::vector<Array> ix_(const ArrayList& vectors) {
  CallScope scope(vectors.loc);
  std::vector<Array> out;
  for (std::size_t i = 0; i < vectors.arrays.size(); ++i) {
    const Array& v = vectors.arrays[i];
    if (v.ndim() != 1)
      raise<ValueError>("ix_", "argument " + std::to_string(i) + " is " + v.type().str(), "It takes vectors.");
    const Array at = v.dtype().is_bool() ? flatnonzero(v) : v;
    Shape own(Dims(vectors.arrays.size(), 1));
    own[static_cast<int>(i)] = at.size();
    out.push_back(reshape(at, own));
  }
  return out;
}

namespace {
// Known now: they are counted out on the host.
template <class Keep> std::pair<Array, Array> kept_positions(std::int64_t n, std::int64_t m, Keep keep) {
  std::vector<std::int32_t> rows, columns;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j)
      if (keep(i, j)) {
        rows.push_back(static_cast<std::int32_t>(i));
        columns.push_back(static_cast<std::int32_t>(j));
      }
  const Shape shape{static_cast<std::int64_t>(rows.size())};
  return {array(rows, shape).astype(int64), array(columns, shape).astype(int64)};
}
void check_matrix(const char* function, const Array& x) {
  if (x.ndim() != 2) raise<ShapeError>(function, "the array is " + x.type().str(), "It takes a matrix.");
}
}  // namespace
std::pair<Array, Array> tril_indices(Dim n, Dim k, std::optional<Dim> m, Loc loc) {
  CallScope scope(loc);
  return kept_positions(n, m.value_or(n), [k](std::int64_t i, std::int64_t j) { return j - i <= k; });
}
std::pair<Array, Array> triu_indices(Dim n, Dim k, std::optional<Dim> m, Loc loc) {
  CallScope scope(loc);
  return kept_positions(n, m.value_or(n), [k](std::int64_t i, std::int64_t j) { return j - i >= k; });
}
std::pair<Array, Array> tril_indices_from(const In& x, Dim k) {
  CallScope scope(x.loc);
  check_matrix("tril_indices_from", x.array);
  return tril_indices(x.array.shape()[0], k, x.array.shape()[1]);
}
std::pair<Array, Array> triu_indices_from(const In& x, Dim k) {
  CallScope scope(x.loc);
  check_matrix("triu_indices_from", x.array);
  return triu_indices(x.array.shape()[0], k, x.array.shape()[1]);
}
std::vector<Array> diag_indices(Dim n, int ndim, Loc loc) {
  CallScope scope(loc);
  if (n < 0 || ndim < 0)
    raise<ValueError>("diag_indices", std::to_string(n.value) + " positions in " + std::to_string(ndim) + " dims",
                      "Both are 0 or more.");
  return std::vector<Array>(static_cast<std::size_t>(ndim), lax::iota(int64, {n}, 0));
}
std::vector<Array> diag_indices_from(const In& x) {
  CallScope scope(x.loc);
  const Shape& shape = x.array.shape();
  for (std::int64_t n : shape)
    if (n != shape[0] || shape.ndim() < 2)
      raise<ValueError>("diag_indices_from", "the array is " + x.array.type().str(),
                        "It needs two dims or more, all of one extent.");
  return diag_indices(shape.ndim() ? shape[0] : 0, shape.ndim());
}

std::vector<Array> unravel_index(const In& at, const Shape& shape) {
  CallScope scope(at.loc);
  if (!at.array.dtype().is_integer())
    raise<TypeError>("unravel_index", "the positions are " + at.array.type().str(), "They are integers.");
  std::vector<Array> out(shape.size());
  Array rest = at.array;
  for (int d = shape.ndim() - 1; d >= 0; --d) {
    auto [quotient, remainder] = divmod(rest, shape[d]);
    out[static_cast<std::size_t>(d)] = remainder;
    rest = quotient;
  }
  const Array above = rest > 0;
  for (int d = 0; d < shape.ndim(); ++d) {
    Array& i = out[static_cast<std::size_t>(d)];
    i = where(above, shape[d] - 1, at.array.dtype().is_unsigned() ? i : where(rest < -1, 0, i));
  }
  return out;
}
Array ravel_multi_index(const ArrayList& at, const Shape& shape, OneOf<RavelMode> mode, bool fortran) {
  CallScope scope(at.loc);
  const char* name = "ravel_multi_index";
  if (at.arrays.size() != shape.size())
    raise<ShapeError>(name, std::to_string(at.arrays.size()) + " arrays of positions for the shape " + shape.str(),
                      "Give one per dim.");
  Array out;
  std::int64_t stride = 1;
  for (int k = 0; k < shape.ndim(); ++k) {
    const int d = fortran ? k : shape.ndim() - 1 - k;
    Array i = at.arrays[static_cast<std::size_t>(d)];
    if (!i.dtype().is_integer())
      raise<TypeError>(name, "the positions in dim " + std::to_string(d) + " are " + i.type().str(),
                       "They are integers.");
    if (mode == RavelMode::wrap) i = i % shape[d];
    if (mode == RavelMode::clip) i = clip(i, 0, shape[d] - 1);
    if (mode == RavelMode::raise) {
      if (i.is_traced())
        raise<TracerError>(name, "the positions are traced, and may be out of range", "Use RavelMode::wrap or clip.");
      if (any((i < 0) | (i >= shape[d])).item<bool>())
        raise<ValueError>(name,
                          "a position in dim " + std::to_string(d) + " is out of range for the shape " + shape.str(),
                          "Use RavelMode::wrap or clip.");
    }
    const Array part = lax::convert_element_type(i, ops::promote({i, array(0)}).dtype) * stride;
    out = out.has_value() ? out + part : part;
    stride *= shape[d];
  }
  return out.has_value() ? out : array(0);
}
Array diagflat(const In& x, Dim k) {
  CallScope scope(x.loc);
  return diag(ravel(x.array), k);
}

// --- windows

namespace {
Array window(const char* name, Dim n, Loc loc, Array (*f)(const Array& place, double last)) {
  CallScope scope(loc, {"", name, 0});
  ops::check_extents(name, {n});
  const DType dtype = canonical(float64);
  return n <= 1 ? ones({n}, dtype) : f(lax::iota(dtype, {n}, 0), static_cast<double>(n.value - 1));
}
}  // namespace
Array bartlett(Dim n, Loc loc) {
  return window("bartlett", n, loc, [](const Array& i, double last) { return 1 - abs(2 * i / last - 1); });
}
Array blackman(Dim n, Loc loc) {
  return window("blackman", n, loc, [](const Array& i, double last) {
    const Array angle = 2 * M_PI / last * i;
    return 0.42 - 0.5 * cos(angle) + 0.08 * cos(2 * angle);
  });
}
Array hamming(Dim n, Loc loc) {
  return window("hamming", n, loc, [](const Array& i, double last) { return 0.54 - 0.46 * cos(2 * M_PI / last * i); });
}
Array kaiser(Dim n, const Operand& beta) {
  CallScope scope(beta.loc);
  if (n < 0) raise<ValueError>("kaiser", std::to_string(n) + " elements", "Give 0 or more.");
  if (n <= 1) return ones({n});
  const double half = static_cast<double>(n - 1) / 2;
  const Array t = (lax::iota(canonical(float64), Shape{n}, 0) - half) / half;
  return special::i0(beta.array * sqrt(1 - square(t))) / special::i0(beta.array);
}
Array hanning(Dim n, Loc loc) {
  return window("hanning", n, loc, [](const Array& i, double last) { return 0.5 * (1 - cos(2 * M_PI / last * i)); });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
