// Pictures of shardings as text.
#include "tutti/visualize.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "debug/colors.hpp"
#include "debug/table.hpp"
#include "debug/tiles.hpp"
#include "tutti/error.hpp"

namespace tutti::debug {
namespace {

int floor_half(int n) { return n >= 0 ? n / 2 : -((1 - n) / 2); }

// A terminal cell is about 2.5 times as high as wide.
constexpr double cell_aspect = 2.5;

struct Picture {
  const Shape& shape;
  const VisualizeOptions& options;
  bool color, terminal;

  // Size of the whole array in text cells, before the aspect of a cell.
  int base_height() const { return static_cast<int>(10 * options.scale); }
  int base_width() const {
    double rows = 1, columns = 1;
    if (shape.ndim() >= 2) {
      rows = static_cast<double>(shape[shape.size() - 2]);
      columns = static_cast<double>(shape.back());
    } else if (shape.ndim() == 1) {
      rows = static_cast<double>(shape[0]);
    }
    if (rows == 0 || columns == 0) return base_height();
    return static_cast<int>(base_height() * (columns / rows));
  }

  Cell cell(const TileGrid& grid, const Tile& tile, int max_width, const Rgb& rgb) const {
    Cell out;
    out.text = label(grid, tile);
    double asked = tile.width * base_width() * cell_aspect;
    int width = asked >= max_width ? max_width : static_cast<int>(asked);
    width = std::min(std::max(width, options.min_width), max_width);
    int spare = width - static_cast<int>(out.text.size()) - 2;
    out.left = floor_half(spare);
    out.right = out.left + (spare - 2 * out.left);
    int rest = (shape.ndim() >= 2 ? static_cast<int>(tile.height * base_height()) : 1) - 2;
    out.top = floor_half(rest);
    out.bottom = out.top + (rest - 2 * out.top);
    if (color) {
      ++out.left, ++out.right, ++out.top, ++out.bottom;
      std::string text = rgb.dark_text() ? "0;0;0" : "255;255;255";
      out.style = "\033[38;2;" + text + ";48;2;" + std::to_string(rgb.r) + ";" + std::to_string(rgb.g) + ";" +
                  std::to_string(rgb.b) + "m";
    }
    out.left = std::max(out.left, 0), out.right = std::max(out.right, 0);
    out.top = std::max(out.top, 0), out.bottom = std::max(out.bottom, 0);
    return out;
  }

  Table table(const TileGrid& grid, int first, int last, int max_cell) const {
    Table out;
    out.borders = !color;
    out.highlight = terminal && !color;
    out.max_width = options.max_width;
    std::vector<Rgb> colors = tile_colors(grid.row_count() * grid.column_count());
    for (int r = 0; r < grid.row_count(); ++r) {
      out.rows.emplace_back();
      for (int c = first; c < last; ++c)
        out.rows.back().push_back(cell(grid, grid.at(r, c), max_cell, colors[static_cast<std::size_t>(r * grid.column_count() + c)]));
    }
    return out;
  }

  // JAX's table, where it shows every device.
  std::string draw(const TileGrid& grid) const {
    Table jax = table(grid, 0, grid.column_count(), options.max_width);
    return jax.shows_everything() ? jax.str() : squeezed(grid);
  }

  // Too wide for JAX's table: tiles give up padding first, labels break at commas, and columns that still have no room
  // go below, in bands.
  std::string squeezed(const TileGrid& grid) const {
    int border = color ? 0 : 1, word = 0;
    for (const Tile& tile : grid.tiles) {
      word = std::max({word, static_cast<int>(grid.platform.size()), tile.empty ? 5 : 0});
      for (int id : tile.devices) word = std::max(word, static_cast<int>(std::to_string(id).size()) + (tile.devices.size() > 1));
    }
    int per_band = std::clamp((options.max_width - border) / (word + border), 1, grid.column_count());
    std::string out;
    for (int first = 0; first < grid.column_count(); first += per_band) {
      int last = std::min(grid.column_count(), first + per_band);
      int room = std::max(word, (options.max_width - border) / (last - first) - border);
      Table band = table(grid, first, last, room);
      for (auto& row : band.rows)
        for (Cell& cell : row) squeeze(cell, room);
      if (per_band < grid.column_count()) out += "columns " + std::to_string(first) + " to " + std::to_string(last - 1) + ":\n";
      out += band.str();
    }
    return out;
  }

  // Makes a cell of at most `room` columns: no padding where the text needs the room, breaks after commas.
  static void squeeze(Cell& cell, int room) {
    int size = static_cast<int>(cell.text.size());
    if (size + cell.left + cell.right <= room) return;
    if (size <= room) {
      cell.left = (room - size) / 2;
      cell.right = room - size - cell.left;
      return;
    }
    cell.left = cell.right = 0;
    std::string broken;
    int used = 0;
    for (std::size_t i = 0; i < cell.text.size();) {
      std::size_t end = std::min(cell.text.find_first_of(", ", i), cell.text.size() - 1) + 1;
      std::string part = cell.text.substr(i, end - i);
      bool space = part.back() == ' ';
      int length = static_cast<int>(part.size()) - space;
      if (used && used + length > room) {
        if (broken.back() != ' ') broken += ' ';
        used = 0;
      }
      broken += part;
      used += static_cast<int>(part.size());
      i = end;
    }
    cell.text = std::move(broken);
  }
};

// Of the largest block, and of what all devices hold together.
std::string bytes_line(const Shape& shape, const Sharding& sharding, DType dtype) {
  auto size = static_cast<std::int64_t>(dtype.size());
  std::int64_t all = 0;
  for (const auto& [device, index] : sharding.devices_indices_map(shape)) {
    std::int64_t elements = 1;
    for (const IndexRange& r : index) elements *= r.stop - r.start;
    all += elements * size;
  }
  return std::string(dtype.name()) + ": " + std::to_string(sharding.shard_shape(shape).num_elements() * size) + " bytes a device, " + std::to_string(all) + " on all";
}

}  // namespace

std::string sharding_text(const Shape& shape, const Sharding& sharding, const VisualizeOptions& options, bool terminal) {
  if (options.scale <= 0 || options.min_width < 1 || options.max_width < 3)
    throw ValueError("visualize_sharding: scale must be positive, min_width at least 1 and max_width at least 3; they are " +
                     std::to_string(options.scale) + ", " + std::to_string(options.min_width) + " and " +
                     std::to_string(options.max_width) + ".");
  Picture picture{shape, options, options.use_color && terminal, terminal};
  std::vector<TileGrid> grids = tile_grids(shape, sharding);
  std::string out;
  for (const TileGrid& grid : grids) {
    if (grids.size() > 1) out += slab_text(grid) + "\n";
    out += picture.draw(grid);
  }
  if (shape.num_elements() == 0) out += "empty array of shape " + shape.str() + "\n";
  if (options.show_axes) {
    for (const std::string& line : axis_lines(shape, sharding)) out += line + "\n";
    if (options.dtype) out += bytes_line(shape, sharding, *options.dtype) + "\n";
  }
  return out;
}

void visualize_sharding(const Shape& shape, const Sharding& sharding, const VisualizeOptions& options) {
  std::cout << sharding_text(shape, sharding, options, isatty(STDOUT_FILENO) != 0) << std::flush;
}

}  // namespace tutti::debug
