// Pictures of shardings.
#pragma once

#include <optional>
#include <string>

#include "tutti/dtype.hpp"
#include "tutti/sharding.hpp"

namespace tutti::debug {

struct VisualizeOptions {
  /// Colours instead of borders, where the output is a terminal.
  bool use_color = true;
  double scale = 1.0;
  int min_width = 9;
  int max_width = 80;
  /// Also say which mesh axes cut which dimension, the shape of a block, and (where the dtype is known) bytes.
  bool show_axes = false;
  /// Of the elements; visualize_array_sharding takes its array's.
  std::optional<DType> dtype{};
};

/// Prints which devices hold which part of an array.
///
///     visualize_sharding({8, 8}, NamedSharding(make_mesh({2, 2}, {"x", "y"}), P("x", "y")));
///
/// Shapes of rank 1 and 2 give JAX's picture; rank 0 one cell; rank 3 and more one picture per block of the leading
/// dimensions. Source: jax.debug.visualize_sharding.
void visualize_sharding(const Shape& shape, const Sharding& sharding, const VisualizeOptions& options = {});
/// The same as text. `terminal`: escape codes, as on a terminal.
std::string sharding_text(const Shape& shape, const Sharding& sharding, const VisualizeOptions& options = {},
                          bool terminal = false);
/// The same as an SVG image, with mesh axes, block shapes and a legend of devices.
std::string sharding_svg(const Shape& shape, const Sharding& sharding);

}  // namespace tutti::debug
