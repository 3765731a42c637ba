// Loops whose rows do not need each other: all steps of a few rows can run, in registers, before those of the next
// rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compile/plan.hpp"

namespace tutti::cpu {

struct LoopRows {
  /// A storage that changes in the loop: row i lies in bytes i * row to (i + 1) * row of each plane; row 0: it is the
  /// same for all rows, which compute it each for itself.
  struct Layout {
    std::int64_t row = 0, planes = 1;
  };
  std::int64_t rows = 0;
  std::vector<int> dims;           // by step of the body: the dim that goes over the rows, -1: none does
  std::vector<Layout> layouts;     // by storage of the body
  std::vector<char> read_by_rows;  // by storage of the body: rows read different places
  std::int64_t elements = 0;       // of a row in the largest loop
  std::int64_t plane_bytes(int storage) const { return rows * layouts[static_cast<std::size_t>(storage)].row; }
};

/// Nothing where rows need each other, or what is the same for all of them is large.
std::optional<LoopRows> rows_of(const compile::Repeat& loop);

/// The part of a loop of the body that `count` rows from the first one make, on storages that hold as many rows where
/// they are `own`.
compile::Loop rows_of_loop(const compile::Loop& loop, int dim, const LoopRows& rows, std::int64_t count,
                           const std::vector<char>& own);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
