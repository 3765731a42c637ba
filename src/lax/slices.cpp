#include "tutti/lax/slices.hpp"

#include <algorithm>

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::lax {
namespace {

int dim_of(int axis, const Array& x) { return Axes(axis).resolve(x.ndim())[0]; }

// A place along a dim, 0 along the others.
std::vector<Array> starts(const char* name, const Array& x, const Array& at, int dim) {
  if (at.ndim() != 0 || !at.dtype().is_integer())
    raise<TypeError>(name, "the place is " + type_text(at), "It is an integer, or a scalar array of one.");
  std::vector<Array> out(x.shape().size(), Array(0));
  bool large = false;  // beyond int32
  for (std::int64_t n : x.shape()) large = large || n > INT32_MAX;
  const Array i = lax::convert_element_type(at, large ? int64 : int32);
  out[static_cast<std::size_t>(dim)] = where(i < 0, i + x.shape()[dim], i);
  for (Array& o : out) o = lax::convert_element_type(o, i.dtype());
  return out;
}

}  // namespace

Array slice_in_dim(const In& x, std::optional<std::int64_t> start, std::optional<std::int64_t> limit,
                   std::int64_t stride, int axis) {
  CallScope scope(x.loc);
  const int d = dim_of(axis, x.array);
  const std::int64_t n = x.array.shape()[d];
  auto bound = [&](std::optional<std::int64_t> v, std::int64_t open) { return v ? *v < 0 ? *v + n : *v : open; };
  Dims from(x.array.shape().size(), 0), to = x.array.shape().dims(), by(from.size(), 1);
  from[static_cast<std::size_t>(d)] = bound(start, 0);
  to[static_cast<std::size_t>(d)] = bound(limit, n);
  by[static_cast<std::size_t>(d)] = stride;
  return lax::slice(x.array, from, to, by);
}
Array index_in_dim(const In& x, std::int64_t index, int axis, bool keepdims) {
  CallScope scope(x.loc);
  const int d = dim_of(axis, x.array);
  const std::int64_t n = x.array.shape()[d];
  if (index < -n || index >= n)
    raise<IndexError>(
        "index_in_dim",
        std::to_string(index) + " is out of range for dim " + std::to_string(d) + " of " + type_text(x.array),
        "Indices go from " + std::to_string(-n) + " to " + std::to_string(n - 1) + ".");
  const std::int64_t at = index < 0 ? index + n : index;
  const Array y = slice_in_dim(x.array, at, at + 1, 1, d);
  return keepdims ? y : squeeze(y, d);
}
Array dynamic_slice_in_dim(const In& x, const Operand& start, std::int64_t size, int axis) {
  CallScope scope(x.loc);
  const int d = dim_of(axis, x.array);
  Shape sizes = x.array.shape();
  sizes[d] = size;
  return lax::dynamic_slice(x.array, starts("dynamic_slice_in_dim", x.array, start.array, d), sizes);
}
Array dynamic_index_in_dim(const In& x, const Operand& index, int axis, bool keepdims) {
  CallScope scope(x.loc);
  const Array y = dynamic_slice_in_dim(x, index, 1, axis);
  return keepdims ? y : squeeze(y, dim_of(axis, x.array));
}
Array dynamic_update_slice_in_dim(const In& x, const In& update, const Operand& start, int axis) {
  CallScope scope(x.loc);
  const int d = dim_of(axis, x.array);
  return lax::dynamic_update_slice(x.array, update.array,
                                   starts("dynamic_update_slice_in_dim", x.array, start.array, d));
}
Array dynamic_update_index_in_dim(const In& x, const In& update, const Operand& index, int axis) {
  CallScope scope(x.loc);
  const int d = dim_of(axis, x.array);
  const Array u = update.array.ndim() == x.array.ndim() ? update.array : expand_dims(update.array, d);
  return dynamic_update_slice_in_dim(x, u, index, d);
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
