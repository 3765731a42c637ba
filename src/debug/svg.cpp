// Pictures of shardings as SVG.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "debug/colors.hpp"
#include "debug/tiles.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/debug/visualize.hpp"

namespace tutti::debug {
namespace {

constexpr double area = 320, margin = 16, line_height = 18;
// Letters: their width, of their size, and their sizes in a tile; from which width on a label is written smaller; the
// blank left and right of it.
constexpr double letter_width = 0.65, smallest = 8, largest = 13, long_label = 240, inset = 3;

std::string num(double v) {
  std::string out = std::to_string(std::round(v * 100) / 100);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const std::string& extra) {
  return "<text x=\"" + num(x) + "\" y=\"" + num(y) + "\" " + extra + ">" + escaped(text) + "</text>\n";
}

// Size of the drawn array: its shape, kept between 1:4 and 4:1 so that tiles stay readable.
std::pair<double, double> drawn_size(const Shape& shape, const TileGrid& grid) {
  double rows = 1, columns = 1;
  if (shape.ndim() >= 1) columns = static_cast<double>(std::max<std::int64_t>(1, shape.back()));
  if (shape.ndim() >= 2) rows = static_cast<double>(std::max<std::int64_t>(1, shape[shape.size() - 2]));
  double aspect = shape.ndim() < 2 ? 8 : std::clamp(columns / rows, 0.25, 4.0);
  double width = aspect >= 1 ? area : area * aspect, height = aspect >= 1 ? area / aspect : area;
  return {std::max(width, 64.0 * grid.column_count()), std::max(height, 28.0 * grid.row_count())};
}

double sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

// Sizes of one grid's rows and columns: in proportion, but with room for every label; a long list of devices is written
// smaller, never cut.
struct Layout {
  std::vector<double> heights, widths, letters;  // size of the letters of each column

  Layout(const TileGrid& grid, double width, double height) {
    for (int r = 0; r < grid.row_count(); ++r)
      heights.push_back(std::max(height * grid.at(r, 0).height, line_height + 2));
    for (int c = 0; c < grid.column_count(); ++c) {
      std::size_t longest = 0;
      for (int r = 0; r < grid.row_count(); ++r) longest = std::max(longest, label(grid, grid.at(r, c)).size());
      double em = letter_width * static_cast<double>(longest);  // width of the label at letters of size 1
      widths.push_back(
          std::max(width * grid.at(0, c).width, em * std::clamp(long_label / em, smallest, largest) + 2 * inset));
      letters.push_back(std::min(largest, (widths.back() - 2 * inset) / em));
    }
  }
};

// Whether black on this colour has more contrast than white, as WCAG reckons it.
bool black_stands_out(const Rgb& c) {
  auto linear = [](int v) { return v <= 10 ? v / 3294.6 : std::pow((v / 255.0 + 0.055) / 1.055, 2.4); };
  const double luminance = 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05);
}

// One grid at (x, y).
std::string grid_svg(const TileGrid& grid, const Layout& layout, const Rgb* colors, double x, double y) {
  std::string out;
  double top = y;
  for (int r = 0; r < grid.row_count(); ++r) {
    double left = x, high = layout.heights[static_cast<std::size_t>(r)];
    for (int c = 0; c < grid.column_count(); ++c) {
      const Rgb& color = colors[r * grid.column_count() + c];
      double wide = layout.widths[static_cast<std::size_t>(c)], letter = layout.letters[static_cast<std::size_t>(c)];
      std::string name = label(grid, grid.at(r, c));
      out += "<g><title>" + escaped(name) + "</title><rect x=\"" + num(left) + "\" y=\"" + num(top) + "\" width=\"" +
             num(wide) + "\" height=\"" + num(high) + "\" fill=\"" + hex(color) + "\" stroke=\"#fff\"/>\n";
      out += text_at(left + wide / 2, top + high / 2, name,
                     "text-anchor=\"middle\" dominant-baseline=\"central\" font-size=\"" + num(letter) + "\" fill=\"" +
                         (black_stands_out(color) ? "#000" : "#fff") + "\"");
      out += "</g>\n";
      left += wide;
    }
    top += high;
  }
  return out;
}

}  // namespace

std::string sharding_svg(const Shape& shape, const Sharding& sharding, const ColorMap& color_map, Loc loc) {
  CallScope scope(loc);
  std::vector<TileGrid> grids = tile_grids(shape, sharding);
  std::size_t tiles = 0, drawn = 0;
  for (const TileGrid& grid : grids) tiles += grid.tiles.size();
  const std::vector<Rgb> colors = tile_colors(static_cast<int>(tiles), color_map);
  std::string body;
  double y = margin, widest = area;
  for (const TileGrid& grid : grids) {
    auto [width, height] = drawn_size(shape, grid);
    if (grids.size() > 1) {
      body += text_at(margin, y + 12, slab_text(grid), "font-size=\"13\"");
      y += line_height;
    }
    Layout layout(grid, width, height);
    body += grid_svg(grid, layout, colors.data() + drawn, margin, y);
    drawn += grid.tiles.size();
    widest = std::max(widest, sum(layout.widths));
    y += sum(layout.heights) + margin;
  }
  std::vector<std::string> lines = {"shape " + shape.str() + ", largest block " + sharding.shard_shape(shape).str()};
  for (const std::string& line : axis_lines(shape, sharding)) lines.push_back(line);
  for (const std::string& line : lines) {
    body += text_at(margin, y + 12, line, "font-size=\"13\"");
    widest = std::max(widest, 13 * letter_width * static_cast<double>(line.size()));
    y += line_height;
  }
  std::string width = num(widest + 2 * margin), height = num(y + margin);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " +
         width + " " + height +
         "\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + body + "</svg>\n";
}

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
