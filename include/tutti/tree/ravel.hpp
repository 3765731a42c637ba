// A tree as one vector: what optimisers and solvers of vectors take.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace detail {

Array ravel_arrays(const std::vector<Array>& arrays);
/// Pieces of a vector with the shapes and dtypes of arrays.
class Pieces {
 public:
  explicit Pieces(const std::vector<Array>& like);
  std::vector<Array> of(const Array& flat, Loc loc) const;

 private:
  std::shared_ptr<const std::vector<Type>> types_;
};

}  // namespace detail

/// From a vector back to the tree.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class Unravel {
 public:
  explicit Unravel(const T& tree) : structure_(tree::structure(tree)), pieces_(tree::leaves(tree)) {}
  using tutti_params = ParamList<Array>;
  /// The tree whose arrays are the pieces of `flat`, in their shapes. Where the tree had one dtype they take that of
  /// `flat`, otherwise each its own. ShapeError unless `flat` is a vector of as many elements, TypeError where there
  /// were several dtypes and `flat` has not the one that ravel_pytree gave.
  T operator()(const Array& flat, Loc loc = Loc::current()) const {
    return tree::unflatten(structure_, std::span<const Array>(pieces_.of(flat, loc)), loc);
  }

 private:
  tree::StructureOf<T> structure_;
  detail::Pieces pieces_;
};

/// All arrays of a tree one after the other as a vector, of the dtype that they promote to (float32[0] of none), and a
/// function that takes such a vector to the tree.
///
///     auto [flat, unravel] = ravel_pytree(params);
///     auto loss_of = [&, unravel = unravel](const Array& v) { return loss(unravel(v)); };
///
/// Source: jax.flatten_util.ravel_pytree.
template <class T> std::pair<Array, Unravel<T>> ravel_pytree(const T& tree, Loc loc = Loc::current()) {
  CallScope scope(loc, {"", "ravel_pytree", 0});
  return {detail::ravel_arrays(tree::leaves(tree)), Unravel<T>(tree)};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
