// Where arrays lie: device_put, constraints, and both by context.
#pragma once

#include "tutti/array.hpp"
#include "tutti/prefix.hpp"
#include "tutti/sharding.hpp"
#include "tutti/tree.hpp"

namespace tutti {

namespace detail {
Array device_put_leaf(const Array& x, const Sharding& sharding, Loc loc);
Array constrain_leaf(const Array& x, const Sharding& sharding, Loc loc);
/// Whether operations are being recorded here, so that `shard` means a constraint.
bool recording(const Array& x);

template <Tree T, class Fn>
T place_leaves(const T& tree, Fn&& fn) {
  if constexpr (std::same_as<T, Array>) return fn(tree::Path(), tree);
  else return tree::map_with_path(fn, tree);
}
}  // namespace detail

/// The tree with every array at `sharding` (or on that device), committed to it. On one host nothing is copied: the result is another label on the
/// same memory. Extents that do not divide are accepted: blocks of ceil size. Throws ShardingError when a spec is longer than the rank.
///
///     Array y = device_put(x, NamedSharding(mesh, P("x", none)));
///
/// Source: jax.device_put.
template <Tree T>
T device_put(const T& tree, const Sharding& sharding, Loc loc = Loc::current()) {
  return detail::place_leaves(tree, [&](const tree::Path&, const Array& x) { return detail::device_put_leaf(x, sharding, loc); });
}
/// By leaf: a function (path, array) -> Sharding.
template <Tree T, class Fn>
  requires std::is_invocable_r_v<Sharding, const Fn&, const tree::Path&, const Array&>
T device_put(const T& tree, const Fn& fn, Loc loc = Loc::current()) {
  return detail::place_leaves(tree, [&](const tree::Path& p, const Array& x) { return detail::device_put_leaf(x, fn(p, x), loc); });
}
/// By path pattern, the first match counts; a leaf that no pattern matches stays where it is.
template <Tree T>
T device_put(const T& tree, const Mesh& mesh, std::initializer_list<Rule<PartitionSpec>> rules, Loc loc = Loc::current()) {
  const TreeOf<PartitionSpec> specs(rules);
  return detail::place_leaves(tree, [&](const tree::Path& p, const Array& x) {
    auto spec = specs.at(-1, p, x);
    return spec ? detail::device_put_leaf(x, NamedSharding(mesh, *spec), loc) : x;
  });
}

/// Inside jit: the value of every array, laid out as `sharding` says from here on. Outside it is jit(identity) with that constraint.
/// Source: jax.lax.with_sharding_constraint.
template <Tree T>
T with_sharding_constraint(const T& tree, const Sharding& sharding, Loc loc = Loc::current()) {
  return detail::place_leaves(tree, [&](const tree::Path&, const Array& x) { return detail::constrain_leaf(x, sharding, loc); });
}
namespace lax {
using tutti::with_sharding_constraint;
}

/// device_put outside of transformations, a constraint inside. Source: equinox.filter_shard.
template <Tree T>
T shard(const T& tree, const Sharding& sharding, Loc loc = Loc::current()) {
  return detail::place_leaves(tree, [&](const tree::Path&, const Array& x) {
    return detail::recording(x) ? detail::constrain_leaf(x, sharding, loc) : detail::device_put_leaf(x, sharding, loc);
  });
}

/// Waits for every array of the tree and returns the tree.
template <Tree T>
T block_until_ready(const T& tree) {
  for (const Array& x : tree::leaves(tree)) x.block_until_ready();
  return tree;
}

}  // namespace tutti
