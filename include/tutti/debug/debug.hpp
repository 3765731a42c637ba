// Looking inside: how arrays are laid out, also inside jit, and what was sent between devices. The pictures themselves
// are in visualize.hpp.
#pragma once

#include <functional>

#include "tutti/array/array.hpp"
#include "tutti/debug/callback.hpp"
#include "tutti/debug/traffic.hpp"
#include "tutti/debug/visualize.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::debug {

namespace detail {
void inspect_leaf(const Array& x, std::function<void(const Sharding&, const Shape&)> callback, Loc loc);
}  // namespace detail

/// Calls `callback` with the sharding of every array of the tree: at once, or inside jit when the call is compiled, so
/// not again on calls that were compiled before. Transformations pass through: grad and vmap inspect the values that
/// the function computes, vmap with the mapped axis in front. Nothing is computed or moved for it.
///
///     jit([](const Array& x) { Array y = sin(x); debug::inspect_array_sharding(y, [](const Sharding& s) { std::cout <<
///     s << '\n'; }); return y; })(x);
///
/// In the body of a loop `callback` is called once, not once a step. Throws UnsupportedError in the body of a
/// shard_map, whose values have no sharding of their own. Source: jax.debug.inspect_array_sharding.
template <Tree T>
void inspect_array_sharding(const T& tree, const std::function<void(const Sharding&)>& callback,
                            Loc loc = Loc::current()) {
  for (const Array& x : tree::leaves(tree))
    detail::inspect_leaf(
        x, [callback](const Sharding& s, const Shape&) { callback(s); }, loc);
}

/// Prints which devices hold which part of `x`: at once, or inside jit when the call is compiled, as
/// inspect_array_sharding.
///
///     debug::visualize_array_sharding(x);
///     debug::visualize_array_sharding(x, {.use_color = false, .show_axes = true});
///
/// JAX's options are use_color, scale, min_width, max_width and color_map. See visualize_sharding for shapes and
/// options. Source: jax.debug.visualize_array_sharding.
void visualize_array_sharding(const Array& x, const VisualizeOptions& options = {}, Loc loc = Loc::current());
/// The picture of a concrete array as an SVG image. TracerError inside jit.
std::string sharding_svg(const Array& x, const ColorMap& color_map = {}, Loc loc = Loc::current());

/// Messages and bytes really sent since the last `reset_traffic`, per kind of collective and mesh axes. Nothing is sent
/// between devices of one process, unless they are isolated (`config::isolation(Isolation::per_device)`).
Traffic traffic();
void reset_traffic();

/// Counts of programs run, compiled and kept in caches: see config::cache_bounds.
struct CacheStats {
  std::size_t programs_run = 0;                         // by this thread: calls of jitted functions, eager operations
  std::size_t plans = 0;                                // kept by the process
  std::size_t operations = 0;                           // kept by this thread
  std::size_t kernels_compiled = 0, kernels_freed = 0;  // machine code: that of a plan ends with its last user
};
CacheStats cache_stats();

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
