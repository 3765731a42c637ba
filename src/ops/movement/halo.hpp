// Halo exchange along a sharded dim: every device reads a run of elements that lies around its own block, or not far
// from it, and gets what others have of it.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/across.hpp"

namespace tutti::ops {

/// For each place along the line, `length` elements of the whole dim from floor((place * step + offset) / divisor) on.
/// Where that step is not the extent of a block, the runs drift from the blocks.
struct Runs {
  std::int64_t step, offset, length, divisor = 1;
  std::int64_t start(std::int64_t place) const;
  /// What the division leaves over there.
  std::int64_t rest(std::int64_t place) const;
};

/// The run of this device; what lies before the dim or behind its end is `fill`, a scalar.
Array read_runs(const Array& block, const Runs& runs, const Line& line, const Array& fill);
/// Elements along the dim that a device receives for it, of blocks of `block`; nothing where places are too large to be
/// counted in int32.
std::optional<std::int64_t> received_by_runs(const Runs& runs, std::int64_t block, const LineExtent& line);
/// The same in bytes of an array whose block has this type.
std::optional<double> bytes_by_runs(const Type& block, const Runs& runs, const LineExtent& line);
/// As a number of this device.
Array rest_here(const Runs& runs, const Line& line);

/// Elements from..from + length - 1 of dim `dim`, `from` being a number of this device.
Array part_at(const Array& x, int dim, const Array& from, std::int64_t length);
/// `block` with zeros instead of what pads the last block of the line.
Array without_padding(const Array& block, const Line& line);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
