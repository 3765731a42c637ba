// The elements of windows as features, and convolutions with a kernel of its own for each window.
#include <algorithm>

#include "lax/conv_order.hpp"
#include "lax/windows.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/base/extent.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::lax {
namespace {

// Where windows lie in an array [batch, features, spatial dims], padded.
struct Windows {
  Dims extents, strides, dilation, counts;
  bool is_spread(std::size_t d) const { return dilation[d] > 1 && extents[d] > 1; }
};

// The places of windows and, of dims with dilation, of their elements: [counts, extents of those dims, spatial dims].
Array places_of(const Windows& w) {
  Dims batch = w.counts;
  for (std::size_t d = 0; d < w.extents.size(); ++d)
    if (w.is_spread(d)) batch.push_back(w.extents[d]);
  batch.push_back(1);
  const Shape shape(batch);
  auto counted = [&](std::size_t dim, std::int64_t step) {
    const Array number = lax::iota(int32, shape, static_cast<int>(dim));
    return lax::mul(number, lax::broadcast(Array(step).astype(int32), shape));
  };
  std::vector<Array> places;
  std::size_t within = w.counts.size();
  for (std::size_t d = 0; d < w.extents.size(); ++d) {
    places.push_back(counted(d, w.strides[d]));
    if (w.is_spread(d)) places.back() = lax::add(places.back(), counted(within++, w.dilation[d]));
  }
  return lax::concatenate(places, shape.ndim() - 1);
}

// [batch, features, extents, counts].
Array elements_of(const Array& x, const Windows& w) {
  const auto spatial = static_cast<std::int64_t>(w.extents.size());
  GatherDims dims;
  Dims sizes{x.shape()[0], x.shape()[1]}, permutation;
  Dims within(w.extents.size());  // where the elements of windows are in the gathered array
  std::int64_t behind = spatial;
  for (std::size_t d = 0; d < w.extents.size(); ++d) {
    dims.start_index_map.push_back(static_cast<std::int64_t>(d) + 2);
    if (w.is_spread(d)) {
      dims.collapsed_slice_dims.push_back(static_cast<std::int64_t>(d) + 2);
      within[d] = behind++;
    }
    sizes.push_back(w.is_spread(d) ? 1 : w.extents[d]);
  }
  permutation = {behind, behind + 1};
  std::int64_t offset = behind + 2;
  for (std::size_t d = 0; d < w.extents.size(); ++d)
    if (!w.is_spread(d)) within[d] = offset++;
  for (std::int64_t d = behind; d < offset; ++d) dims.offset_dims.push_back(d);
  permutation.insert(permutation.end(), within.begin(), within.end());
  for (std::int64_t d = 0; d < spatial; ++d) permutation.push_back(d);
  return lax::transpose(lax::gather(x, places_of(w), dims, Shape(sizes), GatherMode::promise_in_bounds), permutation);
}

}  // namespace

Array conv_general_dilated_patches(const In& lhs, const Dims& filter_shape, const Dims& window_strides,
                                   const PatchOptions& o) {
  CallScope scope(lhs.loc);
  const char* op = "conv_general_dilated_patches";
  const int ndim = lhs.array.ndim();
  if (ndim < 2 || static_cast<int>(filter_shape.size()) != ndim - 2)
    raise<ShapeError>(op, "the window has " + std::to_string(filter_shape.size()) + " dims for " + type_text(lhs.array),
                      "Give one extent per spatial dim.");
  const std::size_t spatial = filter_shape.size();
  const Order order = order_of(op, o.dimension_numbers, ndim);
  const Array x = arranged(lhs.array, order.lhs);
  Windows w{ones_or(op, "filter_shape", filter_shape, spatial),
            ones_or(op, "window_strides", window_strides, spatial),
            ones_or(op, "rhs_dilation", o.rhs_dilation, spatial),
            {}};
  const Dims between = ones_or(op, "lhs_dilation", o.lhs_dilation, spatial);
  const Dims extents = spread(Dims(x.shape().begin() + 2, x.shape().end()), between);
  const Pairs pairs = o.padding.resolve(op, extents, spread(w.extents, w.dilation), w.strides);
  const Array around = padded(x, ops::zeros({x.dtype(), {}, false, {}}), pairs, between);
  w.counts = counts(around.shape(), w.extents, w.strides, w.dilation);
  for (std::size_t d = 0; d < spatial; ++d)
    if (w.counts[d] == 1) w.strides[d] = 1;  // of one window it says nothing, and may be larger than any array

  Dims shape{x.shape()[0], extent::mul(x.shape()[1], Shape(w.extents).num_elements())};
  shape.insert(shape.end(), w.counts.begin(), w.counts.end());
  const DType result = o.preferred_element_type.value_or(x.dtype());
  Dims permutation(static_cast<std::size_t>(ndim));
  for (std::size_t d = 0; d < permutation.size(); ++d)
    permutation[static_cast<std::size_t>(order.out[d])] = static_cast<std::int64_t>(d);
  if (spatial == 0) return lax::convert_element_type(arranged(x, permutation), result);
  if (Shape(shape).num_elements() == 0) return arranged(ops::zeros({result, Shape(shape), false, {}}), permutation);
  return lax::convert_element_type(arranged(lax::reshape(elements_of(around, w), Shape(shape)), permutation), result);
}

Array conv_general_dilated_local(const In& lhs, const In& rhs, const Dims& window_strides, const Padding& padding,
                                 const Dims& filter_shape, const PatchOptions& o) {
  CallScope scope(lhs.loc);
  PatchOptions whole = o;
  whole.padding = padding;
  const Array seen = conv_general_dilated_patches(lhs, filter_shape, window_strides, whole);
  const Order order = order_of("conv_general_dilated_local", o.dimension_numbers, lhs.array.ndim());
  const Dims spatial(order.out.begin() + 2, order.out.end()), kernels(order.rhs.begin() + 2, order.rhs.end());
  // Batch dims of the product (the places) come first, then out features and examples.
  const Array y =
      lax::dot_general(rhs, seen, {{order.rhs[1]}, {order.out[1]}, kernels, spatial}, o.preferred_element_type);
  Dims permutation(order.out.size());
  const auto places = static_cast<std::int64_t>(spatial.size());
  permutation[static_cast<std::size_t>(order.out[0])] = places + 1;
  permutation[static_cast<std::size_t>(order.out[1])] = places;
  for (std::int64_t d = 0; d < places; ++d)
    permutation[static_cast<std::size_t>(spatial[static_cast<std::size_t>(d)])] = d;
  return arranged(y, permutation);
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
