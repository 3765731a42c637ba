#pragma once

#include <optional>
#include <vector>

#include "ir/home.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {

/// Element (i0, i1, ...) of the result is element offset + i0 * strides[0] + i1 * strides[1] + ... of the operand in
/// row-major order. Elements may be read again and again.
struct StridedRead {
  Shape shape;
  std::int64_t offset = 0;
  Dims strides;
  friend bool operator==(const StridedRead&, const StridedRead&) = default;
};
extern const Home strided_read;

/// Operands: x, updates. Element (i0, i1, ...) of the updates is added to element offset + i0 * strides[0] + ... of x
/// in row-major order; many may come to one element, where sums of floats are rounded once.
struct StridedAdd {
  std::int64_t offset = 0;
  Dims strides;
  friend bool operator==(const StridedAdd&, const StridedAdd&) = default;
};
extern const Home strided_add;

/// A gather as such a reading, where its indices have these values (row-major) and the places of its windows count
/// evenly along each dim, inside the operand: overlapping frames of a signal, diagonals, sliding windows.
std::optional<StridedRead> strided_gather(const Call& gather, const std::vector<std::int64_t>& indices);
/// Likewise a scatter that adds.
std::optional<StridedAdd> strided_scatter(const Call& scatter, const std::vector<std::int64_t>& indices);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
