// The blocks of an array of rank 0 to 2 (or of one slab of a bigger one), in a grid, with the devices that hold each.
#pragma once

#include <string>
#include <vector>

#include "tutti/mesh/sharding.hpp"

namespace tutti::debug {

struct Tile {
  std::vector<int> devices;      // ids, ascending
  double width = 1, height = 1;  // fractions of the slab
  bool empty = false;            // holds no element
};

/// The last two dims of an array, cut into rows * columns tiles (a vector: one row). Blocks without elements that lie
/// at the same place are one tile.
struct TileGrid {
  std::string platform;      // "CPU"
  ShardIndex leading;        // which part of the dims before these
  ShardIndex rows, columns;  // the ranges of each row and column
  std::vector<Tile> tiles;   // row-major
  int row_count() const { return static_cast<int>(rows.size()); }
  int column_count() const { return static_cast<int>(columns.size()); }
  const Tile& at(int row, int column) const { return tiles[static_cast<std::size_t>(row * column_count() + column)]; }
};

/// One grid per block of the leading dims; one grid in all for ranks up to 2.
std::vector<TileGrid> tile_grids(const Shape& shape, const Sharding& sharding);

/// `CPU 0,4`; of a block that holds nothing `CPU 7 empty`.
std::string label(const TileGrid& grid, const Tile& tile);
/// `[0:4, :, :]`: the slab of a grid.
std::string slab_text(const TileGrid& grid);

/// The text without what a terminal or XML would take for more than text: control characters and broken UTF-8 are
/// written `\x1b`.
std::string printable(const std::string& text);

/// Lines that say how each dim is cut and over which mesh axes copies lie.
std::vector<std::string> axis_lines(const Shape& shape, const Sharding& sharding);

std::string joined(const std::vector<std::string>& items, const std::string& separator);

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
