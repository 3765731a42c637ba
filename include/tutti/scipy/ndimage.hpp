// Arrays between their elements: at coordinates, and on grids. Not part of tutti.hpp: include this file. Sources:
// jax.scipy.ndimage.map_coordinates, jax.scipy.interpolate.RegularGridInterpolator.
#pragma once

#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/choice.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/tree/types.hpp"

namespace tutti {
namespace ndimage {

/// What lies outside: `cval`; the nearest element; the array mirrored at its last elements (mirror) or behind them
/// (reflect); or repeated (wrap). As jax.scipy.ndimage: SciPy's grid-constant and grid-wrap.
enum class Mode { constant, nearest, mirror, reflect, wrap };
constexpr Choices choices_of(Mode) { return {"map_coordinates", "mode", "constant nearest mirror reflect wrap"}; }
struct MapOptions {
  OneOf<Mode> mode = Mode::constant;
  double cval = 0;
};
/// x at coordinates: an array for each of its dims, which broadcast to the result's shape. order 0: the nearest
/// element, 1: linear between the neighbours; ValueError for another one, or another number of coordinates. The dtype
/// is x's: integers are rounded.
Array map_coordinates(const In& x, const ArrayList& coordinates, int order, const MapOptions& options = {});

}  // namespace ndimage

namespace interpolate {

enum class GridMethod { linear, nearest };
constexpr Choices choices_of(GridMethod) { return {"RegularGridInterpolator", "method", "linear nearest"}; }
struct GridOptions {
  OneOf<GridMethod> method = GridMethod::linear;
  std::optional<double> fill_value = std::numeric_limits<double>::quiet_NaN();  // outside; nothing: extrapolated
};
/// Values on the points of a grid, between them linear or the nearest ones. A tree: it may be an argument of jitted and
/// differentiated functions.
///
///     const interpolate::RegularGridInterpolator f({x, y}, values);      // x[n], y[m], values[n, m, ...]
///     Array at = f(array({{1.5, 4.5}, {2.2, 5.8}}));                     // [2, ...]
///
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class RegularGridInterpolator {
 public:
  RegularGridInterpolator() = default;
  /// Points: strictly ascending vectors of two or more for the first dims of the values (ShapeError). Integers become
  /// float32.
  RegularGridInterpolator(const ArrayList& points, const In& values, const GridOptions& options = {});
  /// [..., more dims of the values] at xi[..., dims]; of one dim also at xi[...], if it is a vector. ShapeError else.
  Array operator()(const In& xi) const;
  Array operator()(const In& xi, OneOf<GridMethod> by) const;

  std::vector<Array> grid;
  Array values;
  GridMethod method = GridMethod::linear;
  std::optional<double> fill_value;
};

}  // namespace interpolate

template <> struct tree_traits<interpolate::RegularGridInterpolator> {
  static constexpr auto members =
      std::tuple{&interpolate::RegularGridInterpolator::grid, &interpolate::RegularGridInterpolator::values,
                 &interpolate::RegularGridInterpolator::method, &interpolate::RegularGridInterpolator::fill_value};
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
