// Orders and positions in them. Source of names and meanings: jax.numpy, jax.lax.
#pragma once

#include <optional>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {

enum class Side { left, right };
constexpr Choices choices_of(Side) { return {"searchsorted", "side", "left right"}; }
struct SearchOptions {
  bool right = false;             // behind equal elements instead of before them
  Array sorter = {};              // positions that sort `sorted`, as argsort gives them
  OneOf<Side> side = Side::left;  // Side::right means the same as `right`
};
/// Insertion position of each element of x[...] in the ascending vector `sorted`: an int32 array of x's shape, from 0
/// to n. searchsorted({1, 2, 2, 5}, 2) is 1, with right 3. NaN is last.
Array searchsorted(const In& sorted, const Operand& x, const SearchOptions& options = {});
inline Array searchsorted(const In& sorted, const Operand& x, OneOf<Side> side) {
  return searchsorted(sorted, x, SearchOptions{.side = side});
}
/// The number of the bin between ascending or descending `bins` in which each element lies: i where bins[i-1] <= x <
/// bins[i], with `right` where bins[i-1] < x <= bins[i].
Array digitize(const Operand& x, const In& bins, bool right = false);
/// Positions that sort by the last of `keys`, then the one before it, ...
Array lexsort(const ArrayList& keys, int axis = -1);
/// The elements with the kth smallest in its place, no larger ones before it and no smaller ones behind it (sorted, in
/// fact); and the positions of them.
Array partition(const In& x, int kth, int axis = -1);
Array argpartition(const In& x, int kth, int axis = -1);
/// Sorted by real part, then imaginary part: complex64, along the last axis.
Array sort_complex(const In& x);

namespace lax {

struct TopK {
  Array values, indices;
};
/// The k largest elements along an axis, in descending order, the first of equal ones first, NaN before all; and their
/// positions (int32). Throws ValueError when there are fewer. Source: jax.lax.top_k.
TopK top_k(const In& x, std::int64_t k, int axis = -1);
/// Both sorted by the keys. Source: jax.lax.sort_key_val.
std::pair<Array, Array> sort_key_val(const In& keys, const In& values, int dim = -1);

}  // namespace lax

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
