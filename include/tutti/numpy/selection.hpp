// Elements that a condition or positions choose. Source of names and meanings: jax.numpy.
//
// Results whose extent depends on values need either concrete arrays or `size`: then there are that many, the first
// ones, filled up with `fill_value`. Without it such a function throws a TracerError inside of transformations.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {

struct SizeOptions {
  std::optional<Dim> size = {};
  Array fill_value = {};  // without one 0
};
/// The positions of what is not 0 (or true), row-major: one vector of integers per dim of x. ValueError for a scalar.
std::vector<Array> nonzero(const In& x, const SizeOptions& options = {});
/// The same as rows of a matrix[n, ndim].
Array argwhere(const In& x, const SizeOptions& options = {});
/// The same of the flat array.
Array flatnonzero(const In& x, const SizeOptions& options = {});
/// The positions where mask_func(ones[n, n], k) is not 0, such as triu, or tril: rows and columns.
std::vector<Array> mask_indices(Dim n, const std::function<Array(const Array&, Dim)>& mask_func, Dim k = 0,
                                const SizeOptions& options = {}, Loc loc = Loc::current());
/// nonzero(condition).
std::vector<Array> where(const In& condition, const SizeOptions& options = {});
/// Elements where `condition` holds, of the flat array.
Array extract(const In& condition, const In& x, const SizeOptions& options = {});
/// The slices along an axis, or the elements of the flat array, for which the vector `condition` holds.
Array compress(const In& condition, const In& x, std::optional<int> axis = {}, const SizeOptions& options = {});

/// Per element the choice whose condition is the first to hold, else `otherwise`; all broadcast, dtypes are promoted.
Array select(const ArrayList& conditions, const ArrayList& choices, const Operand& otherwise = 0);
/// The value of piecewise in a part: a number, or a function of x.
using Piecewise = std::variant<Array, std::function<Array(const Array&)>>;
/// Per element what the last condition that holds says, in x's dtype; where none does the piece behind those of the
/// conditions, or 0. Throws ValueError for another number of pieces.
///
///     piecewise(x, {x < 0, x >= 1}, {-1, [](const Array& x) { return x * x; }});
Array piecewise(const In& x, const ArrayList& conditions, const std::vector<Piecewise>& pieces);
enum class ChooseMode { raise, wrap, clip };
constexpr Choices choices_of(ChooseMode) { return {"choose", "mode", "raise wrap clip"}; }
/// choices[which[i]][i] for every element; all broadcast. ChooseMode::raise throws ValueError for another number than
/// there are choices, and needs a concrete `which`.
Array choose(const In& which, const ArrayList& choices, OneOf<ChooseMode> mode = ChooseMode::raise);

/// x with values[i, j] at x[i, indices[i, j]] for axis 1, as take_along_axis reads; other dims broadcast. Without an
/// axis of the flat array. The last of several values for a place stays.
Array put_along_axis(const In& x, const In& indices, const Operand& values, std::optional<int> axis);
/// x with values[k] at flat position indices[k]; values are repeated as needed. Positions out of range are clipped, or
/// wrapped.
Array put(const In& x, const In& indices, const Operand& values, OneOf<TakeMode> mode = TakeMode::clip);
/// x with the values, one after the other and repeated as needed, where mask holds.
Array place(const In& x, const In& mask, const In& values);
/// x with `value` on its main diagonal, along all dims; of a tall matrix `wrap` goes on below.
Array fill_diagonal(const In& x, const Operand& value, bool wrap = false);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
