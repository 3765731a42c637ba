// Programs of the table written by hand for the blocks of devices: what their ideals count is what these send.
#pragma once

#include <optional>

#include "real.hpp"

namespace bench::real {

struct ByHand {
  const char* row;  // the name of the row whose results it has
  Function block;   // of the blocks that the row's inputs are cut into
};
std::vector<ByHand> grids_by_hand(const Extents& at);
std::vector<ByHand> tables_by_hand(const Extents& at);
/// All of them.
std::vector<ByHand> by_hand(const Extents& at);

/// `row` with `block` under shard_map as its program.
Row row_by_hand(Row row, const Function& block, const Mesh& mesh);

// --- what they send

/// The rows of the device before or behind along an axis of n devices; the first and the last are neighbours.
Array from_before(const Array& x, const Names& axis, int n);
Array from_behind(const Array& x, const Names& axis, int n);
/// Rows from..to along `dim`; a negative `from` and a `to` of 0 or less count from the end.
Array part(const Array& x, int dim, std::int64_t from, std::int64_t to);
/// x with `before` rows of the device before and `behind` rows of the one behind. Outside of the whole: rows of the
/// other end, or `edge` in their place.
Array with_borders(const Array& x, int dim, std::int64_t before, std::int64_t behind, const Names& axis, int n,
                   std::optional<double> edge = {});

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
