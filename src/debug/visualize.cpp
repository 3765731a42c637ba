// Pictures of shardings as text.
#include "tutti/debug/visualize.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "debug/colors.hpp"
#include "debug/table.hpp"
#include "debug/tiles.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::debug {
namespace {

int floor_half(int n) { return n >= 0 ? n / 2 : -((1 - n) / 2); }

// A terminal cell is about 2.5 times as high as wide.
constexpr double cell_aspect = 2.5;

bool is_empty(const Shape& shape) { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

struct Picture {
  const Shape& shape;
  const VisualizeOptions& options;
  bool color, terminal;

  // Size of the whole array in text cells, before the aspect of a cell.
  double base_height() const { return std::trunc(10 * options.scale); }
  double base_width() const {
    double rows = 1, columns = 1;
    if (shape.ndim() >= 2) {
      rows = static_cast<double>(shape[shape.size() - 2]);
      columns = static_cast<double>(shape.back());
    } else if (shape.ndim() == 1) {
      rows = static_cast<double>(shape[0]);
    }
    if (rows == 0 || columns == 0) return base_height();
    return std::trunc(base_height() * (columns / rows));
  }

  Cell cell(const TileGrid& grid, const Tile& tile, const Rgb& rgb) const {
    Cell out;
    out.text = label(grid, tile);
    double asked = tile.width * base_width() * cell_aspect;
    int width = asked >= options.max_width ? options.max_width : static_cast<int>(asked);
    width = std::min(std::max(width, options.min_width), options.max_width);
    int spare = width - columns_of(out.text) - 2;
    out.left = floor_half(spare);
    out.right = out.left + (spare - 2 * out.left);
    int rest = (shape.ndim() >= 2 ? static_cast<int>(std::min(tile.height * base_height(), 1e6)) : 1) - 2;
    out.top = floor_half(rest);
    out.bottom = out.top + (rest - 2 * out.top);
    if (color) {
      ++out.left;
      ++out.right;
      ++out.top;
      ++out.bottom;
      std::string text = dark_text(rgb) ? "0;0;0" : "255;255;255";
      out.style = "\033[38;2;" + text + ";48;2;" + std::to_string(rgb.r) + ";" + std::to_string(rgb.g) + ";" +
                  std::to_string(rgb.b) + "m";
    }
    out.left = std::max(out.left, 0);
    out.right = std::max(out.right, 0);
    out.top = std::max(out.top, 0);
    out.bottom = std::max(out.bottom, 0);
    return out;
  }

  // JAX's table, where it has every label whole.
  std::string draw(const TileGrid& grid, const Rgb* colors) const {
    Table jax;
    jax.borders = !color;
    jax.highlight = terminal && !color;
    jax.max_width = options.max_width;
    for (int r = 0; r < grid.row_count(); ++r) {
      jax.rows.emplace_back();
      for (int c = 0; c < grid.column_count(); ++c)
        jax.rows.back().push_back(cell(grid, grid.at(r, c), colors[r * grid.column_count() + c]));
    }
    return options.wrap_labels || jax.whole_labels() ? jax.str() : fitted(jax);
  }

  // The table without a broken label: the widest columns give up blanks first, and columns that still have no room go
  // below, in bands.
  std::string fitted(const Table& jax) const {
    const int border = color ? 0 : 1;
    std::vector<int> least, wanted;  // widths of the columns
    for (std::size_t c = 0; c < jax.rows[0].size(); ++c) {
      int label = 0, padded = 0;
      for (const auto& row : jax.rows) {
        int size = columns_of(row[c].text);
        label = std::max(label, size + 1 - border);  // a blank keeps labels apart where no border does
        padded = std::max(padded, std::min(size + row[c].left + row[c].right, options.max_width - 2 * border));
      }
      least.push_back(label);
      wanted.push_back(std::max(label, padded));
    }
    std::vector<std::size_t> ends = bands(least, border);
    const std::vector<int> widths = levelled(least, wanted, ends, border);
    std::string out;
    for (std::size_t b = 0, first = 0; b < ends.size(); first = ends[b++]) {
      auto begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(ends[b]);
      Table band = jax;
      band.fixed.assign(widths.begin() + begin, widths.begin() + end);
      for (auto& row : band.rows) {
        row = std::vector<Cell>(row.begin() + begin, row.begin() + end);
        for (Cell& cell : row) cell.left = cell.right = 0;  // str() centres
      }
      const std::string from = std::to_string(first), to = std::to_string(ends[b] - 1);
      if (ends.size() > 1) out += from == to ? "column " + from + ":\n" : "columns " + from + " to " + to + ":\n";
      out += band.str();
    }
    return out;
  }

  // Where each band of columns ends: as few bands as can be, of as many columns each if that has room.
  std::vector<std::size_t> bands(const std::vector<int>& least, int border) const {
    std::vector<std::size_t> ends;
    int used = border;
    for (std::size_t c = 0; c < least.size(); used += least[c++] + border)
      if (c > 0 && used + least[c] + border > options.max_width) {
        ends.push_back(c);
        used = border;
      }
    ends.push_back(least.size());
    std::vector<std::size_t> even;
    const std::size_t each = (least.size() + ends.size() - 1) / ends.size();
    for (std::size_t first = 0; first < least.size(); first = even.back()) {
      even.push_back(std::min(least.size(), first + each));
      int width = border;
      for (std::size_t c = first; c < even.back(); ++c) width += least[c] + border;
      if (width > options.max_width) return ends;
    }
    return even;
  }

  // What the columns want, but none wider than lets every band fit, nor narrower than its labels.
  std::vector<int> levelled(const std::vector<int>& least, const std::vector<int>& wanted,
                            const std::vector<std::size_t>& ends, int border) const {
    std::vector<int> out = wanted;
    for (int level = *std::max_element(wanted.begin(), wanted.end()); level >= 0; --level) {
      int widest = 0, width = border;
      for (std::size_t c = 0, band = 0; c < wanted.size(); ++c) {
        if (c == ends[band]) {
          ++band;
          width = border;
        }
        out[c] = std::max(least[c], std::min(wanted[c], level));
        widest = std::max(widest, width += out[c] + border);
      }
      if (widest <= options.max_width) break;
    }
    return out;
  }
};

// Of the largest block, and of what all devices hold together.
std::string bytes_line(const Shape& shape, const Sharding& sharding, DType dtype) {
  struct Bytes {
    double rough = 0;
    std::uint64_t exact = 0;  // while that has room for it
    std::string str() const {
      char text[32];
      std::snprintf(text, sizeof text, "%.3g", rough);
      return rough < 1.8e19 ? std::to_string(exact) : text;
    }
  };
  auto bytes = [&](const auto& extents) {
    Bytes out{static_cast<double>(dtype.size()), static_cast<std::uint64_t>(dtype.size())};
    for (std::int64_t n : extents) {
      out.rough *= static_cast<double>(n);
      out.exact *= static_cast<std::uint64_t>(n);
    }
    return out;
  };
  Bytes all;
  for (const auto& [device, index] : sharding.devices_indices_map(shape)) {
    std::vector<std::int64_t> extents;
    for (const IndexRange& r : index) extents.push_back(r.stop - r.start);
    Bytes one = bytes(extents);
    all.rough += one.rough;
    all.exact += one.exact;
  }
  return std::string(dtype.name()) + ": " + bytes(sharding.shard_shape(shape)).str() + " bytes a device, " + all.str() +
         " on all";
}

// A terminal that shows colours, to a user who wants them (no-color.org).
bool color_terminal() {
  auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  return isatty(STDOUT_FILENO) != 0 && variable("NO_COLOR").empty() && variable("TERM") != "dumb" &&
         variable("TERM") != "unknown";
}

}  // namespace

std::string sharding_text(const Shape& shape, const Sharding& sharding, const VisualizeOptions& options, bool terminal,
                          Loc loc) {
  CallScope scope(loc);
  if (!(options.scale > 0 && std::isfinite(options.scale)) || options.min_width < 0 || options.max_width < 3)
    raise<ValueError>("visualize_sharding",
                      "scale is " + std::to_string(options.scale) + ", min_width " + std::to_string(options.min_width) +
                          ", max_width " + std::to_string(options.max_width),
                      "The scale must be a positive number, min_width at least 0 and max_width at least 3.");
  Picture picture{shape, options, options.use_color && terminal, terminal};
  std::vector<TileGrid> grids = tile_grids(shape, sharding);
  std::size_t tiles = 0, drawn = 0;
  for (const TileGrid& grid : grids) tiles += grid.tiles.size();
  const std::vector<Rgb> colors = tile_colors(static_cast<int>(tiles), options.color_map);
  std::string out;
  for (const TileGrid& grid : grids) {
    if (grids.size() > 1) out += slab_text(grid) + "\n";
    out += picture.draw(grid, colors.data() + drawn);
    drawn += grid.tiles.size();
  }
  if (is_empty(shape)) out += "empty array of shape " + shape.str() + "\n";
  if (options.show_axes) {
    for (const std::string& line : axis_lines(shape, sharding)) out += line + "\n";
    if (options.dtype) out += bytes_line(shape, sharding, *options.dtype) + "\n";
  }
  return out;
}

void visualize_sharding(const Shape& shape, const Sharding& sharding, const VisualizeOptions& options, Loc loc) {
  CallScope scope(loc);
  std::cout << sharding_text(shape, sharding, options, color_terminal()) << std::flush;
}

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
