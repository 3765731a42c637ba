// Colours of tiles: a map of 20, walked so that neighbours differ.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace tutti::debug {

struct Rgb {
  int r = 0, g = 0, b = 0;
  /// Black or white, whichever is easier to read on it.
  bool dark_text() const { return 0.299 * r + 0.587 * g + 0.114 * b > 186; }
  /// `#393b79`.
  std::string hex() const;
};

/// One colour per tile, in row-major order.
std::vector<Rgb> tile_colors(int tiles);

}  // namespace tutti::debug
