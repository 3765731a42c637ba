// Placement of arrays: device_put, constraints, and both by context.
#pragma once

#include <functional>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/mesh/sharding.hpp"
#include "tutti/transform/prefix.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

namespace detail {
// `where`: the place of x in the tree that is put, for messages.
Array device_put_leaf(const Array& x, const Sharding& sharding, Loc loc, const tree::Path& where = {});
Array constrain_leaf(const Array& x, const Sharding& sharding, Loc loc, const tree::Path& where = {});
/// True while operations are recorded here, so that `shard` means a constraint.
bool recording(const Array& x);

template <Tree T, class Fn> T place_leaves(const T& tree, Fn&& fn) {
  if constexpr (std::same_as<T, Array>)
    return fn(tree::Path(), tree);
  else
    return tree::map_with_path(fn, tree);
}
// The paths of all places of a tree, as TreeOf takes them.
template <Tree T> std::vector<std::pair<int, tree::Path>> leaf_places(const T& tree) {
  return tree::detail::without_argument(tree::detail::paths_of(tree::detail::ref(tree)));
}
}  // namespace detail

/// The tree with every array at `sharding` (or on that device), committed to it. On one host nothing is copied: the
/// result is another label on the same memory, and an array that is committed to `sharding` already comes back as it
/// is, the same array. Extents that do not divide are accepted: blocks of ceil size. Throws ShardingError when a spec
/// is longer than the rank, DeviceError when a device does not exist.
///
///     Array y = device_put(x, NamedSharding(mesh, P("x", none)));
///
/// Source: jax.device_put.
template <Tree T>
requires(!Number<T>) T device_put(const T& tree, const Sharding& sharding, Loc loc = Loc::current()) {
  return detail::place_leaves(
      tree, [&](const tree::Path& p, const Array& x) { return detail::device_put_leaf(x, sharding, loc, p); });
}
/// The tree as it is: arrays stay where they are, and uncommitted where they are so.
template <Tree T>
requires(!Number<T>) T device_put(const T& tree) { return tree; }
/// A number as an array.
template <Number T> Array device_put(T value) { return Array(value); }
template <Number T> Array device_put(T value, const Sharding& sharding, Loc loc = Loc::current()) {
  return detail::device_put_leaf(Array(value), sharding, loc);
}
/// By leaf: a function (path, array) -> Sharding.
template <Tree T, class Fn>
requires std::is_invocable_r_v<Sharding, const Fn&, const tree::Path&, const Array&> T
device_put(const T& tree, const Fn& fn, Loc loc = Loc::current()) {
  return detail::place_leaves(
      tree, [&](const tree::Path& p, const Array& x) { return detail::device_put_leaf(x, fn(p, x), loc, p); });
}
/// A prefix of the tree: one sharding for each part (member, element, key), or for what is below it; `none` leaves a
/// part where it is.
///
///     auto [w, b] = device_put(std::tuple(w0, b0), {NamedSharding(mesh, P("x")), none});
///     Params p = device_put(params, {{by_rows, replicated}, devices()[0]});     // two layers of (weight, bias) each
///
/// Throws ValueError when a list has fewer entries than its part of the tree.
template <Tree T>
requires(!Number<T>) T
    device_put(const T& tree, std::initializer_list<TreeOf<Sharding>> prefix, Loc loc = Loc::current()) {
  const TreeOf<Sharding> shardings(prefix);
  shardings.check_rules("device_put", detail::leaf_places(tree), loc);
  return detail::place_leaves(tree, [&](const tree::Path& p, const Array& x) {
    auto sharding = shardings.at(-1, p, x);
    return sharding ? detail::device_put_leaf(x, *sharding, loc, p) : x;
  });
}
/// By path pattern, the first match counts; a leaf that no pattern matches stays where it is. Throws ValueError for a
/// pattern that matches no leaf.
template <Tree T>
T device_put(const T& tree, const Mesh& mesh, std::initializer_list<Rule<PartitionSpec>> rules,
             Loc loc = Loc::current()) {
  const TreeOf<PartitionSpec> specs(rules);
  specs.check_rules("device_put", detail::leaf_places(tree), loc);
  return detail::place_leaves(tree, [&](const tree::Path& p, const Array& x) {
    auto spec = specs.at(-1, p, x);
    return spec ? detail::device_put_leaf(x, NamedSharding(mesh, *spec, loc), loc, p) : x;
  });
}

/// Inside jit: the value of every array, laid out as `sharding` says from here on. Outside it is jit(identity) with
/// that constraint. Source: jax.lax.with_sharding_constraint.
template <Tree T> T with_sharding_constraint(const T& tree, const Sharding& sharding, Loc loc = Loc::current()) {
  return detail::place_leaves(
      tree, [&](const tree::Path& p, const Array& x) { return detail::constrain_leaf(x, sharding, loc, p); });
}
/// A prefix of the tree, as for device_put; `none` leaves a part to the propagation.
template <Tree T>
T with_sharding_constraint(const T& tree, std::initializer_list<TreeOf<Sharding>> prefix, Loc loc = Loc::current()) {
  const TreeOf<Sharding> shardings(prefix);
  shardings.check_rules("with_sharding_constraint", detail::leaf_places(tree), loc);
  return detail::place_leaves(tree, [&](const tree::Path& p, const Array& x) {
    auto sharding = shardings.at(-1, p, x);
    return sharding ? detail::constrain_leaf(x, *sharding, loc, p) : x;
  });
}
namespace lax {
using tutti::with_sharding_constraint;
}

/// device_put outside of transformations, a constraint inside. Source: equinox.filter_shard.
template <Tree T> T shard(const T& tree, const Sharding& sharding, Loc loc = Loc::current()) {
  return detail::place_leaves(tree, [&](const tree::Path& p, const Array& x) {
    return detail::recording(x) ? detail::constrain_leaf(x, sharding, loc, p)
                                : detail::device_put_leaf(x, sharding, loc, p);
  });
}

/// New arrays, committed to `sharding`: `zeros({8, 4}, NamedSharding(mesh, P("x")))`. Source: the argument `device` of
/// jax.numpy.zeros.
Array zeros(const Shape& shape, const Sharding& sharding, DType dtype = float64, Loc loc = Loc::current());
Array ones(const Shape& shape, const Sharding& sharding, DType dtype = float64, Loc loc = Loc::current());
Array full(const Shape& shape, const Operand& value, const Sharding& sharding);

/// One array out of blocks that lie on single devices: the block of each device of `sharding`, in any order. The result
/// is committed.
///
///     make_array_from_single_device_arrays({8}, NamedSharding(make_mesh({2}, "x"), P("x")), {on_device_0,
///     on_device_1});   // blocks (4,)
///
/// Throws ShardingError when there is not one block per device, a block's shape is not its device's part of `shape`, or
/// dtypes differ; DeviceError when two blocks lie on one device, or on other devices than those of `sharding` (both
/// lists are named). Source: jax.make_array_from_single_device_arrays.
Array make_array_from_single_device_arrays(const Shape& shape, const Sharding& sharding,
                                           const std::vector<Array>& blocks, Loc loc = Loc::current());
/// One array out of blocks that `block` makes: it is called once per part of the array, with where the part lies.
/// Throws ShardingError as above. Source: jax.make_array_from_callback.
Array make_array_from_callback(const Shape& shape, const Sharding& sharding,
                               const std::function<Array(const ShardIndex&)>& block, Loc loc = Loc::current());

/// Waits for every array of the tree and returns the tree. Throws what Array::block_until_ready does.
template <Tree T> T block_until_ready(const T& tree) {
  for (const Array& x : tree::leaves(tree)) x.block_until_ready();
  return tree;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
