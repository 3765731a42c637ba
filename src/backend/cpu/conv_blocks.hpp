// How a convolution's sums are cut: which of its dims fills vectors, and what one task takes at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/cpu/conv_form.hpp"

namespace tutti::cpu {

/// What lies side by side in the vectors of a tile.
enum class ConvColumns {
  outs,    // out features: a term is one element of the left operand times a row of the right one
  groups,  // groups: both are rows, multiplied in pairs
  terms,   // in features: towards few out features
  places,  // results along one dim: a term is one element of the right operand times a row of the left one
};

/// Decided by extents and strides alone.
struct ConvBlocks {
  ConvColumns columns = ConvColumns::outs;
  int column_dim = -1;                    // places: the dim
  ConvShared column;                      // its strides
  ConvShared outer;                       // the one of outs and groups that is no column; places: groups
  std::vector<std::int64_t> rows, terms;  // of a block, by dim
  std::int64_t width = 0;                 // columns of a block
  std::int64_t panel = 0;                 // columns of a tile
  std::int64_t parts = 1;                 // in which blocks of terms are added up apart
  bool right_once = false;                // the right operand is brought to panels once, before all blocks

  std::int64_t row_blocks = 1, term_blocks = 1, column_blocks = 1;  // numbers of blocks
};

/// `fine`: smaller blocks of results, for many threads; each element is the same sum.
ConvBlocks conv_blocks(const ConvSums& sums, std::int64_t lanes, std::int64_t vectors, std::int64_t size, bool fine);

inline std::int64_t blocks_of(std::int64_t n, std::int64_t block) { return (n + block - 1) / block; }

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
