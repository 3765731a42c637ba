// Collectives: sums, gathers and exchanges among the devices along named axes, inside shard_map, pmap and
// vmap(axis_name).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace lax {

/// Groups that work each for itself: the positions along the axes of the devices in each, every one of them in one
/// group. Groups have one size, except in psum, pmax and pmin.
///
///     lax::psum(x, "x", {.axis_index_groups = {{0, 1}, {2, 3}}})      // on 4 devices: two sums
using AxisGroups = std::vector<std::vector<int>>;
struct ReduceOptions {
  AxisGroups axis_index_groups{};
};

}  // namespace lax
namespace detail {
enum class Combine { sum, mean, max, min };
Array combine_leaf(const Array& x, const Names& axes, Combine how, const lax::AxisGroups& groups, Loc loc);
Array pvary_leaf(const Array& x, const Names& axes, Loc loc);

template <Tree T, class Fn> T leaves_mapped(const T& tree, Fn&& fn) {
  if constexpr (std::same_as<T, Array>)
    return fn(tree);
  else
    return tree::map(fn, tree);
}
}  // namespace detail

namespace lax {

// Each takes one axis name or several, `{"x", "y"}`: the group of devices is then row-major over them. Outside of a
// body that binds the names a collective is a NameError. Sources: jax.lax.psum and so on.

/// How many devices lie along the axes.
std::int64_t axis_size(const Names& axes, Loc loc = Loc::current());
/// Position of this device in its group, int32.
Array axis_index(const Names& axes, Loc loc = Loc::current());

/// The sum over the devices, on each of them; leaf by leaf. A bool counts as int32.
template <Tree T>
requires(!Number<T>) T psum(const T& tree, const Names& axes, Loc loc = Loc::current()) {
  return detail::leaves_mapped(
      tree, [&](const Array& x) { return detail::combine_leaf(x, axes, detail::Combine::sum, {}, loc); });
}
/// For a number: times the number of devices.
template <Number T> T psum(T value, const Names& axes, Loc loc = Loc::current()) {
  return static_cast<T>(value * static_cast<T>(axis_size(axes, loc)));
}
/// psum over the number of devices; integers give float32.
template <Tree T>
requires(!Number<T>) T pmean(const T& tree, const Names& axes, Loc loc = Loc::current()) {
  return detail::leaves_mapped(
      tree, [&](const Array& x) { return detail::combine_leaf(x, axes, detail::Combine::mean, {}, loc); });
}
/// The greatest over the devices, on each of them. Not differentiable, as in JAX.
template <Tree T>
requires(!Number<T>) T pmax(const T& tree, const Names& axes, Loc loc = Loc::current()) {
  return detail::leaves_mapped(
      tree, [&](const Array& x) { return detail::combine_leaf(x, axes, detail::Combine::max, {}, loc); });
}
template <Tree T>
requires(!Number<T>) T pmin(const T& tree, const Names& axes, Loc loc = Loc::current()) {
  return detail::leaves_mapped(
      tree, [&](const Array& x) { return detail::combine_leaf(x, axes, detail::Combine::min, {}, loc); });
}
/// The same within groups of devices. ValueError when a device is in no group or in two.
template <Tree T>
requires(!Number<T>) T psum(const T& tree, const Names& axes, const ReduceOptions& options, Loc loc = Loc::current()) {
  return detail::leaves_mapped(tree, [&](const Array& x) {
    return detail::combine_leaf(x, axes, detail::Combine::sum, options.axis_index_groups, loc);
  });
}
template <Tree T>
requires(!Number<T>) T pmean(const T& tree, const Names& axes, const ReduceOptions& options, Loc loc = Loc::current()) {
  return detail::leaves_mapped(tree, [&](const Array& x) {
    return detail::combine_leaf(x, axes, detail::Combine::mean, options.axis_index_groups, loc);
  });
}
template <Tree T>
requires(!Number<T>) T pmax(const T& tree, const Names& axes, const ReduceOptions& options, Loc loc = Loc::current()) {
  return detail::leaves_mapped(tree, [&](const Array& x) {
    return detail::combine_leaf(x, axes, detail::Combine::max, options.axis_index_groups, loc);
  });
}
template <Tree T>
requires(!Number<T>) T pmin(const T& tree, const Names& axes, const ReduceOptions& options, Loc loc = Loc::current()) {
  return detail::leaves_mapped(tree, [&](const Array& x) {
    return detail::combine_leaf(x, axes, detail::Combine::min, options.axis_index_groups, loc);
  });
}
/// The same values, from here on typed as different from device to device; a gradient with respect to `tree` is then a
/// sum over the devices. ValueError when they are typed so already.
template <Tree T> T pvary(const T& tree, const Names& axes, Loc loc = Loc::current()) {
  return detail::leaves_mapped(tree, [&](const Array& x) { return detail::pvary_leaf(x, axes, loc); });
}

struct GatherOptions {
  int axis = 0;
  bool tiled = false;
  AxisGroups axis_index_groups{};
};
/// The values of all devices of the group, on each of them: along a new dim at `axis`, or (tiled) joined along the dim
/// `axis`.
///
///     lax::all_gather(x, "x")                      // (4, 8) on each of 2 devices: (2, 4, 8)
///     lax::all_gather(x, "x", {.tiled = true})     // (8, 8)
Array all_gather(const In& x, const Names& axes, GatherOptions options = {});

struct ScatterOptions {
  int scatter_dimension = 0;
  bool tiled = false;
  AxisGroups axis_index_groups{};
};
/// The sum over the devices, of which device i keeps block i of dim `scatter_dimension`: one element, the dim goes (its
/// size must be the number of devices); or (tiled) an equal share of it. Throws ShapeError when the size does not fit.
Array psum_scatter(const In& x, const Names& axes, ScatterOptions options = {});

/// Device `second` gets what device `first` has, for each pair; zeros where nothing arrives. ValueError when a device
/// sends or receives twice, IndexError when there is none of that number.
///
///     lax::ppermute(x, "x", {{0, 1}, {1, 2}, {2, 0}})
Array ppermute(const In& x, const Names& axes, const std::vector<std::pair<int, int>>& pairs);
/// Device i gets what device `from[i]` has; `from` must be a permutation.
Array pshuffle(const In& x, const Names& axes, const std::vector<int>& from);
/// Every device gets what device `source` has.
Array pbroadcast(const In& x, const Names& axes, int source);

struct AllToAllOptions {
  bool tiled = false;
  AxisGroups axis_index_groups{};
};
/// Device i gets block i of dim `split_axis` of every device. Blocks have one element (the dim goes) and arrive along a
/// new dim at `concat_axis`; tiled: they are equal shares, joined along the dim `concat_axis`. Throws ShapeError when
/// the size does not fit.
Array all_to_all(const In& x, const Names& axes, int split_axis, int concat_axis, AllToAllOptions options = {});

}  // namespace lax
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
