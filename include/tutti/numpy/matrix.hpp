// Diagonals and products of vectors and matrices. Source of names and meanings: jax.numpy.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti {

/// The diagonal of dims `axis1` and `axis2`, which leave; it becomes the last dim: of {{1, 2}, {3, 4}} with offset 1 it
/// is {2}. Positive offsets lie above.
Array diagonal(const In& x, Dim offset = 0, int axis1 = 0, int axis2 = 1);
/// Its sum; small integers add up as int32.
Array trace(const In& x, Dim offset = 0, int axis1 = 0, int axis2 = 1, std::optional<DType> dtype = {});
/// The last two dims changed places.
Array matrix_transpose(const In& x);
/// Each element of x times all of y, side by side: kron({1, 2}, {1, 10}) is {1, 10, 2, 20}.
Array kron(const In& x, const In& y);
struct CrossAxes {
  int x = -1, y = -1, result = -1;
};
/// Vectors of extent 3 along an axis, at right angles to both; of extent 2, the third element of that. Other extents
/// are a ValueError.
Array cross(const In& x, const In& y, const CrossAxes& axes);
Array cross(const In& x, const In& y, int axis = -1);
/// The sum of conj(x) * y along an axis.
Array vecdot(const In& x, const In& y, int axis = -1);
/// Powers of the elements of a vector as rows: x^(n-1), ..., 1, or 1, x, ... for `increasing`; n is x's extent when it
/// is left out.
Array vander(const In& x, std::optional<Dim> n = {}, bool increasing = false);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
