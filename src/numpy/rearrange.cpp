#include "tutti/numpy/rearrange.hpp"

#include <algorithm>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

using ops::Dims;

// --- joining

Array append(const In& x, const In& values, std::optional<int> axis) {
  CallScope scope(x.loc);
  if (axis) return concatenate({x.array, values.array}, *axis);
  return concatenate({ravel(x.array), ravel(values.array)}, 0);
}
Array dstack(const ArrayList& xs) {
  CallScope scope(xs.loc);
  std::vector<Array> parts;
  for (const Array& x : xs.arrays) parts.push_back(atleast_3d(x));
  return concatenate(parts, 2);
}
Array column_stack(const ArrayList& xs) {
  CallScope scope(xs.loc);
  std::vector<Array> parts;
  for (const Array& x : xs.arrays) parts.push_back(x.ndim() < 2 ? reshape(x, Shape{x.size(), 1}) : x);
  return concatenate(parts, 1);
}

namespace {
int depth(const NestedArrays& b) {
  int deepest = 0;
  for (const NestedArrays& inner : b.list) deepest = std::max(deepest, 1 + depth(inner));
  return deepest;
}
int most_dims(const NestedArrays& b) {
  int n = b.array.has_value() ? b.array.ndim() : 0;
  for (const NestedArrays& inner : b.list) n = std::max(n, most_dims(inner));
  return n;
}
Array assembled(const NestedArrays& b, int ndim, int axis) {
  if (b.array.has_value()) {
    Shape shape = b.array.shape();
    while (shape.ndim() < ndim) shape.insert(0, 1);
    return reshape(b.array, shape);
  }
  std::vector<Array> parts;
  for (const NestedArrays& inner : b.list) parts.push_back(assembled(inner, ndim, axis + 1));
  return concatenate(parts, axis);
}
}  // namespace
Array block(const NestedArrays& blocks, Loc loc) {
  CallScope scope(loc);
  const int levels = depth(blocks), ndim = std::max(levels, most_dims(blocks));
  return assembled(blocks, ndim, ndim - levels);
}
Array resize(const In& x, const Shape& shape) {
  CallScope scope(x.loc);
  ops::check_extents("resize", shape);
  const std::int64_t wanted = shape.num_elements(), n = x.array.size();
  if (wanted == 0 || n == 0) return zeros(shape, x.array.dtype());
  return reshape(tile(ravel(x.array), {(wanted + n - 1) / n})(slice(wanted)), shape);
}

// --- cutting

std::vector<Array> array_split(const In& x, int parts, int axis) {
  CallScope scope(x.loc);
  if (parts < 1)
    raise<ValueError>("array_split", std::to_string(parts) + " parts of " + x.array.type().str(), "Ask for 1 or more.");
  const std::int64_t n = x.array.shape()[ops::normal_axis("array_split", axis, x.array)], each = n / parts;
  std::vector<std::int64_t> at;
  for (std::int64_t i = 1; i < parts; ++i) at.push_back(i * each + std::min(i, n % parts));
  return split(x, at, axis);
}
std::vector<Array> array_split(const In& x, const std::vector<std::int64_t>& at, int axis) {
  return split(x, at, axis);
}

namespace {
template <class At> std::vector<Array> split_at(const char* name, const In& x, const At& at, int axis, int least) {
  CallScope scope(x.loc, {"", name, 0});
  if (x.array.ndim() < least)
    raise<ValueError>(name, "the array is " + x.array.type().str(),
                      "It needs " + std::to_string(least) + " dims or more.");
  return split(x.array, at, axis);
}
}  // namespace
std::vector<Array> hsplit(const In& x, int parts) {
  return split_at("hsplit", x, parts, x.array.ndim() == 1 ? 0 : 1, 1);
}
std::vector<Array> hsplit(const In& x, const std::vector<std::int64_t>& at) {
  return split_at("hsplit", x, at, x.array.ndim() == 1 ? 0 : 1, 1);
}
std::vector<Array> vsplit(const In& x, int parts) { return split_at("vsplit", x, parts, 0, 2); }
std::vector<Array> vsplit(const In& x, const std::vector<std::int64_t>& at) { return split_at("vsplit", x, at, 0, 2); }
std::vector<Array> dsplit(const In& x, int parts) { return split_at("dsplit", x, parts, 2, 3); }
std::vector<Array> dsplit(const In& x, const std::vector<std::int64_t>& at) { return split_at("dsplit", x, at, 2, 3); }
std::vector<Array> unstack(const In& x, int axis) {
  CallScope scope(x.loc);
  const int d = ops::normal_axis("unstack", axis, x.array);
  std::vector<Array> out;
  for (const Array& part : split(x.array, static_cast<int>(std::max<std::int64_t>(1, x.array.shape()[d])), d))
    if (part.shape()[d] == 1) out.push_back(squeeze(part, d));
  return out;
}
Array trim_zeros(const In& x, const std::string& trim, const Axes& axes) {
  CallScope scope(x.loc);
  if (x.array.is_traced())
    raise<TracerError>("trim_zeros", "the size of the result depends on the values of a traced array",
                       "Call it outside of transformations.");
  const bool front = trim.find_first_of("fF") != std::string::npos,
             back = trim.find_first_of("bB") != std::string::npos;
  if (!front && !back) return x.array;
  const std::vector<int> trimmed = axes.resolve(x.array.ndim());
  std::vector<Index> box;
  for (int d = 0; d < x.array.ndim(); ++d) {
    if (std::find(trimmed.begin(), trimmed.end(), d) == trimmed.end()) {
      box.push_back(slice(0, x.array.shape()[d]));
      continue;
    }
    std::vector<std::int64_t> others;
    for (int k = 0; k < x.array.ndim(); ++k)
      if (k != d) others.push_back(k);
    const Array along = x.array != 0;
    const std::vector<bool> kept = (others.empty() ? along : any(along, Axes(others))).to_vector<bool>();
    auto first = std::find(kept.begin(), kept.end(), true);
    auto last = std::find(kept.rbegin(), kept.rend(), true);
    if (first == kept.end())
      box.push_back(slice(0));
    else
      box.push_back(slice(front ? first - kept.begin() : 0, back ? kept.rend() - last : x.array.shape()[d]));
  }
  return x.array.index(box);
}

// --- turning

Array rot90(const In& x, Dim k, std::pair<int, int> axes) {
  CallScope scope(x.loc);
  const int a = ops::normal_axis("rot90", axes.first, x.array), b = ops::normal_axis("rot90", axes.second, x.array);
  if (a == b) raise<ValueError>("rot90", "both axes are " + std::to_string(a), "A turn has two axes.");
  switch ((k % 4 + 4) % 4) {
    case 1: return swapaxes(flip(x.array, b), a, b);
    case 2: return flip(x.array, {a, b});
    case 3: return flip(swapaxes(x.array, a, b), b);
    default: return x.array;
  }
}
Array fliplr(const In& x) {
  CallScope scope(x.loc);
  return flip(x.array, 1);
}
Array flipud(const In& x) {
  CallScope scope(x.loc);
  return flip(x.array, 0);
}
Array rollaxis(const In& x, int axis, int start) {
  CallScope scope(x.loc);
  const int n = x.array.ndim(), a = ops::normal_axis("rollaxis", axis, x.array);
  if (start < -n || start > n)
    raise<IndexError>("rollaxis", "start is " + std::to_string(start) + " for " + x.array.type().str(),
                      "Give -ndim to ndim.");
  const int before = start < 0 ? start + n : start;
  return moveaxis(x.array, a, before > a ? before - 1 : before);
}
Array moveaxis(const In& x, const std::vector<int>& from, const std::vector<int>& to) {
  CallScope scope(x.loc);
  if (from.size() != to.size())
    raise<ValueError>("moveaxis", std::to_string(from.size()) + " axes to " + std::to_string(to.size()) + " places",
                      "Name as many of either.");
  const int n = x.array.ndim();
  std::vector<int> order(static_cast<std::size_t>(n), -1);
  std::vector<bool> moved(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < from.size(); ++i) {
    const int a = ops::normal_axis("moveaxis", from[i], x.array), b = ops::normal_axis("moveaxis", to[i], x.array);
    if (moved[static_cast<std::size_t>(a)] || order[static_cast<std::size_t>(b)] >= 0)
      raise<ValueError>("moveaxis", "an axis or a place comes twice", "Name each once.");
    moved[static_cast<std::size_t>(a)] = true;
    order[static_cast<std::size_t>(b)] = a;
  }
  for (int d = 0, next = 0; d < n; ++d) {
    if (order[static_cast<std::size_t>(d)] >= 0) continue;
    while (moved[static_cast<std::size_t>(next)]) ++next;
    order[static_cast<std::size_t>(d)] = next++;
  }
  return transpose(x.array, order);
}
Array permute_dims(const In& x, const std::vector<int>& permutation) { return transpose(x, permutation); }
Array atleast_1d(const In& x) {
  CallScope scope(x.loc);
  return x.array.ndim() ? x.array : reshape(x.array, {1});
}
Array atleast_2d(const In& x) {
  CallScope scope(x.loc);
  return x.array.ndim() >= 2 ? x.array : reshape(x.array, {1, x.array.size()});
}
Array atleast_3d(const In& x) {
  CallScope scope(x.loc);
  if (x.array.ndim() >= 3) return x.array;
  return x.array.ndim() == 2 ? expand_dims(x.array, 2) : reshape(x.array, {1, x.array.size(), 1});
}
Shape broadcast_shapes(const std::vector<Shape>& shapes) { return ops::common_shape("broadcast_shapes", shapes); }

// --- repeating, inserting, leaving out

namespace {
Array at_positions(const Array& x, const std::vector<std::int32_t>& from, int axis) {
  return take(x, array(from, Shape{static_cast<std::int64_t>(from.size())}), axis, TakeMode::clip);
}
}  // namespace

Array repeat(const In& x, const std::vector<std::int64_t>& counts, std::optional<int> axis) {
  CallScope scope(x.loc);
  const Array from = axis ? x.array : ravel(x.array);
  const int d = axis ? ops::normal_axis("repeat", *axis, from) : 0;
  const std::int64_t n = from.shape()[d];
  if (counts.size() == 1) return repeat(from, counts[0], d);
  if (static_cast<std::int64_t>(counts.size()) != n)
    raise<ShapeError>(
        "repeat", std::to_string(counts.size()) + " counts for dim " + std::to_string(d) + " of " + from.type().str(),
        "Give one per element, or one for all.");
  std::vector<std::int32_t> at;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t times = counts[static_cast<std::size_t>(i)];
    if (times < 0) raise<ShapeError>("repeat", "a count is " + std::to_string(times), "Repeat 0 times or more.");
    at.insert(at.end(), static_cast<std::size_t>(times), static_cast<std::int32_t>(i));
  }
  return at_positions(from, at, d);
}

Array repeat(const In& x, const In& counts_in, const RepeatOptions& o) {
  CallScope scope(x.loc);
  const Array& counts = counts_in.array;
  if (!counts.dtype().is_integer() || counts.ndim() > 1)
    raise<TypeError>("repeat", "the counts are " + counts.type().str(), "They are integers, one per element.");
  if (!counts.is_traced() && !o.total_repeat_length)
    return repeat(x, lax::convert_element_type(ravel(counts), int32).to_vector<std::int64_t>(), o.axis);
  if (!o.total_repeat_length)
    raise<TracerError>("repeat", "the size of the result depends on the values of " + counts.type().str(),
                       "Give .total_repeat_length.");
  const Array from = o.axis ? x.array : ravel(x.array);
  const int d = o.axis ? ops::normal_axis("repeat", *o.axis, from) : 0;
  const std::int64_t n = from.shape()[d], total = *o.total_repeat_length;
  if (counts.size() != n && counts.size() != 1)
    raise<ShapeError>("repeat", "the counts are " + counts.type().str() + " for " + from.type().str(),
                      "Give one per element.");
  const Array ends = cumsum(broadcast_to(counts, {n}), 0, int32);
  return take(from, searchsorted(ends, lax::iota(int32, {total}, 0), {.right = true}), d, TakeMode::clip);
}

Array insert(const In& x, const std::vector<std::int64_t>& at, const Operand& values, std::optional<int> axis) {
  CallScope scope(x.loc);
  const Array from = axis ? x.array : ravel(x.array);
  const int d = axis ? ops::normal_axis("insert", *axis, from) : 0;
  const std::int64_t n = from.shape()[d];
  Array v = lax::convert_element_type(values.array, from.dtype());
  while (v.ndim() < from.ndim()) v = expand_dims(v, 0);
  std::vector<std::int64_t> places = at;
  if (places.size() == 1) places.assign(static_cast<std::size_t>(std::max<std::int64_t>(1, v.shape()[d])), places[0]);
  for (std::int64_t& p : places) {
    if (p < -n || p > n)
      raise<IndexError>("insert",
                        "position " + std::to_string(p) + " is out of range for dim " + std::to_string(d) + " of " +
                            from.type().str(),
                        "Positions go from " + std::to_string(-n) + " to " + std::to_string(n) + ".");
    if (p < 0) p += n;
  }
  Shape shape = from.shape();
  shape[d] = static_cast<std::int64_t>(places.size());
  // Behind x in one array, and read in the order of their places.
  const Array both = concatenate({from, broadcast_to(v, shape)}, d);
  std::vector<std::pair<std::int64_t, std::int32_t>> order;
  for (std::size_t i = 0; i < places.size(); ++i)
    order.emplace_back(places[i], static_cast<std::int32_t>(n + static_cast<std::int64_t>(i)));
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::int32_t> source;
  std::size_t next = 0;
  for (std::int64_t i = 0; i <= n; ++i) {
    for (; next < order.size() && order[next].first == i; ++next) source.push_back(order[next].second);
    if (i < n) source.push_back(static_cast<std::int32_t>(i));
  }
  return at_positions(both, source, d);
}
Array insert(const In& x, std::int64_t at, const Operand& values, std::optional<int> axis) {
  CallScope scope(x.loc);
  // One position takes values as x.at(at).set does: their first dim goes where the axis is.
  Array v = values.array;
  const int ndim = axis ? x.array.ndim() : 1;
  while (v.ndim() < ndim) v = expand_dims(v, 0);
  if (axis) v = moveaxis(v, 0, ops::normal_axis("insert", *axis, x.array));
  return insert(x, std::vector<std::int64_t>{at}, v, axis);
}

Array delete_(const In& x, const std::vector<std::int64_t>& at, std::optional<int> axis) {
  CallScope scope(x.loc);
  const Array from = axis ? x.array : ravel(x.array);
  const int d = axis ? ops::normal_axis("delete_", *axis, from) : 0;
  const std::int64_t n = from.shape()[d];
  std::vector<bool> gone(static_cast<std::size_t>(n));
  for (std::int64_t p : at) {
    if (p < -n || p >= n)
      raise<IndexError>("delete_",
                        "position " + std::to_string(p) + " is out of range for dim " + std::to_string(d) + " of " +
                            from.type().str(),
                        "Positions go from " + std::to_string(-n) + " to " + std::to_string(n - 1) + ".");
    gone[static_cast<std::size_t>(p < 0 ? p + n : p)] = true;
  }
  std::vector<std::int32_t> kept;
  for (std::int64_t i = 0; i < n; ++i)
    if (!gone[static_cast<std::size_t>(i)]) kept.push_back(static_cast<std::int32_t>(i));
  return at_positions(from, kept, d);
}
Array delete_(const In& x, std::int64_t at, std::optional<int> axis) {
  return delete_(x, std::vector<std::int64_t>{at}, axis);
}
Array delete_(const In& x, const Slice& at, std::optional<int> axis) {
  CallScope scope(x.loc);
  const Array from = axis ? x.array : ravel(x.array);
  const int d = axis ? ops::normal_axis("delete_", *axis, from) : 0;
  return delete_(from, arange(from.shape()[d])(at).to_vector<std::int64_t>(), d);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
