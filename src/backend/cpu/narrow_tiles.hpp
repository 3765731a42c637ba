// Tiles of products of 16-bit floats: with instructions for pairs of bfloat16 where the processor has them, otherwise
// with operands that are widened to float when they are packed.
#pragma once

#include <vector>

#include "backend/cpu/product_tiles.hpp"

namespace tutti::cpu {

struct NarrowTiles {
  const char* name;  // "float", "pairs", "matrices"
  const Tiles<BFloat16>* tiles;
};
/// What this processor can do. All give sums of exact products; instructions for pairs take numbers
/// below 2^-126 to be 0.
const std::vector<NarrowTiles>& narrow_tiles_of_processor();

/// Sums of a tile, rounded: `rows` rows of `columns`.
void round_tile(const float* sums, std::int64_t sums_row, std::int64_t rows, std::int64_t columns, BFloat16* to,
                std::int64_t to_row);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
