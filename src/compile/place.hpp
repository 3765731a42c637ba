// Offsets in one piece of memory for blocks that are needed at different times.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::compile {

/// Bytes that are needed from time `first` to time `last`, both included.
struct Block {
  std::int64_t bytes = 0;
  int first = 0, last = 0;
  std::int64_t offset = 0;
};

/// Every offset is a multiple of this.
constexpr std::int64_t kAlign = 64;
std::int64_t aligned(std::int64_t bytes);

/// Gives each block its offset, such that none overlaps another that is needed at the same time: the bytes of all.
/// Time grows with n log n for n blocks.
std::int64_t place(std::vector<Block>& blocks);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
