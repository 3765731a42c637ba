// take, take_along_axis, sort, argsort.
#include <algorithm>
#include <limits>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {

using ops::Dims;

namespace {

Array every(DType dtype, double v, const Shape& shape) {
  return lax::broadcast_in_dim(ops::literal(dtype, v), shape, {});
}

// Indices as the mode wants them for a gather: negative ones from the end, or wrapped, or left to the clamping of the
// gather.
Array prepared(const char* function, const Array& indices, std::int64_t extent, TakeMode mode) {
  if (!indices.dtype().is_integer())
    raise<TypeError>(function, "the indices are " + indices.type().str(),
                     "Indices are integers: convert with astype(int32).");
  DType dtype = indices.dtype().size() == 8 || extent > INT32_MAX ? int64 : int32;
  // Unsigned ones beyond int32 would turn negative.
  Array i = indices.dtype() == uint32 && dtype == int32 ? lax::min(indices, every(uint32, INT32_MAX, indices.shape()))
                                                        : indices;
  i = ops::exactly(i, dtype);
  const Shape& shape = i.shape();
  Array zero = every(dtype, 0, shape), n = every(dtype, static_cast<double>(extent), shape);
  if (mode == TakeMode::clip) return i;
  if (mode == TakeMode::wrap) {
    Array r = lax::rem(i, n);
    return lax::select(lax::lt(r, zero), lax::add(r, n), r);
  }
  return lax::select(lax::lt(i, zero), lax::add(i, n), i);
}
Array inside(const Array& indices, std::int64_t n) { return (indices >= -n) & (indices < n); }
lax::GatherMode gather_mode(TakeMode mode) {
  return mode == TakeMode::fill ? lax::GatherMode::fill : lax::GatherMode::clip;
}

}  // namespace

namespace {
Array taken(const In& x, const Operand& indices, int axis, TakeMode mode);
}
Array take(const In& x, const Operand& indices, OneOf<TakeMode> mode, const Array& fill_value) {
  CallScope scope(x.loc);
  return take(ravel(x.array), indices, 0, mode, fill_value);
}
Array take(const In& x, const Operand& indices, int axis, OneOf<TakeMode> mode, const Array& fill_value) {
  CallScope scope(x.loc);
  const Array y = taken(x, indices, axis, mode);
  if (mode != TakeMode::fill || !fill_value.has_value()) return y;
  const std::int64_t n = x.array.shape()[ops::normal_axis("take", axis, x.array)];
  Array there = inside(indices.array, n);
  for (int k = ops::normal_axis("take", axis, x.array) + 1; k < x.array.ndim(); ++k) there = expand_dims(there, -1);
  return where(there, y, lax::convert_element_type(fill_value, x.array.dtype()));
}

namespace {
Array taken(const In& x, const Operand& indices, int axis, TakeMode mode) {
  const Shape& from = x.array.shape();
  int d = ops::normal_axis("take", axis, x.array), n = indices.array.ndim();
  Shape column = indices.array.shape(), sizes = from;
  column.push_back(1);
  Array i = lax::reshape(prepared("take", indices.array, from[d], mode), column);
  if (from[d] == 0) {
    if (i.size())
      raise<IndexError>("take",
                        "indices " + indices.array.type().str() + " into dim " + std::to_string(d) + " of " +
                            x.array.type().str() + ", which is empty",
                        "Take from an array with elements.");
    sizes[d] = 0;
  } else {
    sizes[d] = 1;
  }
  lax::GatherDims dims;
  for (int k = 0; k < from.ndim() - 1; ++k) dims.offset_dims.push_back(k < d ? k : k + n);
  dims.collapsed_slice_dims = dims.start_index_map = {d};
  return lax::gather(x.array, i, dims, sizes, gather_mode(mode));
}
}  // namespace

Array take_along_axis(const In& x, const Operand& indices, none_t, OneOf<TakeMode> mode, const Array& fill_value) {
  CallScope scope(x.loc);
  if (indices.array.ndim() != 1)
    raise<ShapeError>("take_along_axis", "the indices into the flat array are " + indices.array.type().str(),
                      "They have one dim, or name an axis.");
  return take_along_axis(ravel(x.array), indices, 0, mode, fill_value);
}
Array take_along_axis(const In& x, const Operand& indices, int axis, OneOf<TakeMode> mode, const Array& fill_value) {
  CallScope scope(x.loc);
  const Array& a = x.array;
  const Shape& wanted = indices.array.shape();
  if (wanted.ndim() != a.ndim())
    raise<ShapeError>("take_along_axis",
                      "the indices are " + indices.array.type().str() + ", the array " + a.type().str(),
                      "Both need as many dims.");
  int d = ops::normal_axis("take_along_axis", axis, a);
  // All other dims go hand in hand; those of extent 1 broadcast.
  Shape index_shape = wanted, from = a.shape();
  for (int k = 0; k < a.ndim(); ++k) {
    if (k == d || from[k] == wanted[k]) continue;
    if (from[k] == 1)
      from[k] = wanted[k];
    else if (wanted[k] == 1)
      index_shape[k] = from[k];
    else
      raise<ShapeError>("take_along_axis",
                        "the indices are " + indices.array.type().str() + ", the array " + a.type().str(),
                        "All dims but the axis must be equal, or 1.");
  }
  Array source = broadcast_to(a, from),
        i = broadcast_to(prepared("take_along_axis", indices.array, from[d], mode), index_shape);
  Shape column = index_shape;
  column.push_back(1);
  lax::GatherDims dims;
  dims.collapsed_slice_dims = dims.start_index_map = {d};
  for (int k = 0; k < a.ndim(); ++k)
    if (k != d) dims.operand_batching_dims.push_back(k);
  dims.start_indices_batching_dims = dims.operand_batching_dims;
  Shape sizes(Dims(a.ndim(), 1));
  for (int k = 0; k < a.ndim(); ++k) sizes[k] = std::min<std::int64_t>(1, from[k]);
  const Array y = lax::gather(source, lax::reshape(i, column), dims, sizes, gather_mode(mode));
  if (mode != TakeMode::fill || !fill_value.has_value()) return y;
  return where(inside(indices.array, from[d]), y, lax::convert_element_type(fill_value, a.dtype()));
}

Array sort(const In& x, int axis, bool descending) {
  CallScope scope(x.loc);
  int d = ops::normal_axis("sort", axis, x.array);
  const Array y = lax::sort(x.array, d);
  return descending ? lax::rev(y, {d}) : y;
}

Array sort(const In& x, none_t, bool descending) {
  CallScope scope(x.loc);
  return sort(ravel(x.array), 0, descending);
}
Array argsort(const In& x, none_t, bool descending) {
  CallScope scope(x.loc);
  return argsort(ravel(x.array), 0, descending);
}

Array argsort(const In& x, int axis, bool descending) {
  CallScope scope(x.loc);
  int d = ops::normal_axis("argsort", axis, x.array);
  // Descending and stable: sort the reversed array, whose positions count from the end, and reverse the result.
  if (x.array.shape()[d] > 0) check_fits(Scalar(x.array.shape()[d] - 1), canonical(int64), x.loc);
  std::vector<Array> rows{x.array};
  if (x.array.dtype().is_complex()) rows = {lax::real(x.array), lax::imag(x.array)};
  const auto keys = static_cast<int>(rows.size());
  rows.push_back(lax::iota(int64, x.array.shape(), d));
  if (!descending) return lax::sort(rows, d, keys).back();
  for (Array& row : rows) row = lax::rev(row, {d});
  return lax::rev(lax::sort(rows, d, keys).back(), {d});
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
