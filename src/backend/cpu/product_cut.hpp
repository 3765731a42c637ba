// How a product of large matrices is cut into tasks, by its extents alone.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tutti::cpu {

// How a product is cut. Slices are parts of the inner dimension with sums of their own, where rows and columns are too
// few to keep many cores busy; each is cut in blocks.
struct ProductCut {
  static constexpr std::int64_t kInnerBlock = 512;  // inner elements, of which a slice has twice as many
  // Of a tile: its packed rows take a quarter of a cache of 1 MiB.
  static constexpr std::int64_t kMostTileRows = 140, kMostTileColumns = 512;
  static constexpr std::int64_t kManyTasks = 128;  // keep as many cores busy, half as many evenly
  // Multiplications of a task of floats, some 15 us: handing it out takes below 1 % of it.
  static constexpr double kLeastTask = 1 << 20;

  struct Extents {
    std::int64_t m, n, k;
  };
  // Of tiles (product_tiles.hpp).
  struct Unit {
    std::int64_t rows, columns, deep;
    double speed;
  };

  static std::int64_t parts(std::int64_t extent, std::int64_t each) { return (extent + each - 1) / each; }
  // Pieces of equal size, of a multiple of `unit` and at most `most` (but not less than `unit`).
  static std::int64_t even(std::int64_t extent, std::int64_t most, std::int64_t unit) {
    const std::int64_t each = parts(extent, parts(extent, std::max(most, unit)));
    return parts(each, unit) * unit;
  }

  std::int64_t slices = 1, deep = 0, blocks = 0, rows = 0, columns = 0;

  ProductCut(std::int64_t batches, const Extents& extents, const Unit& unit) {
    const auto [m, n, k] = extents;
    const std::int64_t unit_rows = unit.rows, unit_columns = unit.columns;
    std::int64_t most_rows = kMostTileRows, most_columns = kMostTileColumns;
    const auto count = [&, m = m, n = n] {
      return batches * parts(m, even(m, most_rows, unit_rows)) * parts(n, even(n, most_columns, unit_columns));
    };
    const auto work = [&, m = m, n = n, k = k](std::int64_t r, std::int64_t c) {
      return static_cast<double>(even(m, r, unit_rows)) * static_cast<double>(even(n, c, unit_columns)) *
             static_cast<double>(std::min(k, kInnerBlock));
    };
    while (count() < kManyTasks) {
      const bool wide = most_columns > 2 * most_rows || most_rows <= 2 * unit_rows;
      const std::int64_t r = wide ? most_rows : most_rows / 2, c = wide ? most_columns / 2 : most_columns;
      if (c < 2 * unit_columns || work(r, c) < kLeastTask * unit.speed) break;
      most_rows = r;
      most_columns = c;
    }
    const std::int64_t most_slices = std::max<std::int64_t>(1, k / (2 * kInnerBlock));
    if (count() <= kManyTasks / 4) slices = std::clamp<std::int64_t>(kManyTasks / count(), 1, most_slices);
    const std::int64_t slice = parts(k, slices);
    deep = even(slice, unit.deep, 4);
    blocks = parts(slice, deep);
    slices = parts(k, blocks * deep);
    rows = even(m, most_rows, unit_rows);
    columns = even(n, most_columns, unit_columns);
  }
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
