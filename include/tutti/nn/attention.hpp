// Attention as a function of queries, keys and values, and positions as rotations.
//
//     Array y = nn::dot_product_attention(q, k, v, {.is_causal = true});        // [batch, positions, heads, size]
#pragma once

#include <optional>
#include <utility>

#include "tutti/array/array.hpp"

namespace tutti::nn {

struct DotProductAttentionOptions {
  Array bias{};                   // added to the logits; broadcasts to [batch, heads, queries, keys]
  Array mask{};                   // bool, of the same shape: false takes a key out
  std::optional<double> scale{};  // of the logits; 1 / sqrt(size) unless given
  bool is_causal = false;         // query i sees the keys 0 to i
  Array query_seq_lengths{};      // int[batch]: what lies behind gives zeros
  Array key_value_seq_lengths{};  // int[batch]: what lies behind is not seen
  std::optional<std::pair<int, int>> local_window_size{};  // query i sees the keys i - first to i + second
  std::optional<bool> tiled{};  // a block of queries and keys at a time; unless given: for logits of many MiB
};
/// softmax(scale q k^T + bias) v for each head. query: float[batch, queries, heads, size], key and value: of the same
/// dtype, [batch, keys, groups, size], where the groups divide the heads: heads that follow each other share the keys
/// and values of a group. All may come without the batch dim. -> the shape and dtype of query.
///
/// Logits are computed in float32 at least, the softmax in float32. A query that sees no key has equal weights. In
/// tiles neither the logits nor anything of their size is in memory, forward and in every derivative, so that memory
/// grows with queries + keys; results differ by rounding (Dao et al. 2022, Milakov and Gimelshein 2018). Throws
/// ShapeError for shapes that do not fit, TypeError for other dtypes, ValueError for a negative window. Source:
/// jax.nn.dot_product_attention.
Array dot_product_attention(const In& query, const In& key, const In& value,
                            const DotProductAttentionOptions& options = {});

struct AttentionWithResidual {
  Array output, residual;
};
/// The same, and the logarithm of what each softmax divides by, [batch, queries, heads] in the dtype of key, which has
/// no derivative; all logits are in memory. Source: jax.nn.dot_product_attention with return_residual.
AttentionWithResidual dot_product_attention_with_residual(const In& query, const In& key, const In& value,
                                                          const DotProductAttentionOptions& options = {});

/// Turns pairs of features (i, i + size / 2) by position / theta^(2i / size), so that products of a query with a key
/// depend on the distance between the two alone. Source: equinox.nn.RotaryPositionalEmbedding.
struct RotaryPositionalEmbedding {
  int embedding_size = 2;
  double theta = 10000;
  DType dtype = float32;  // of cosines and sines
  /// Throws ValueError unless the size is even and not negative.
  static RotaryPositionalEmbedding init(int embedding_size, double theta = 10000, DType dtype = float32);
  /// x: [positions, embedding_size] -> the same; `positions`: numbers[positions], 0, 1, ... unless given. Throws
  /// ShapeError for other shapes.
  Array operator()(const Array& x, const Array& positions = {}, Loc loc = Loc::current()) const;
};

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
