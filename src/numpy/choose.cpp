// take, take_along_axis, sort, argsort, pad.
#include <algorithm>
#include <limits>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "tutti/base/extent.hpp"
#include "tutti/numpy/movement.hpp"

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
lax::GatherMode gather_mode(TakeMode mode) {
  return mode == TakeMode::fill ? lax::GatherMode::fill : lax::GatherMode::clip;
}

}  // namespace

Array take(const In& x, const Operand& indices, TakeMode mode) {
  CallScope scope(x.loc);
  return take(ravel(x.array), indices, 0, mode);
}

Array take(const In& x, const Operand& indices, int axis, TakeMode mode) {
  CallScope scope(x.loc);
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

Array take_along_axis(const In& x, const Operand& indices, int axis, TakeMode mode) {
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
  return lax::gather(source, lax::reshape(i, column), dims, sizes, gather_mode(mode));
}

Array sort(const In& x, int axis, bool descending) {
  CallScope scope(x.loc);
  int d = ops::normal_axis("sort", axis, x.array);
  Array y = lax::sort(x.array, d);
  return descending ? lax::rev(y, {d}) : y;
}

Array argsort(const In& x, int axis, bool descending) {
  CallScope scope(x.loc);
  int d = ops::normal_axis("argsort", axis, x.array);
  // Descending and stable: sort the reversed array, whose positions count from the end, and reverse the result.
  if (x.array.shape()[d] > 0) check_fits(Scalar(x.array.shape()[d] - 1), canonical(int64), x.loc);
  Array positions = lax::iota(int64, x.array.shape(), d);
  if (!descending) return lax::sort({x.array, positions}, d, 1)[1];
  return lax::rev(lax::sort({lax::rev(x.array, {d}), lax::rev(positions, {d})}, d, 1)[1], {d});
}

namespace {

PadWidths all_widths(const Array& x, PadWidths widths) {
  if (widths.size() == 1) widths.assign(x.ndim(), widths[0]);
  if (static_cast<int>(widths.size()) != x.ndim())
    raise<ShapeError>("pad", std::to_string(widths.size()) + " pairs of widths for " + x.type().str(),
                      "Give (before, after) per dim, or one pair for all.");
  for (auto [before, after] : widths)
    if (before < 0 || after < 0)
      raise<ValueError>("pad",
                        "the widths (" + std::to_string(before) + ", " + std::to_string(after) + ") for " +
                            x.type().str() + ": one is negative",
                        "lax::pad cuts with negative widths.");
  return widths;
}

}  // namespace

Array pad(const In& x, const PadWidths& widths, const Operand& value) {
  CallScope scope(x.loc);
  std::vector<lax::PadDim> config;
  for (auto [before, after] : all_widths(x.array, widths)) config.push_back({before, after, 0});
  return lax::pad(x.array, lax::convert_element_type(value.array, x.array.dtype()), config);
}

Array pad(const In& x, const PadWidths& widths, PadMode mode) {
  CallScope scope(x.loc);
  if (mode == PadMode::constant) return pad(x.array, widths, Operand(0.f));
  Array y = x.array;
  auto all = all_widths(x.array, widths);
  for (int d = 0; d < y.ndim(); ++d) {
    auto [before, after] = all[d];
    std::int64_t n = y.shape()[d];
    if (before + after == 0) continue;
    if (n == 0)
      raise<ShapeError>("pad", "dim " + std::to_string(d) + " of " + y.type().str() + " is empty",
                        "Only constant padding works there.");
    if (extent::add(n, extent::add(before, after)) > std::numeric_limits<std::int32_t>::max())
      raise<ShapeError>("pad",
                        "the widths (" + std::to_string(before) + ", " + std::to_string(after) + ") for " +
                            x.array.type().str() + " make a dim beyond int32",
                        "Only constant padding goes beyond.");
    // Where each element of the result comes from; known now, so a gather along one dim.
    std::vector<std::int32_t> from;
    for (std::int64_t i = -before; i < n + after; ++i) {
      std::int64_t at = i;
      if (mode == PadMode::edge) at = std::clamp<std::int64_t>(i, 0, n - 1);
      if (mode == PadMode::wrap) at = (i % n + n) % n;
      if (mode == PadMode::reflect) {
        std::int64_t period = std::max<std::int64_t>(2 * (n - 1), 1);
        at = (i % period + period) % period;
        if (at >= n) at = period - at;
      }
      from.push_back(static_cast<std::int32_t>(at));
    }
    y = take(y, array(from, Shape{from.size()}), d, TakeMode::clip);
  }
  return y;
}

}  // namespace tutti
