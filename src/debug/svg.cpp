// Pictures of shardings as SVG.
#include <algorithm>
#include <cmath>

#include "debug/colors.hpp"
#include "debug/tiles.hpp"
#include "tutti/visualize.hpp"

namespace tutti::debug {
namespace {

constexpr double area = 320, margin = 16, line_height = 18;

std::string num(double v) {
  std::string out = std::to_string(std::round(v * 100) / 100);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* extra) {
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

// One grid at (x, y). Empty blocks get a thin strip, so that their devices are seen too.
std::string grid_svg(const TileGrid& grid, double x, double y, double width, double height) {
  std::vector<Rgb> colors = tile_colors(grid.row_count() * grid.column_count());
  std::string out;
  double top = y;
  for (int r = 0; r < grid.row_count(); ++r) {
    double left = x, high = std::max(height * grid.at(r, 0).height, 20.0);
    for (int c = 0; c < grid.column_count(); ++c) {
      const Tile& tile = grid.at(r, c);
      const Rgb& color = colors[static_cast<std::size_t>(r * grid.column_count() + c)];
      double wide = std::max(width * tile.width, 20.0);
      std::string name = label(grid, tile);
      out += "<g><title>" + escaped(name) + "</title><rect x=\"" + num(left) + "\" y=\"" + num(top) + "\" width=\"" + num(wide) +
             "\" height=\"" + num(high) + "\" fill=\"" + color.hex() + "\" stroke=\"#fff\"/>\n";
      // A long list of devices is written smaller, never cut.
      double size = std::clamp(1.5 * wide / static_cast<double>(name.size()), 3.0, 13.0);
      out += text_at(left + wide / 2, top + high / 2,  name,
                     ("text-anchor=\"middle\" dominant-baseline=\"central\" font-size=\"" + num(size) + "\" fill=\"" +
                      (color.dark_text() ? "#000" : "#fff") + "\"").c_str());
      out += "</g>\n";
      left += wide;
    }
    top += high;
  }
  return out;
}

}  // namespace

std::string sharding_svg(const Shape& shape, const Sharding& sharding) {
  std::vector<TileGrid> grids = tile_grids(shape, sharding);
  std::string body;
  double y = margin, widest = area;
  for (const TileGrid& grid : grids) {
    auto [width, height] = drawn_size(shape, grid);
    if (grids.size() > 1) {
      body += text_at(margin, y + 12, slab_text(grid), "font-size=\"13\"");
      y += line_height;
    }
    body += grid_svg(grid, margin, y, width, height);
    double used = 0, wide = 0;
    for (int r = 0; r < grid.row_count(); ++r) used += std::max(height * grid.at(r, 0).height, 20.0);
    for (int c = 0; c < grid.column_count(); ++c) wide += std::max(width * grid.at(0, c).width, 20.0);
    widest = std::max(widest, wide);
    y += used + margin;
  }
  std::vector<std::string> lines = {"shape " + shape.str() + ", largest block " + sharding.shard_shape(shape).str()};
  for (const std::string& line : axis_lines(shape, sharding)) lines.push_back(line);
  for (const std::string& line : lines) {
    body += text_at(margin, y + 12, line, "font-size=\"13\"");
    widest = std::max(widest, 7.5 * static_cast<double>(line.size()));
    y += line_height;
  }
  std::string width = num(widest + 2 * margin), height = num(y + margin);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " +
         height + "\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + body + "</svg>\n";
}

}  // namespace tutti::debug
