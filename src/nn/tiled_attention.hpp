// Attention a block of queries and keys at a time, without anything of the size of the logits in memory.
#pragma once

#include <utility>

#include "tutti/array/array.hpp"

namespace tutti::nn {

/// What may be seen, apart from the mask of the user.
struct Sight {
  bool causal = false, window = false;
  int before = 0, after = 0;
};

/// Low enough to count for nothing, and far enough from -inf that a bias may still be added to it.
double masked_logit(DType d);

struct AttentionOperands {
  Array query{}, key{}, value{};  // [batch, positions, heads or groups, size]
  Array bias{}, mask{};           // broadcast to [batch, heads, queries, keys], of as many dims; or none
  Array scale{};                  // of the logits
  Array key_lengths{};            // int[batch], or none
};

/// How many queries and keys a tile has, at most.
struct Tile {
  std::int64_t queries = 0, keys = 0;
};
/// For logits [batch, heads, queries, keys]: so many that those of one tile stay in second-level caches.
Tile tile_of(const Shape& logits);
/// Whether logits of this shape are better not in memory as a whole: they are too large for a cache.
bool pays_in_tiles(const Shape& logits);

/// -> [batch, queries, heads, size], of the dtype of the query.
Array attend_in_tiles(const AttentionOperands& x, const Sight& sight, const Tile& tile);

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
