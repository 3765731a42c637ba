#include "debug/tiles.hpp"

#include <algorithm>
#include <map>

#include "mesh/text.hpp"

namespace tutti::debug {

std::vector<TileGrid> tile_grids(const Shape& shape, const Sharding& sharding) {
  Layout layout = layout_of(sharding, shape.ndim());
  Mesh mesh = mesh_of(sharding);
  const int ndim = shape.ndim(), row_dim = ndim >= 2 ? ndim - 2 : -1, column_dim = ndim >= 1 ? ndim - 1 : -1;
  const int leading = std::max(0, ndim - 2);
  auto extent = [&](int d) { return d < 0 ? std::int64_t{1} : shape[static_cast<std::size_t>(d)]; };
  auto blocks = [&](int d) { return d < 0 ? 1 : static_cast<int>(layout.ways(d)); };

  std::map<std::vector<std::int64_t>, TileGrid> grids;
  for (std::int64_t p = 0; p < mesh.size(); ++p) {
    auto where = coordinates(mesh, p);
    auto number = [&](int d) {
      return d < 0 ? std::int64_t{0} : block_number(layout.dims[static_cast<std::size_t>(d)], mesh, where);
    };
    Box box = box_of(layout, mesh, shape, where);
    std::vector<std::int64_t> key;
    for (int d = 0; d < leading; ++d) key.push_back(number(d));
    TileGrid& grid = grids[key];
    if (grid.tiles.empty()) {
      grid.platform = text::platform_name(mesh.device_list()[0]);
      grid.rows = blocks(row_dim);
      grid.columns = blocks(column_dim);
      grid.tiles.resize(static_cast<std::size_t>(grid.rows * grid.columns));
      for (int d = 0; d < leading; ++d) {
        auto at = static_cast<std::size_t>(d);
        grid.leading.push_back({box.start[at], box.stop[at], layout.ways(d) == 1});
      }
    }
    Tile& tile = grid.tiles[static_cast<std::size_t>(number(row_dim) * grid.columns + number(column_dim))];
    auto fraction = [&](int d) {
      if (d < 0 || extent(d) == 0) return 1.0;
      auto at = static_cast<std::size_t>(d);
      return static_cast<double>(box.stop[at] - box.start[at]) / static_cast<double>(extent(d));
    };
    tile.width = fraction(column_dim);
    tile.height = fraction(row_dim);
    tile.devices.push_back(mesh.device_list()[static_cast<std::size_t>(p)].id());
    tile.box = std::move(box);
  }
  std::vector<TileGrid> out;
  for (auto& [key, grid] : grids) {
    for (Tile& tile : grid.tiles) std::sort(tile.devices.begin(), tile.devices.end());
    out.push_back(std::move(grid));
  }
  return out;
}

std::string label(const TileGrid& grid, const Tile& tile) {
  std::vector<std::string> ids;
  for (int id : tile.devices) ids.push_back(std::to_string(id));
  return grid.platform + " " + text::join(ids, ",") + (tile.box.empty() ? " empty" : "");
}

std::vector<std::string> axis_lines(const Shape& shape, const Sharding& sharding) {
  Layout layout = layout_of(sharding, shape.ndim());
  Mesh mesh = mesh_of(sharding);
  auto listed = [&](const AxisRefs& refs) {
    std::vector<std::string> items;
    for (const AxisRef& ref : refs) items.push_back(str(ref, mesh) + "=" + std::to_string(ref.size));
    return text::join(items, ", ");
  };
  Shape block = block_shape(layout, shape);
  std::vector<std::string> out;
  for (int d = 0; d < shape.ndim(); ++d) {
    auto at = static_cast<std::size_t>(d);
    std::string line = "dim " + std::to_string(d) + ": " + std::to_string(shape[at]);
    if (layout.ways(d) == 1) line += ", whole";
    else line += " over " + listed(layout.dims[at]) + ", blocks of " + std::to_string(block[at]);
    out.push_back(line);
  }
  AxisRefs free = free_axes(layout, mesh);
  if (!free.empty()) out.push_back("copies over " + listed(free));
  return out;
}

}  // namespace tutti::debug
