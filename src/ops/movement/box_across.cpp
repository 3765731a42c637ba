#include "ops/movement/box_across.hpp"

#include <algorithm>

#include "ops/elementwise/convert.hpp"
#include "ops/movement/dynamic_slice.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

Array index(std::int64_t v) { return literal(int32, static_cast<double>(v)); }
Array clamped(const Array& x, std::int64_t least, std::int64_t most) {
  return lax::max(lax::min(x, index(most)), index(least));
}

// Starts and sizes are what they are.
Array box(const Array& x, const std::vector<Array>& starts, const Shape& sizes) {
  std::vector<Array> operands = starts;
  operands.insert(operands.begin(), x);
  return bind1(dynamic_slice, DynamicSlice{sizes}, operands);
}

// Elements at, at + 1, ... of dim `dim` of `x`; zeros where there are none. -n <= at <= the extent there.
Array shifted_box(const Array& x, const Array& at, std::int64_t n, int dim) {
  std::vector<lax::PadDim> config(static_cast<std::size_t>(x.ndim()));
  config[dim] = {n, n, 0};
  std::vector<Array> starts(static_cast<std::size_t>(x.ndim()), index(0));
  starts[dim] = lax::add(at, index(n));
  Shape sizes = x.shape();
  sizes[dim] = n;
  return box(lax::pad(x, literal(x.dtype(), 0), config), starts, sizes);
}

// Where a box of `n` lies along the line, seen from this device's block: from `start` on, of which the `window`
// elements of the block from `at` on are all that can belong to it.
struct Place {
  Array start, at;
  std::int64_t window;
};
Place place_of(const Array& start, std::int64_t n, std::int64_t block, const Line& line) {
  Array first = start;
  const std::int64_t most = line.blocks * block - n;
  if (first.dtype().size() > 4 || first.dtype() == uint32)  // may be beyond int32: clamped as it is
    first = lax::max(lax::min(first, literal(first.dtype(), static_cast<double>(most))), literal(first.dtype(), 0));
  if (first.dtype() != int32) first = bind1(convert_element_type, ConvertElementType{int32, false}, {first});
  first = clamped(first, 0, most);
  const std::int64_t window = std::min(n, block);
  first = lax::sub(first, lax::mul(line.position(), index(block)));
  return {first, clamped(first, 0, block - window), window};
}

}  // namespace

Array read_across(const Array& block, std::vector<Array> starts, const Shape& sizes, const Line& line) {
  const std::int64_t n = sizes[line.dim];
  const Place place = place_of(starts[line.dim], n, block.shape()[line.dim], line);
  Shape window = sizes;
  window[line.dim] = place.window;
  starts[line.dim] = place.at;
  const Array part = box(block, starts, window);
  const Array mine = shifted_box(part, clamped(lax::sub(place.start, place.at), -n, place.window), n, line.dim);
  if (!mine.dtype().is_bool()) return line.summed(mine);
  const Array summed = line.summed(bind1(convert_element_type, ConvertElementType{int32, false}, {mine}));
  return bind1(convert_element_type, ConvertElementType{bool_, false}, {summed});
}

std::optional<double> received_to_read(DType dtype, const Shape& sizes, std::int64_t blocks) {
  if (dtype.is_key()) return std::nullopt;
  const double bytes = static_cast<double>(sizes.num_elements() * (dtype.is_bool() ? 4 : dtype.size()));
  return 2 * bytes * static_cast<double>(blocks - 1) / static_cast<double>(blocks);
}

Array write_across(const Array& block, const Array& update, std::vector<Array> starts, const Line& line) {
  const std::int64_t n = update.shape()[line.dim];
  const Place place = place_of(starts[line.dim], n, block.shape()[line.dim], line);
  Shape window = update.shape();
  window[line.dim] = place.window;
  starts[line.dim] = place.at;
  // Element i of the window is element i + ahead of the update, if there is one.
  const Array ahead = lax::sub(place.at, place.start);
  const Array part = shifted_box(update, clamped(ahead, -place.window, n), place.window, line.dim);
  const Array element = lax::add(lax::iota(int32, window, line.dim), lax::broadcast_in_dim(ahead, window, {}));
  auto all = [&](std::int64_t v) { return lax::broadcast_in_dim(index(v), window, {}); };
  const Array there = lax::bitwise_and(lax::ge(element, all(0)), lax::lt(element, all(n)));
  std::vector<Array> operands = starts;
  operands.insert(operands.begin(), {block, lax::select(there, part, box(block, starts, window))});
  return bind1(dynamic_update_slice, {}, operands);
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
