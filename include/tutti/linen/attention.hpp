// Flax's attention: layers with named projections, and masks. Source: flax.linen.
#pragma once

#include <optional>
#include <vector>

#include "tutti/linen/linen.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::linen {

struct DotProductAttentionOptions {
  Array bias{}, mask{};           // broadcast to [batch..., heads, queries, keys]; mask: 0 takes a key out
  bool broadcast_dropout = true;  // the same weights are dropped in all heads and examples
  Array dropout_rng{};
  double dropout_rate = 0;
  bool deterministic = false;
};
/// The weights softmax(q k^T / sqrt(size) + bias), [batch..., heads, queries, keys], in the common dtype of query and
/// key. query: [batch..., queries, heads, size], key: [batch..., keys, heads, size]. A query that sees no key has equal
/// weights. Throws ShapeError for shapes that do not fit, ValueError when a key for dropout is missing. Source:
/// flax.linen.dot_product_attention_weights.
Array dot_product_attention_weights(const In& query, const In& key, const DotProductAttentionOptions& options = {});
/// The values, [batch..., keys, heads, size of values], summed by these weights: [batch..., queries, heads, size of
/// values]. Source: flax.linen.dot_product_attention.
Array dot_product_attention(const In& query, const In& key, const In& value,
                            const DotProductAttentionOptions& options = {});

/// Heads of attention between projections. inputs_q: [batch..., queries, features]; inputs_k, by default inputs_q, and
/// inputs_v, by default inputs_k: [batch..., keys, features]; mask: broadcasts to [batch..., heads, queries, keys]. ->
/// [batch..., queries, out_features]. Parameters: query, key, value and out, each a DenseGeneral; with normalize_qk
/// query_ln and key_ln. Keys for dropout come from the stream "dropout".
///
/// With `decode` one position at a time comes in, and attends to those before it: the collection cache, made by an
/// init with inputs as long as the longest text, holds cached_key, cached_value and cache_index; apply_mutable returns
/// the next one.
struct MultiHeadDotProductAttention {
  int num_heads = 1;
  std::optional<int> qkv_features{}, out_features{};  // those of inputs_q
  bool broadcast_dropout = true;
  double dropout_rate = 0;
  bool deterministic = false;
  Initializer kernel_init = initializers::lecun_normal(), bias_init = initializers::zeros();
  bool use_bias = true, decode = false, normalize_qk = false;
  DType param_dtype = float32;
  /// Throws ValueError unless the heads divide the features, ShapeError for inputs that do not fit each other or the
  /// cache.
  Array operator()(Scope& scope, const Array& inputs_q, const Array& inputs_k = {}, const Array& inputs_v = {},
                   const Array& mask = {}) const;
};
/// The same under another name.
struct MultiHeadAttention : MultiHeadDotProductAttention {};
/// Queries, keys and values of one input: `linen::SelfAttention{{.num_heads = 4}}`.
struct SelfAttention : MultiHeadDotProductAttention {
  Array operator()(Scope& scope, const Array& inputs, const Array& mask = {}) const {
    return MultiHeadDotProductAttention::operator()(scope, inputs, inputs, inputs, mask);
  }
};

/// 1 where pairwise_fn of a query's and a key's entry holds, by default where neither is 0. query_input: [batch...,
/// queries], key_input: [batch..., keys] -> dtype[1 per extra dim, batch..., 1, queries, keys].
using Pairwise = Array (*)(const Operand&, const Operand&);
Array make_attention_mask(const In& query_input, const In& key_input, Pairwise pairwise_fn = multiply,
                          int extra_batch_dims = 0, DType dtype = float32);
/// 1 where the key does not come after the query. x: [batch..., positions], its values do not matter.
Array make_causal_mask(const In& x, int extra_batch_dims = 0, DType dtype = float32);
/// 1 where none of the masks is 0; empty ones do not count, and of them alone the result is empty. Throws ShapeError
/// for masks of different numbers of dims.
Array combine_masks(const std::vector<Array>& masks, DType dtype = float32, Loc loc = Loc::current());

}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
