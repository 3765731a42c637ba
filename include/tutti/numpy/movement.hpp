// Making, moving, joining and contracting arrays: the NumPy-like functions. Source of names and meanings: jax.numpy.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti {

// --- making arrays

/// `zeros({4, 8})` is float32, under x64 float64 (which without x64 is float32 everywhere); `zeros({4, 8}, int32)`.
/// Negative extents are a ShapeError.
Array zeros(const Shape& shape, DType dtype = float64, Loc loc = Loc::current());
Array ones(const Shape& shape, DType dtype = float64, Loc loc = Loc::current());
/// Elements without a promised value (zeros, as in JAX).
Array empty(const Shape& shape, DType dtype = float64, Loc loc = Loc::current());
/// The same of extents one by one: `zeros(4, 8)`; of one also with a dtype: `zeros(4, int32)`.
template <Extent N> Array zeros(N n, DType dtype = float64, Loc loc = Loc::current()) {
  return zeros(Shape{n}, dtype, loc);
}
template <Extent N> Array ones(N n, DType dtype = float64, Loc loc = Loc::current()) {
  return ones(Shape{n}, dtype, loc);
}
template <Extent N> Array empty(N n, DType dtype = float64, Loc loc = Loc::current()) {
  return empty(Shape{n}, dtype, loc);
}
template <Extent N, Extent... More> Array zeros(N n, const LocatedDim& m, More... more) {
  return zeros(Shape{n, m.value, more...}, float64, m.loc);
}
template <Extent N, Extent... More> Array ones(N n, const LocatedDim& m, More... more) {
  return ones(Shape{n, m.value, more...}, float64, m.loc);
}
template <Extent N, Extent... More> Array empty(N n, const LocatedDim& m, More... more) {
  return empty(Shape{n, m.value, more...}, float64, m.loc);
}
/// `value` (a number or an array that broadcasts) in every place; without a dtype it keeps the value's, weak for a
/// number.
Array full(const Shape& shape, const Operand& value);
Array full(const Shape& shape, const Operand& value, DType dtype);
template <Extent N> Array full(N n, const Operand& value) { return full(Shape{n}, value); }
template <Extent N> Array full(N n, const Operand& value, DType dtype) { return full(Shape{n}, value, dtype); }
/// The like-functions take shape and dtype of x unless others are given, and outside of transformations, where the
/// shape is x's, its placement.
Array zeros_like(const In& x);
Array zeros_like(const In& x, DType dtype);
Array zeros_like(const In& x, const Shape& shape, std::optional<DType> dtype = {});
Array ones_like(const In& x);
Array ones_like(const In& x, DType dtype);
Array ones_like(const In& x, const Shape& shape, std::optional<DType> dtype = {});
Array full_like(const In& x, const Operand& value);
Array full_like(const In& x, const Operand& value, DType dtype);
Array full_like(const In& x, const Operand& value, const Shape& shape, std::optional<DType> dtype = {});
/// n rows, m columns (m = n when left out), ones on diagonal k: `eye(2)` is {{1, 0}, {0, 1}}. Positive k lie above the
/// main diagonal, negative ones below, here and in all functions of diagonals; one beyond the corner has no elements.
Array eye(Dim n, DType dtype = float64, Loc loc = Loc::current());
Array eye(Dim n, Dim m, Dim k = 0, DType dtype = float64, Loc loc = Loc::current());
/// Ones at and below diagonal k.
Array tri(Dim n, Dim m, Dim k = 0, DType dtype = float32, Loc loc = Loc::current());
inline Array tri(Dim n, Loc loc = Loc::current()) { return tri(n, n, 0, float32, loc); }
Array arange_from(const Scalar& start, const Scalar& stop, const Scalar& step, std::optional<DType> dtype, Loc loc);
/// start, start + step, ... below stop. Integers give int32, a float among the arguments float32: `arange(3)` is {0, 1,
/// 2}, `arange(0., 1., 0.25)` has 4.
template <Number T> Array arange(T stop, Loc loc = Loc::current()) {
  return arange_from(Scalar(T(0)), Scalar(stop), Scalar(T(1)), {}, loc);
}
template <Number T> Array arange(T stop, DType dtype, Loc loc = Loc::current()) {
  return arange_from(Scalar(T(0)), Scalar(stop), Scalar(T(1)), dtype, loc);
}
template <Number T, Number U> Array arange(T start, U stop, Loc loc = Loc::current()) {
  return arange_from(Scalar(start), Scalar(stop), Scalar(1), {}, loc);
}
template <Number T, Number U> Array arange(T start, U stop, DType dtype, Loc loc = Loc::current()) {
  return arange_from(Scalar(start), Scalar(stop), Scalar(1), dtype, loc);
}
template <Number T, Number U, Number V> Array arange(T start, U stop, V step, Loc loc = Loc::current()) {
  return arange_from(Scalar(start), Scalar(stop), Scalar(step), {}, loc);
}
template <Number T, Number U, Number V> Array arange(T start, U stop, V step, DType dtype, Loc loc = Loc::current()) {
  return arange_from(Scalar(start), Scalar(stop), Scalar(step), dtype, loc);
}
/// `n` equidistant numbers from start to stop, both included unless `endpoint` is false.
Array linspace(double start, double stop, Dim n = 50, bool endpoint = true, DType dtype = float64,
               Loc loc = Loc::current());

// --- shapes

/// One extent may be -1: `reshape(x, {4, -1})`. Extents, repeats and dims of the functions below may also be given one
/// by one: `reshape(x, 4, -1)`, `transpose(x, 0, 2, 1)`, `squeeze(x, 0, 2)`.
Array reshape(const In& x, const Shape& shape);
template <Extent N, Extent... More> Array reshape(const In& x, N n, More... more) {
  return reshape(x, Shape{n, more...});
}
Array ravel(const In& x);
/// All dims in reverse order, or in the order given: `transpose(x, {1, 0, 2})`; negative dims count from the end.
Array transpose(const In& x);
Array transpose(const In& x, const std::vector<int>& permutation);
template <Integer D, Integer... More> Array transpose(const In& x, D dim, More... more) {
  return transpose(x, std::vector<int>{static_cast<int>(dim), static_cast<int>(more)...});
}
Array moveaxis(const In& x, int from, int to);
Array swapaxes(const In& x, int a, int b);
/// Drops dims of extent 1: those named, or all.
Array squeeze(const In& x, const Axes& axes = {});
template <Integer D, Integer E, Integer... More> Array squeeze(const In& x, D dim, E second, More... more) {
  return squeeze(x, Axes{dim, second, more...});
}
/// Adds dims of extent 1; `axes` are positions in the result.
Array expand_dims(const In& x, const std::vector<int>& axes);
template <Extent D, Extent... More> Array expand_dims(const In& x, D axis, More... more) {
  return expand_dims(x, std::vector<int>{static_cast<int>(axis), static_cast<int>(more)...});
}
Array broadcast_to(const In& x, const Shape& shape);
template <Extent N, Extent... More> Array broadcast_to(const In& x, N n, More... more) {
  return broadcast_to(x, Shape{n, more...});
}
/// Arrays with their dtypes promoted and their shapes broadcast to one.
std::vector<Array> broadcast_arrays(const std::vector<Array>& xs);

// --- joining and cutting

/// A list of arrays, with the caller's line: `concatenate({x, y})`.
struct ArrayList {
  std::vector<Array> arrays;
  Loc loc;
  ArrayList(std::initializer_list<Array> list, Loc l = Loc::current()) : arrays(list), loc(l) {}
  ArrayList(std::vector<Array> list, Loc l = Loc::current()) : arrays(std::move(list)), loc(l) {}
  template <std::size_t n>
  ArrayList(const std::array<Array, n>& list, Loc l = Loc::current()) : arrays(list.begin(), list.end()), loc(l) {}
};
Array concatenate(const ArrayList& xs, int axis = 0);
Array stack(const ArrayList& xs, int axis = 0);
Array vstack(const ArrayList& xs);
Array hstack(const ArrayList& xs);
/// `parts` equal pieces; ShapeError when they do not divide the extent.
std::vector<Array> split(const In& x, int parts, int axis = 0);
/// Pieces that end at the given positions: `split(x, {2, 5})` gives x[0:2], x[2:5], x[5:].
std::vector<Array> split(const In& x, const std::vector<std::int64_t>& at, int axis = 0);
Array flip(const In& x, const Axes& axes = {});
/// Elements shifted around; without an axis in the flat order.
Array roll(const In& x, std::int64_t shift);
Array roll(const In& x, std::int64_t shift, int axis);
/// Several axes, each by its own shift; an axis that comes twice moves by the sum.
Array roll(const In& x, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes);
Array tile(const In& x, const Shape& repeats);
template <Extent N, Extent... More> Array tile(const In& x, N n, More... more) { return tile(x, Shape{n, more...}); }
/// Every element (slice along `axis`) `n` times in a row; without an axis the flat array.
Array repeat(const In& x, Dim n);
Array repeat(const In& x, Dim n, int axis);
/// The lower (upper) triangle of the last two dims; zeros elsewhere.
Array tril(const In& x, Dim k = 0);
Array triu(const In& x, Dim k = 0);
/// The diagonal k of a matrix; for a vector the square matrix with it as diagonal k, zeros elsewhere: `diag({{1, 2},
/// {3, 4}})` is {1, 4}.
Array diag(const In& x, Dim k = 0);
/// The padding: a constant, the last element, the array mirrored (reflect: without its border, symmetric: with
/// it), its other end, a straight line down to a value, or what the elements at that side have as maximum, mean, ...
enum class PadMode { constant, edge, reflect, wrap, symmetric, linear_ramp, maximum, mean, median, minimum, empty };
constexpr Choices choices_of(PadMode) {
  return {"pad", "mode", "constant edge reflect wrap symmetric linear_ramp maximum mean median minimum empty"};
}
using PadWidths = std::vector<std::pair<std::int64_t, std::int64_t>>;
/// (before, after) per dim, or one pair for all: `pad(x, {{1, 2}})`.
Array pad(const In& x, const PadWidths& widths, const Operand& value = 0.f);
Array pad(const In& x, const PadWidths& widths, OneOf<PadMode> mode);
/// Arguments of single modes; lists have (before, after) per dim, or one pair for all.
struct PadOptions {
  OneOf<PadMode> mode = PadMode::constant;
  std::vector<std::pair<double, double>> constant_values = {{0, 0}};
  std::vector<std::pair<double, double>> end_values = {{0, 0}};  // linear_ramp
  PadWidths stat_length = {};  // how many elements maximum, mean, median and minimum look at; all of them when empty
  bool odd = false;            // reflect and symmetric: mirrored at the border's value too, 2 x[0] - x[i]
};
Array pad(const In& x, const PadWidths& widths, const PadOptions& options);

// --- choosing

/// How out-of-range indices are handled: fill (NaN and the like), clip (nearest), wrap (modulo). Negative ones
/// count from the end, except under clip.
enum class TakeMode { fill, clip, wrap };
constexpr Choices choices_of(TakeMode) { return {"take", "mode", "fill clip wrap"}; }
/// Takes from the flat array, or along an axis. `fill_value` (a number) instead of NaN and the like.
Array take(const In& x, const Operand& indices, OneOf<TakeMode> mode = TakeMode::fill, const Array& fill_value = {});
Array take(const In& x, const Operand& indices, int axis, OneOf<TakeMode> mode = TakeMode::fill,
           const Array& fill_value = {});
/// result[i, j] = x[i, indices[i, j]] for axis 1: `indices` has x's number of dims. Without an axis (`none`) both are
/// read as flat arrays, and `indices` has one dim.
Array take_along_axis(const In& x, const Operand& indices, int axis = -1, OneOf<TakeMode> mode = TakeMode::fill,
                      const Array& fill_value = {});
Array take_along_axis(const In& x, const Operand& indices, none_t, OneOf<TakeMode> mode = TakeMode::fill,
                      const Array& fill_value = {});
Array sort(const In& x, int axis = -1, bool descending = false);
Array argsort(const In& x, int axis = -1, bool descending = false);
/// Sorts the flat array.
Array sort(const In& x, none_t, bool descending = false);
Array argsort(const In& x, none_t, bool descending = false);

// --- products

/// NumPy's matmul: vectors, matrices, and stacks of matrices whose leading dims broadcast.
Array matmul(const In& x, const In& y);
/// NumPy's dot: the last dim of x with the last but one of y; scalars multiply.
Array dot(const Operand& x, const Operand& y);
/// The same with results (and sums) of another dtype, as of int8 in int32.
Array matmul_with(const In& x, const In& y, DType preferred_element_type);
Array dot_with(const In& x, const In& y, DType preferred_element_type);
/// The sum of conj(x) * y over all elements.
Array vdot(const In& x, const In& y);
Array inner(const In& x, const In& y);
Array outer(const In& x, const In& y);
/// Contracts the last `n` dims of x with the first `n` of y, or the dims named.
Array tensordot(const In& x, const In& y, int n = 2);
Array tensordot(const In& x, const In& y, const std::vector<int>& x_axes, const std::vector<int>& y_axes);
/// Einstein sums of one or more operands: `einsum("bij,bjk->bik", {x, y})`; `...` stands for leading dims.
Array einsum(const std::string& subscripts, const ArrayList& xs, std::optional<DType> preferred_element_type = {});

namespace lax {

/// Sorted along `dim`, stable, NaN last; several arrays move together, ordered by the first `num_keys`.
Array sort(const In& x, int dim);
std::vector<Array> sort(const std::vector<Array>& xs, int dim, int num_keys = 1);
/// Typed keys from uint32[..., 2], and back.
Array random_wrap(const In& words);
Array random_unwrap(const In& keys);

}  // namespace lax

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
