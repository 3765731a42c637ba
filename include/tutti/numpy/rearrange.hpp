// Arrays that are joined, cut, turned, repeated, grow or shrink. Source of names and meanings: jax.numpy.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {

// --- joining

Array append(const In& x, const In& values, std::optional<int> axis = {});
Array dstack(const ArrayList& xs);
/// Vectors become columns.
Array column_stack(const ArrayList& xs);
/// Nested lists of arrays, the innermost joined along the last dim, and so on.
struct NestedArrays {
  Array array;
  std::vector<NestedArrays> list;
  NestedArrays(const Array& x) : array(x) {}
  NestedArrays(std::initializer_list<NestedArrays> l) : list(l) {}
};
Array block(const NestedArrays& blocks, Loc loc = Loc::current());
/// Repeated in flat order, or cut, to another shape.
Array resize(const In& x, const Shape& shape);

// --- cutting

/// Parts as equal as possible, the first ones longer; or cut at positions, as split.
std::vector<Array> array_split(const In& x, int parts, int axis = 0);
std::vector<Array> array_split(const In& x, const std::vector<std::int64_t>& at, int axis = 0);
/// split along dim 1 (0 of vectors), 0, 2.
std::vector<Array> hsplit(const In& x, int parts);
std::vector<Array> hsplit(const In& x, const std::vector<std::int64_t>& at);
std::vector<Array> vsplit(const In& x, int parts);
std::vector<Array> vsplit(const In& x, const std::vector<std::int64_t>& at);
std::vector<Array> dsplit(const In& x, int parts);
std::vector<Array> dsplit(const In& x, const std::vector<std::int64_t>& at);
/// The slices along an axis, without it.
std::vector<Array> unstack(const In& x, int axis = 0);
/// Without zeros at the front ("f"), back ("b") or both, of each dim or those given; of a concrete array.
Array trim_zeros(const In& x, const std::string& trim = "fb", const Axes& axes = {});

// --- turning

/// k quarter turns from the first axis towards the second.
Array rot90(const In& x, Dim k = 1, std::pair<int, int> axes = {0, 1});
Array fliplr(const In& x);
Array flipud(const In& x);
Array rollaxis(const In& x, int axis, int start = 0);
Array moveaxis(const In& x, const std::vector<int>& from, const std::vector<int>& to);
Array permute_dims(const In& x, const std::vector<int>& permutation);
template <Integer D, Integer... More> Array permute_dims(const In& x, D dim, More... more) {
  return permute_dims(x, std::vector<int>{static_cast<int>(dim), static_cast<int>(more)...});
}
/// At least 1, 2 or 3 dims: vectors become rows, matrices get a last dim.
Array atleast_1d(const In& x);
Array atleast_2d(const In& x);
Array atleast_3d(const In& x);
Shape broadcast_shapes(const std::vector<Shape>& shapes);

// --- repeating, inserting, leaving out

/// Each element (slice along the axis; without one of the flat array) as often as its entry of `counts` says.
Array repeat(const In& x, const std::vector<std::int64_t>& counts, std::optional<int> axis = {});
struct RepeatOptions {
  std::optional<int> axis = {};
  /// The extent of the result, needed where `counts` is traced: what is beyond is cut, what is missing the last again.
  std::optional<Dim> total_repeat_length = {};
};
Array repeat(const In& x, const In& counts, const RepeatOptions& options = {});
/// With values before the positions `at` (of x as it was) along an axis, or in the flat array. One position takes all
/// of the values.
Array insert(const In& x, std::int64_t at, const Operand& values, std::optional<int> axis = {});
Array insert(const In& x, const std::vector<std::int64_t>& at, const Operand& values, std::optional<int> axis = {});
/// Without these positions along an axis, or of the flat array. (`delete` is a word of C++.)
Array delete_(const In& x, std::int64_t at, std::optional<int> axis = {});
Array delete_(const In& x, const Slice& at, std::optional<int> axis = {});
Array delete_(const In& x, const std::vector<std::int64_t>& at, std::optional<int> axis = {});

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
