#include "debug/tiles.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace tutti::debug {
namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

Range range_of(const IndexRange& r) { return {r.start, r.stop}; }

// The different ranges of one dim, ascending. A dim that is not there has one range of one element.
ShardIndex ranges(const std::vector<std::pair<Device, ShardIndex>>& map, int dim) {
  if (dim < 0) return {{0, 1, true}};
  std::map<Range, IndexRange> found;
  for (const auto& [device, index] : map) {
    const IndexRange& r = index[static_cast<std::size_t>(dim)];
    found.emplace(range_of(r), r);
  }
  ShardIndex out;
  for (const auto& [key, r] : found) out.push_back(r);
  return out;
}

int number_of(const ShardIndex& ranges, const ShardIndex& index, int dim) {
  if (dim < 0) return 0;
  Range wanted = range_of(index[static_cast<std::size_t>(dim)]);
  auto at = std::find_if(ranges.begin(), ranges.end(), [&](const IndexRange& r) { return range_of(r) == wanted; });
  return static_cast<int>(at - ranges.begin());
}

double fraction(const Shape& shape, const IndexRange& r, int dim) {
  std::int64_t extent = dim < 0 ? 1 : shape[static_cast<std::size_t>(dim)];
  return extent == 0 ? 1.0 : (static_cast<double>(r.stop) - static_cast<double>(r.start)) / static_cast<double>(extent);
}

// Bytes of the UTF-8 character at `at`; 0 for what may not stand in a text: a control character, a broken or a
// surrogate one.
std::size_t character_length(const std::string& text, std::size_t at) {
  auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0u;
  };
  unsigned first = byte(at), length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 1) return first >= 0x20 && first != 0x7F;
  if (first < 0xC2 || first > 0xF4) return 0;
  unsigned code = first & (0xFFu >> (length + 1));
  for (unsigned i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3F);
  }
  static constexpr unsigned least[] = {0, 0, 0xA0, 0x800, 0x10000};
  bool allowed =
      code >= least[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) && code != 0xFFFE && code != 0xFFFF;
  return allowed ? length : 0;
}

}  // namespace

std::string joined(const std::vector<std::string>& items, const std::string& separator) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) out += (i ? separator : std::string()) + items[i];
  return out;
}

std::vector<TileGrid> tile_grids(const Shape& shape, const Sharding& sharding) {
  const int ndim = shape.ndim(), row_dim = ndim >= 2 ? ndim - 2 : -1, column_dim = ndim - 1;
  const auto map = sharding.devices_indices_map(shape);
  const ShardIndex rows = ranges(map, row_dim), columns = ranges(map, column_dim);
  std::string platform(sharding.device_list()[0].platform());
  if (platform == "simulated") platform = "sim";
  for (char& c : platform) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));

  std::map<std::vector<Range>, TileGrid> grids;
  for (const auto& [device, index] : map) {
    std::vector<Range> slab;
    for (int d = 0; d < ndim - 2; ++d) slab.push_back(range_of(index[static_cast<std::size_t>(d)]));
    TileGrid& grid = grids[slab];
    if (grid.tiles.empty()) {
      grid.platform = platform;
      grid.leading.assign(index.begin(), index.begin() + std::max(0, ndim - 2));
      grid.rows = rows;
      grid.columns = columns;
      grid.tiles.resize(rows.size() * columns.size());
    }
    int row = number_of(rows, index, row_dim), column = number_of(columns, index, column_dim);
    Tile& tile = grid.tiles[static_cast<std::size_t>(row * grid.column_count() + column)];
    tile.devices.push_back(device.id());
    tile.height = fraction(shape, rows[static_cast<std::size_t>(row)], row_dim);
    tile.width = fraction(shape, columns[static_cast<std::size_t>(column)], column_dim);
    for (const IndexRange& r : index) tile.empty = tile.empty || r.start == r.stop;
  }
  std::vector<TileGrid> out;
  for (auto& [slab, grid] : grids) {
    for (Tile& tile : grid.tiles) std::sort(tile.devices.begin(), tile.devices.end());
    out.push_back(std::move(grid));
  }
  return out;
}

std::string label(const TileGrid& grid, const Tile& tile) {
  std::vector<std::string> ids;
  for (int id : tile.devices) ids.push_back(std::to_string(id));
  return grid.platform + " " + joined(ids, ",") + (tile.empty ? " empty" : "");
}

std::string slab_text(const TileGrid& grid) {
  std::vector<std::string> items;
  for (const IndexRange& r : grid.leading)
    items.push_back(r.whole ? ":" : std::to_string(r.start) + ":" + std::to_string(r.stop));
  return "[" + joined(items, ", ") + (items.empty() ? ":, :]" : ", :, :]");
}

std::string printable(const std::string& text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = character_length(text, i);
    if (length) {
      out += text.substr(i, length);
      i += length;
    } else {
      auto byte = static_cast<unsigned char>(text[i++]);
      out += std::string("\\x") + digits[byte / 16] + digits[byte % 16];
    }
  }
  return out;
}

std::vector<std::string> axis_lines(const Shape& shape, const Sharding& sharding) {
  const bool named = sharding.kind() == Sharding::Kind::named;
  const Shape block = sharding.shard_shape(shape);
  const auto map = sharding.devices_indices_map(shape);
  auto whole = [&](std::size_t d) {
    return std::all_of(map.begin(), map.end(),
                       [&](const auto& placed) { return placed.second[d].stop - placed.second[d].start == shape[d]; });
  };
  std::set<std::string> used;
  auto listed = [&](const std::vector<std::string>& names) {
    std::vector<std::string> items;
    for (const std::string& name : names)
      items.push_back(printable(name) + "=" + std::to_string(sharding.mesh().size(name)));
    return joined(items, ", ");
  };
  std::vector<std::string> out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::string line = "dim " + std::to_string(d) + ": " + std::to_string(shape[d]);
    std::vector<std::string> axes;
    if (named && d < sharding.spec().size()) axes = sharding.spec()[d].names();
    used.insert(axes.begin(), axes.end());
    if (!axes.empty()) line += " over " + listed(axes);
    out.push_back(line + (shape[d] == 0 ? ", empty"
                          : whole(d)    ? ", whole"
                                        : ", blocks of " + std::to_string(block[d])));
  }
  if (!named) return out;
  std::vector<std::string> copies;
  for (const std::string& name : sharding.mesh().axis_names())
    if (!used.count(name) && sharding.mesh().size(name) > 1) copies.push_back(name);
  if (!copies.empty()) out.push_back("copies over " + listed(copies));
  return out;
}

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
