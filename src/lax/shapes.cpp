#include "tutti/lax/shapes.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "lax/as_often.hpp"
#include "ops/movement/barrier.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::lax {

Array broadcast_to_rank(const In& x, int rank) {
  CallScope scope(x.loc);
  Shape shape = x.array.shape();
  if (shape.ndim() > rank)
    raise<ShapeError>("broadcast_to_rank", type_text(x.array) + " has more than " + std::to_string(rank) + " dims",
                      "The rank is that of x or more.");
  while (shape.ndim() < rank) shape.insert(0, 1);
  return lax::reshape(x, shape);
}

Array broadcast_like(const In& x, const In& like) {
  CallScope scope(x.loc);
  const Array y = broadcast_to(x, like.array.shape());
  return like.array.is_traced() || !like.array.committed() ? y : device_put(y, like.array.sharding());
}

Array collapse(const In& x, int start, std::optional<int> stop) {
  CallScope scope(x.loc);
  const Shape& shape = x.array.shape();
  // As in a slice, places beyond the last dim stand for the end.
  auto place = [n = shape.ndim()](int d) { return std::clamp(d < 0 ? d + n : d, 0, n); };
  const int n = shape.ndim(), last = stop.value_or(n), from = place(start), to = place(last);
  if (from > to)
    raise<IndexError>("collapse",
                      "dims " + std::to_string(start) + " to " + std::to_string(last) + " of " + type_text(x.array),
                      "They are in order, from 0 to the number of dims.");
  Shape out;
  std::int64_t product = 1;
  for (int d = 0; d < n; ++d) {
    if (d >= from && d < to) product *= shape[static_cast<std::size_t>(d)];
    if (d == to) out.push_back(product);
    if (d < from || d >= to) out.push_back(shape[static_cast<std::size_t>(d)]);
  }
  if (to == n) out.push_back(product);
  return lax::reshape(x, out);
}

Array index_take(const In& x, const std::vector<Array>& indices, const std::vector<int>& axes) {
  CallScope scope(x.loc);
  if (indices.size() != axes.size() || indices.empty())
    raise<ShapeError>("index_take",
                      std::to_string(indices.size()) + " indices for " + std::to_string(axes.size()) + " axes",
                      "Give a vector of indices for each axis.");
  std::vector<Array> columns;
  Dims collapsed;
  Shape sizes = x.array.shape();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const int d = axes[i] < 0 ? axes[i] + x.array.ndim() : axes[i];
    if (d < 0 || d >= x.array.ndim())
      raise<IndexError>("index_take", "axis " + std::to_string(axes[i]) + " of " + type_text(x.array),
                        "Axes count from 0, or backwards from -1.");
    columns.push_back(expand_dims(indices[i] % static_cast<int>(sizes[static_cast<std::size_t>(d)]), 1));
    collapsed.push_back(d);
  }
  for (std::int64_t d : collapsed) sizes[static_cast<std::size_t>(d)] = 1;
  Dims offsets(static_cast<std::size_t>(x.array.ndim()) - collapsed.size()), sorted = collapsed;
  std::iota(offsets.begin(), offsets.end(), 1);
  std::sort(sorted.begin(), sorted.end());
  return lax::gather(x, concatenate(columns, 1), {offsets, sorted, collapsed, {}, {}}, sizes);
}

Array mulhi(const In& x, const In& y) {
  CallScope scope(x.loc);
  const DType dtype = x.array.dtype();
  if (!dtype.is_integer() || y.array.dtype() != dtype)
    raise<TypeError>("mulhi", "operands are " + type_text(x.array) + " and " + type_text(y.array),
                     "Both are of one integer dtype: convert with astype().");
  const int bits = static_cast<int>(dtype.size()) * 8, half = bits / 2;
  auto shift = [&](const Array& v) { return lax::shift_right_logical(v, full(v.shape(), half, v.dtype())); };
  const DType word = dtype.is_unsigned() ? dtype
                     : bits == 8         ? uint8
                     : bits == 16        ? uint16
                     : bits == 32        ? uint32
                                         : uint64;
  // Schoolbook, in halves; of negative numbers the other factor is taken away again.
  const Array a = lax::bitcast_convert_type(x, word), b = lax::bitcast_convert_type(y, word);
  auto low = [&](const Array& v) { return lax::sub(v, lax::shift_left(shift(v), full(v.shape(), half, word))); };
  const Array al = low(a), ah = shift(a), bl = low(b), bh = shift(b);
  const Array middle = lax::add(lax::mul(ah, bl), shift(lax::mul(al, bl)));
  const Array carry = lax::add(low(middle), lax::mul(al, bh));
  Array high = lax::add(lax::mul(ah, bh), lax::add(shift(middle), shift(carry)));
  if (dtype.is_unsigned()) return high;
  high = lax::bitcast_convert_type(high, dtype);
  const Array zero = zeros({}, dtype);
  high = lax::sub(high, lax::select(x.array < 0, y.array, broadcast_to(zero, y.array.shape())));
  return lax::sub(high, lax::select(y.array < 0, x.array, broadcast_to(zero, x.array.shape())));
}

namespace {
void check_floating(const char* function, const Array& x) {
  if (!x.dtype().is_floating())
    raise<TypeError>(function, "the array is " + type_text(x), "It takes floating types; top_k takes all.");
}
}  // namespace
TopK approx_max_k(const In& x, std::int64_t k, const ApproxOptions& o) {
  CallScope scope(x.loc);
  check_floating("approx_max_k", x.array);
  return top_k(x, k, o.reduction_dimension);
}
TopK approx_min_k(const In& x, std::int64_t k, const ApproxOptions& o) {
  CallScope scope(x.loc);
  check_floating("approx_min_k", x.array);
  const TopK largest = top_k(-x.array, k, o.reduction_dimension);
  return {-largest.values, largest.indices};
}

Array ragged_dot_general(const In& lhs, const In& rhs, const In& group_sizes, const RaggedDotDims& d,
                         std::optional<DType> preferred) {
  CallScope scope(lhs.loc);
  const Array &a = lhs.array, &b = rhs.array, &sizes = group_sizes.array;
  const bool batch = ops::contains(d.dot.lhs_batch, d.lhs_ragged),
             summed = ops::contains(d.dot.lhs_contract, d.lhs_ragged);
  if (d.lhs_ragged < 0 || d.lhs_ragged >= a.ndim() || sizes.ndim() != 1 ||
      d.rhs_groups.size() != (batch || summed ? 0 : 1) ||
      (!d.rhs_groups.empty() && b.shape(static_cast<int>(d.rhs_groups[0])) != sizes.size()))
    raise<ShapeError>("ragged_dot_general",
                      "lhs is " + type_text(a) + ", rhs " + type_text(b) + ", group_sizes " + type_text(sizes),
                      "Groups have a size each and, where rows are in groups, a matrix each along one dim of rhs.");
  if (batch) return lax::dot_general(a, b, d.dot, preferred);
  // Each group's part with zeros elsewhere, side by side in a dim of their own.
  const Array ends = cumsum(sizes), starts = ends - sizes;
  const Array place = lax::iota(sizes.dtype(), Shape{a.shape(static_cast<int>(d.lhs_ragged)), sizes.size()}, 0);
  Shape beside(std::vector<std::int64_t>(static_cast<std::size_t>(a.ndim()) + 1, 1));
  beside[static_cast<std::size_t>(d.lhs_ragged)] = place.shape(0);
  beside[static_cast<std::size_t>(a.ndim())] = sizes.size();
  const Array here = lax::reshape((place >= starts) & (place < ends), beside);
  const Array apart = where(here, expand_dims(a, -1), zeros({}, a.dtype()));
  DotDims dims = d.dot;
  if (!summed) {
    dims.lhs_contract.push_back(a.ndim());
    dims.rhs_contract.push_back(d.rhs_groups[0]);
    return lax::dot_general(apart, b, dims, preferred);
  }
  const auto groups = static_cast<int>(a.ndim() - static_cast<std::int64_t>(dims.lhs_contract.size()));
  return moveaxis(lax::dot_general(apart, b, dims, preferred), groups, 0);
}

Array ragged_dot(const In& lhs, const In& rhs, const In& group_sizes, std::optional<DType> preferred) {
  CallScope scope(lhs.loc);
  if (lhs.array.ndim() != 2 || rhs.array.ndim() != 3)
    raise<ShapeError>("ragged_dot", "lhs is " + type_text(lhs.array) + ", rhs " + type_text(rhs.array),
                      "They are [m, k] and [g, k, n].");
  return ragged_dot_general(lhs, rhs, group_sizes, {{{1}, {1}, {}, {}}, 0, {0}}, preferred);
}

Array scaled_dot(const In& lhs, const In& rhs, const ScaledDotOptions& o) {
  CallScope scope(lhs.loc);
  auto scaled = [](const Array& x, const Array& scale) {
    if (!scale.has_value()) return x;
    Array s = scale;
    for (int d = 0; d < x.ndim(); ++d) {
      const std::int64_t n = x.shape(d), have = s.ndim() == x.ndim() ? s.shape(d) : 0;
      if (have < 1 || n % have)
        raise<ShapeError>("scaled_dot", "a scale is " + type_text(scale) + " for " + type_text(x),
                          "It has as many dims, whose extents divide those of the operand.");
      s = repeat(s, n / have, d);
    }
    return x * s.astype(x.dtype());
  };
  return lax::dot_general(scaled(lhs.array, o.lhs_scale), scaled(rhs.array, o.rhs_scale), o.dims,
                          o.preferred_element_type);
}

Array scatter_apply(const In& x, const In& indices, const std::function<Array(const Array&)>& func,
                    const ScatterDims& dims, const Shape& update_shape) {
  CallScope scope(x.loc);
  const Array times =
      lax::scatter(zeros(x.array.shape(), int32), indices, ones(update_shape, int32), dims, ScatterKind::add);
  auto once = [&](const Array& v) { return where(times > 0, func(v), v); };
  return as_often(times, update_shape.num_elements(), x.array, once);
}

Array as_often(const Array& times, std::int64_t most, const Array& x, const std::function<Array(const Array&)>& once) {
  if (times.size() == 0) return x;
  auto again = [&](const Array& k, const Array& v) { return where(times > k, once(v), v); };
  Array out = once(x);
  if (times.is_traced()) {
    if (most < 2) return out;
    auto left = [last = max(times)](const std::pair<Array, Array>& at) { return at.first < last; };
    auto step = [&](const std::pair<Array, Array>& at) { return std::pair{at.first + 1, again(at.first, at.second)}; };
    return while_loop(left, step, std::pair{Array(1).astype(int32), out}, {.max_steps = most - 1}).second;
  }
  for (int k = 1, rounds = max(times).item<int>(); k < rounds; ++k) out = again(k, out);
  return out;
}

}  // namespace tutti::lax

namespace tutti::detail {

Array barrier(const Array& x) { return bind1(ops::barrier, {}, {x}); }

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
