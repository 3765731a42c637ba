// The blocks of an array of rank 0 to 2 (or of one slab of a bigger one), in a grid, with the devices that hold each.
#pragma once

#include <string>
#include <vector>

#include "mesh/layout.hpp"
#include "tutti/sharding.hpp"

namespace tutti::debug {

struct Tile {
  Box box;                     // in the whole array
  std::vector<int> devices;    // ids, ascending
  double width = 1, height = 1;  // fractions of the slab
};

/// The last two dims of an array, cut into rows * columns tiles (a vector: one row).
struct TileGrid {
  std::string platform;        // "CPU"
  std::vector<IndexRange> leading;  // which blocks of the dims before these
  int rows = 0, columns = 0;
  std::vector<Tile> tiles;     // row-major
  const Tile& at(int row, int column) const { return tiles[static_cast<std::size_t>(row * columns + column)]; }
};

/// One grid per block of the leading dims; one grid in all for ranks up to 2.
std::vector<TileGrid> tile_grids(const Shape& shape, const Sharding& sharding);

/// `CPU 0,4`; of a block that holds nothing `CPU 7 empty`.
std::string label(const TileGrid& grid, const Tile& tile);

/// Lines that say how each dim is cut and over which mesh axes copies lie.
std::vector<std::string> axis_lines(const Shape& shape, const Sharding& sharding);

}  // namespace tutti::debug
