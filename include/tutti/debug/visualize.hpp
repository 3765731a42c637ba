// Pictures of shardings.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/base/dtype.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti::debug {

/// A colour, each part from 0 to 255.
struct Rgb {
  int r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// Colours of the tiles of a picture: a list, whose colours the tiles take in row-major order and again from
/// the start, or a function from [0, 1] to a colour, which is called with as many evenly spaced numbers as there are
/// tiles, in an order that keeps neighbours apart.
///
///     debug::visualize_array_sharding(x, {.color_map = {{200, 0, 0}, {0, 0, 200}}});
///     debug::visualize_array_sharding(x, {.color_map = [](double v) { return debug::Rgb{static_cast<int>(255 * v), 80,
///     80}; }});
///
/// The empty map is a choice of ours: all tiles have different colours, those of JAX (matplotlib's tab20b) up to 20
/// tiles.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class ColorMap {
 public:
  ColorMap() = default;
  ColorMap(std::vector<Rgb> colors) : listed_(std::move(colors)) {}
  ColorMap(std::initializer_list<Rgb> colors) : listed_(colors) {}
  template <class F>
  requires(!std::same_as<F, ColorMap> && std::is_invocable_r_v<Rgb, const F&, double>) ColorMap(F function)
      : function_(std::move(function)) {}

  bool empty() const { return listed_.empty() && !function_; }
  /// The colours of so many tiles, in row-major order; of a map that is not empty.
  std::vector<Rgb> colors(int tiles) const;

 private:
  std::vector<Rgb> listed_;
  std::function<Rgb(double)> function_;
};

struct VisualizeOptions {
  /// Colours instead of borders, where the output is a terminal that has them: not with TERM=dumb, and not where
  /// NO_COLOR is set.
  bool use_color = true;
  /// Size of the picture: its height is 10 lines for 1.
  double scale = 1.0;
  /// The least and the greatest width of a tile, and the greatest of the picture, in columns. Where the tiles are too
  /// wide together they give up their blanks, then go below each other in bands. A label is never broken: one that is
  /// longer than max_width makes the picture wider.
  int min_width = 9;
  int max_width = 80;
  ColorMap color_map{};
  /// Instead keep to max_width as JAX does: break labels into lines, cut them with an ellipsis, and leave them out
  /// where nothing fits.
  bool wrap_labels = false;
  /// Also say which mesh axes cut which dimension, the shape of a block, and (where the dtype is known) bytes.
  bool show_axes = false;
  /// Of the elements; visualize_array_sharding takes its array's.
  std::optional<DType> dtype{};
};

/// Prints which devices hold which part of an array.
///
///     visualize_sharding({8, 8}, NamedSharding(make_mesh({2, 2}, {"x", "y"}), P("x", "y")));
///
/// Shapes of rank 1 and 2 give JAX's picture wherever it has all labels whole; rank 0 one cell; rank 3 and more one
/// picture per block of the leading dimensions. ValueError for a scale that is not positive, a negative min_width or
/// max_width below 3; ShardingError where the sharding does not fit the shape. Source: jax.debug.visualize_sharding.
void visualize_sharding(const Shape& shape, const Sharding& sharding, const VisualizeOptions& options = {},
                        Loc loc = Loc::current());
/// The same as text. `terminal`: escape codes, as on a terminal.
std::string sharding_text(const Shape& shape, const Sharding& sharding, const VisualizeOptions& options = {},
                          bool terminal = false, Loc loc = Loc::current());
/// The same as an SVG image, with mesh axes and block shapes, in the colours of `color_map`.
std::string sharding_svg(const Shape& shape, const Sharding& sharding, const ColorMap& color_map = {},
                         Loc loc = Loc::current());

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
