// Where a step reads and writes as it goes from row to row.
#pragma once

#include <optional>
#include <vector>

#include "compile/plan.hpp"

namespace tutti::compile {

/// Bytes from one row to the next, and those of the first row.
struct Reach {
  std::int64_t row = 0;
  std::int64_t begin = 0, end = 0;
};

/// Of a loop whose first extent is `rows` times a whole number. Nothing where it reads backwards.
std::optional<Reach> reach_of(const Loop& loop, const Access& access, std::int64_t rows);

/// Where a loop reads `extent` elements that lie `bytes` apart by `known`: how far apart are those that it touches
/// beside them by `other`. Nothing where it does not go there step by step.
std::optional<std::int64_t> stride_beside(const Loop& loop, const Access& known, const Access& other,
                                          std::int64_t extent, std::int64_t bytes);

/// Whether the loop reads `from` only where it writes `to`, element by element: they may be the same memory.
bool in_place(const Loop& loop, int from, int to);

/// What a step touches of a storage.
struct RowAccess {
  int storage = -1;
  bool writes = false;
  std::optional<Reach> reach;
  std::int64_t row_bytes = 0;  // different ones of a row, about
};
/// Of a step that can be done a few rows at a time: a loop that reduces within rows, or a product, whose first dim (of
/// a product: of the batch, else of its left operand; of one that adds up over rows, the one that is summed, and
/// without its result) is `rows` times a whole number. Empty for others.
std::vector<RowAccess> row_accesses(const Step& step, std::int64_t rows);

/// The product for `count` of its rows only, from the first one.
Dot dot_of_rows(const Dot& dot, std::int64_t rows, std::int64_t count);

/// The extent that is cut into rows; 0: none is.
std::int64_t first_extent(const Step& step);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
