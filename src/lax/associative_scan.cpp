// Parts of arrays that associative_scan takes and joins.
#include "tutti/lax/associative_scan.hpp"

#include "tutti/lax/lax.hpp"

namespace tutti::detail {

Array part_between(const Array& x, std::int64_t first, std::int64_t last, int axis, std::int64_t step) {
  std::vector<std::int64_t> start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims(),
                                                                          strides(start.size(), 1);
  const auto d = static_cast<std::size_t>(axis < 0 ? axis + x.ndim() : axis);
  start[d] = first;
  limit[d] = last;
  strides[d] = step;
  return lax::slice(x, start, limit, strides);
}
Array interleaved(const Array& even, const Array& odd, int axis) {
  const int d = axis < 0 ? axis + even.ndim() : axis;
  const std::int64_t pairs = odd.shape(d), n = even.shape(d);
  Shape one = even.shape(), both = one;
  one[static_cast<std::size_t>(d)] = both[static_cast<std::size_t>(d)] = pairs;
  one.insert(d + 1, 1);
  both[static_cast<std::size_t>(d)] = 2 * pairs;
  const Array first = part_between(even, 0, pairs, d);
  const Array out = lax::reshape(lax::concatenate({lax::reshape(first, one), lax::reshape(odd, one)}, d + 1), both);
  return n == pairs ? out : joined(out, part_between(even, pairs, n, d), d);
}
void check_combined(const std::vector<Array>& given, const std::vector<Array>& got, Loc loc) {
  for (std::size_t i = 0; i < given.size() && i < got.size(); ++i)
    if (got[i].shape() != given[i].shape() || got[i].dtype() != given[i].dtype())
      raise<ShapeError>(
          "associative_scan", "fn returns " + got[i].type().str() + " for elements " + given[i].type().str(),
          "It combines many elements at once and keeps their type: use elementwise functions, or vmap().", loc);
}
Array joined(const Array& x, const Array& y, int axis) {
  return lax::concatenate({x, y}, axis < 0 ? axis + x.ndim() : axis);
}
Array reversed(const Array& x, int axis) { return lax::rev(x, {axis < 0 ? axis + x.ndim() : axis}); }

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
