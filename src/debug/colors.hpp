// Colours of tiles: a map of 20, walked so that neighbours differ, or as many as there are tiles.
#pragma once

#include <string>
#include <vector>

#include "tutti/debug/visualize.hpp"

namespace tutti::debug {

/// Whether black is easier to read on it than white.
bool dark_text(const Rgb& color);
/// `#393b79`.
std::string hex(const Rgb& color);

/// One colour per tile, in row-major order; without a map of the user's all are different.
std::vector<Rgb> tile_colors(int tiles, const ColorMap& map = {});

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
