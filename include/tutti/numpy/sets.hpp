// Sets: sorted arrays without repetition. Source of names and meanings: jax.numpy.
//
// The extent of a result depends on values: arrays are concrete, or `size` says it. Then there are that many elements,
// the first ones, filled up with `fill_value`. Else a TracerError is thrown inside of transformations.
#pragma once

#include <optional>
#include <utility>

#include "tutti/array/array.hpp"
#include "tutti/numpy/selection.hpp"

namespace tutti {

struct UniqueOptions {
  std::optional<int> axis = {};  // unique slices along it; without one the elements of the flat array
  bool equal_nan = true;         // all NaNs count as one
  std::optional<Dim> size = {};
  Array fill_value = {};  // without one the least element
};
/// The elements, sorted, each once. A complex number with a NaN in either part counts as NaN + 0j.
Array unique(const In& x, const UniqueOptions& options = {});
struct Unique {
  Array values;
  Array indices;  // where each stands first
  Array inverse;  // values[inverse] is x: of x's shape, or along the axis
  Array counts;
};
Unique unique_all(const In& x, const UniqueOptions& options = {});
/// Parts of it, and the values alone.
std::pair<Array, Array> unique_counts(const In& x, const UniqueOptions& options = {});
std::pair<Array, Array> unique_inverse(const In& x, const UniqueOptions& options = {});
Array unique_values(const In& x, const UniqueOptions& options = {});

/// Elements in x or y, in both, in x alone, in exactly one of them: sorted, each once.
Array union1d(const In& x, const In& y, const SizeOptions& options = {});
Array intersect1d(const In& x, const In& y, const SizeOptions& options = {});
struct Intersection {
  Array values, x_indices, y_indices;  // where they stand first
};
Intersection intersect1d_indices(const In& x, const In& y);
Array setdiff1d(const In& x, const In& y, const SizeOptions& options = {});
Array setxor1d(const In& x, const In& y, const SizeOptions& options = {});
/// For each element of x: whether it is in `among`, or with `invert` is not.
Array isin(const In& x, const In& among, bool invert = false);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
