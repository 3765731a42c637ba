#include "tutti/numpy/selection.hpp"

#include <algorithm>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "ops/reduction/true_positions.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/rearrange.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

namespace {

using Dims = std::vector<std::int64_t>;

Array as_mask(const Array& x) { return x.dtype().is_bool() ? x : x != 0; }

std::int64_t count_of(const char* function, const Array& mask) {
  if (mask.is_traced())
    raise<TracerError>(function,
                       "the size of the result depends on the values of " + mask.type().str() + ", a traced array",
                       "Give .size: as many results there will be.");
  return sum(mask).item<std::int64_t>();
}

// Of positions beside what fills up the places behind them.
DType filled_dtype(const Array& fill) { return ops::promote({fill, zeros({1}, canonical(int64))}).dtype; }

// Flat positions of the first `size` trues; the number of elements behind the last one.
Array positions(const Array& mask, std::int64_t size) {
  return composite(
      "nonzero",
      [](const Array& m, std::int64_t n) { return bind1(ops::true_positions, ops::TruePositions{n}, {ravel(m)}); },
      mask, size);
}

}  // namespace

std::vector<Array> mask_indices(Dim n, const std::function<Array(const Array&, Dim)>& mask_func, Dim k,
                                const SizeOptions& o, Loc loc) {
  CallScope scope(loc);
  if (n < 0) raise<ValueError>("mask_indices", std::to_string(n) + " rows", "Give 0 or more.", loc);
  return nonzero(mask_func(ones({n, n}), k), o);
}
std::vector<Array> nonzero(const In& x, const SizeOptions& o) {
  CallScope scope(x.loc);
  if (x.array.ndim() == 0)
    raise<ValueError>("nonzero", "the array is " + x.array.type().str() + ", a scalar",
                      "Give an array with dims: reshape(x, {1}).");
  const Array mask = as_mask(x.array);
  const std::int64_t size = o.size ? o.size->value : count_of("nonzero", mask);
  if (size < 0) raise<ValueError>("nonzero", "the size is " + std::to_string(size), "Give 0 or more.");
  const Shape& shape = mask.shape();
  std::vector<Array> out;
  if (mask.size() == 0 || size == 0) {
    for (int d = 0; d < shape.ndim(); ++d)
      out.push_back(o.fill_value.has_value() && size > 0 ? full({size}, o.fill_value, filled_dtype(o.fill_value))
                                                         : zeros({size}, canonical(int64)));
    return out;
  }
  const Array flat = positions(mask, size), none = flat == mask.size();
  std::int64_t below = mask.size();
  for (int d = 0; d < shape.ndim(); ++d) {
    below /= shape[d];
    out.push_back(shape.ndim() == 1 ? flat : floor_divide(flat, below) % shape[d]);
  }
  for (Array& i : out) i = lax::convert_element_type(i, canonical(int64));
  if (o.size)
    for (Array& i : out) i = where(none, o.fill_value.has_value() ? o.fill_value : zeros_like(i), i);
  return out;
}
Array argwhere(const In& x, const SizeOptions& options) {
  CallScope scope(x.loc);
  const std::vector<Array> columns = nonzero(x.array.ndim() ? x.array : reshape(x.array, {1}), options);
  if (x.array.ndim() == 0) return zeros({columns[0].size(), 0}, canonical(int64));
  return stack(columns, 1);
}
Array flatnonzero(const In& x, const SizeOptions& options) {
  CallScope scope(x.loc);
  return nonzero(ravel(x.array), options)[0];
}
std::vector<Array> where(const In& condition, const SizeOptions& options) { return nonzero(condition, options); }

Array extract(const In& condition, const In& x, const SizeOptions& options) {
  CallScope scope(x.loc);
  return compress(ravel(condition.array), x, {}, options);
}

Array compress(const In& condition, const In& x, std::optional<int> axis, const SizeOptions& o) {
  CallScope scope(x.loc);
  if (condition.array.ndim() != 1)
    raise<ValueError>("compress", "the condition is " + condition.array.type().str(), "It is a vector.");
  const Array from = axis ? x.array : ravel(x.array);
  const int d = axis ? ops::normal_axis("compress", *axis, from) : 0;
  const std::int64_t n = from.shape()[d], given = condition.array.size();
  if (o.size && (o.size->value < 0 || o.size->value > n))
    raise<ValueError>("compress", "the size is " + std::to_string(o.size->value) + " of " + std::to_string(n),
                      "Ask for 0 to all of them.");
  const Array mask = as_mask(condition.array);
  if (given > n && !mask.is_traced() && any(mask(slice(n, none))).item<bool>())
    raise<ValueError>("compress", "the condition holds behind the end of " + from.type().str(),
                      "Give no more conditions than there are elements.");
  SizeOptions which{.size = o.size};
  which.fill_value = Array(n);  // a position that does not exist
  const Array at = nonzero(given > n ? mask(slice(n)) : mask, which)[0];
  return take(from, at, d, TakeMode::fill, o.fill_value.has_value() ? o.fill_value : Array(0));
}

Array select(const ArrayList& conditions, const ArrayList& choices, const Operand& otherwise) {
  CallScope scope(conditions.loc);
  if (conditions.arrays.size() != choices.arrays.size() || conditions.arrays.empty())
    raise<ValueError>("select",
                      std::to_string(conditions.arrays.size()) + " conditions and " +
                          std::to_string(choices.arrays.size()) + " choices",
                      "Give one choice per condition, and at least one.");
  std::vector<Array> values = choices.arrays;
  values.push_back(otherwise.array);
  values = ops::same_dtype(values);
  Array out = values.back();
  for (std::size_t i = values.size() - 1; i-- > 0;) out = where(as_mask(conditions.arrays[i]), values[i], out);
  return out;
}

Array piecewise(const In& x, const ArrayList& conditions, const std::vector<Piecewise>& pieces) {
  CallScope scope(x.loc);
  const std::size_t n = conditions.arrays.size();
  if (pieces.size() != n && pieces.size() != n + 1)
    raise<ValueError>("piecewise", std::to_string(n) + " conditions and " + std::to_string(pieces.size()) + " pieces",
                      "Give one piece per condition, and one for where none holds.");
  auto value = [&](const Piecewise& p) {
    const Array* constant = std::get_if<Array>(&p);
    const Array y = constant ? *constant : std::get<1>(p)(x.array);
    return lax::convert_element_type(y, x.array.dtype(), x.array.weak_type());
  };
  Array out = pieces.size() > n ? value(pieces[n]) : zeros_like(x.array);
  if (out.shape() != x.array.shape()) out = broadcast_to(out, x.array.shape());
  for (std::size_t i = 0; i < n; ++i) out = where(as_mask(conditions.arrays[i]), value(pieces[i]), out);
  return out;
}

Array choose(const In& which, const ArrayList& choices, OneOf<ChooseMode> mode) {
  CallScope scope(which.loc);
  if (!which.array.dtype().is_integer())
    raise<TypeError>("choose", "the numbers are " + which.array.type().str(), "They are integers.");
  const std::int64_t n = static_cast<std::int64_t>(choices.arrays.size());
  if (n == 0) raise<ValueError>("choose", "there are no choices", "Give at least one.");
  Array i = which.array;
  if (mode == ChooseMode::wrap) i = i % n;
  if (mode == ChooseMode::clip) i = clip(i, 0, n - 1);
  if (mode == ChooseMode::raise) {
    if (i.is_traced())
      raise<TracerError>("choose", "the numbers are traced, and may be out of range", "Use ChooseMode::wrap or clip.");
    if (any((i < 0) | (i >= n)).item<bool>())
      raise<ValueError>("choose", "a number is out of range for " + std::to_string(n) + " choices",
                        "Use ChooseMode::wrap or clip.");
  }
  std::vector<Array> values = ops::same_dtype(choices.arrays);
  Array out = values[0];
  for (std::int64_t k = 1; k < n; ++k) out = where(i == k, values[static_cast<std::size_t>(k)], out);
  return broadcast_to(out, ops::common_shape("choose", {out.shape(), i.shape()}));
}

Array put_along_axis(const In& x, const In& indices, const Operand& values, std::optional<int> axis) {
  CallScope scope(x.loc);
  if (!axis) {
    Array flat = put_along_axis(ravel(x.array), ravel(indices.array),
                                values.array.ndim() ? ravel(values.array) : values.array, 0);
    return reshape(flat, x.array.shape());
  }
  const int d = ops::normal_axis("put_along_axis", *axis, x.array);
  if (indices.array.ndim() != x.array.ndim())
    raise<ShapeError>("put_along_axis",
                      "the indices are " + indices.array.type().str() + ", the array " + x.array.type().str(),
                      "Both need as many dims.");
  Shape shape = x.array.shape();
  shape[d] = indices.array.shape()[d];
  std::vector<Index> index;
  for (int k = 0; k < x.array.ndim(); ++k)
    index.push_back(k == d ? broadcast_to(indices.array, shape) : lax::iota(int32, shape, k));
  return x.array.at(index).set(broadcast_to(values.array, shape));
}

Array put(const In& x, const In& indices, const Operand& values, OneOf<TakeMode> mode) {
  CallScope scope(x.loc);
  const Array flat = ravel(x.array), i = ravel(indices.array);
  if (i.size() == 0) return x.array;
  if (values.array.size() == 0)
    raise<ValueError>("put", "there are no values for " + indices.array.type().str(), "Give at least one.");
  const Array at = mode == TakeMode::wrap ? i % flat.size() : clip(i, 0, flat.size() - 1);
  const Array v = resize(ravel(values.array), {i.size()});
  return reshape(flat.at(at).set(v), x.array.shape());
}

Array place(const In& x, const In& mask, const In& values) {
  CallScope scope(x.loc);
  if (mask.array.size() != x.array.size())
    raise<ValueError>("place", "the mask is " + mask.array.type().str() + ", the array " + x.array.type().str(),
                      "Both have as many elements.");
  if (values.array.size() == 0) raise<ValueError>("place", "there are no values", "Give at least one.");
  const Array m = as_mask(ravel(mask.array)), rank = cumsum(m, 0, int32) - 1;
  const Array v = take(ravel(values.array), rank % values.array.size(), TakeMode::wrap);
  return reshape(where(m, lax::convert_element_type(v, x.array.dtype()), ravel(x.array)), x.array.shape());
}

Array fill_diagonal(const In& x, const Operand& value, bool wrap) {
  CallScope scope(x.loc);
  const Shape& shape = x.array.shape();
  if (shape.ndim() < 2)
    raise<ValueError>("fill_diagonal", "the array is " + x.array.type().str(), "It needs two dims or more.");
  std::int64_t step = 1, last = x.array.size();
  for (int d = shape.ndim() - 1, below = 1; d > 0; --d) step += below *= static_cast<int>(shape[d]);
  if (shape.ndim() == 2) {
    step = shape[1] + 1;
    if (!wrap) last = std::min(last, shape[1] * shape[1]);
  } else {
    for (std::int64_t n : shape)
      if (n != shape[0])
        raise<ValueError>("fill_diagonal", "the extents of " + x.array.type().str() + " differ",
                          "Of more than two dims all are equal.");
  }
  const std::int64_t n = (last + step - 1) / step;
  const Array v = value.array.ndim() ? resize(ravel(value.array), {n}) : value.array;
  return reshape(ravel(x.array).at(slice(0, last, step)).set(v), shape);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
