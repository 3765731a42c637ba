// Layers as plain structs: a module is the tree of its parameters, sizes are static leaves. Formulas, key order and
// defaults are Equinox's.
//
//     auto model = nn::MLP::init({.in_size = 4, .out_size = 2, .width_size = 32, .depth = 1}, random::key(0));
//     Array y = vmap(model)(xs);                     // a layer takes one example
//     auto grads = grad(loss)(model, xs, ys);        // a model too
//
// `init` draws parameters; the members may also be set directly: nn::Linear{.weight = w}.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/nn/activations.hpp"
#include "tutti/nn/attention.hpp"
#include "tutti/nn/conv.hpp"

namespace tutti::nn {

struct scalar_t {
  friend constexpr bool operator==(scalar_t, scalar_t) = default;
};
/// A size: one number without a dim, Equinox's "scalar".
inline constexpr scalar_t scalar{};
/// The extent of an example, or `scalar`.
struct Size {
  std::int64_t value = 1;
  bool is_scalar = false;
  template <Integer T> Size(T n) : value(Dim(n)) {}
  Size(scalar_t) : is_scalar(true) {}
};

/// weight x + bias for one example. weight: float32[out, in], bias: float32[out], both uniform in +-1/sqrt(in). Source:
/// equinox.nn.Linear.
struct Linear {
  Array weight{}, bias{};
  bool scalar_in = false, scalar_out = false;  // x, or the result, has shape ()
  /// Throws ValueError for negative sizes.
  static Linear init(Size in, Size out, const Array& key, bool use_bias = true, DType dtype = float32);
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};

struct MLPOptions {
  Size in_size = 1, out_size = 1;
  std::int64_t width_size = 32;
  int depth = 1;
  Activation activation = relu;
  Activation final_activation = identity;
  bool use_bias = true, use_final_bias = true;
  DType dtype = float32;
};
/// depth hidden layers of width_size, then one Linear and the final activation; with depth 0 the Linear alone. Source:
/// equinox.nn.MLP.
struct MLP {
  std::vector<Linear> layers{};
  Activation activation = relu;
  Activation final_activation = identity;
  static MLP init(const MLPOptions& options, const Array& key);
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};

/// One row of `weight` (float32[num, size], normal) per index. Source: equinox.nn.Embedding.
struct Embedding {
  Array weight{};
  static Embedding init(Dim num_embeddings, Dim embedding_size, const Array& key, DType dtype = float32);
  /// index: integers of any shape; the result has one more dim of the embedding size.
  Array operator()(const Array& index, Loc loc = Loc::current()) const;
};

struct NormOptions {
  double eps = 1e-5;
  bool use_weight = true, use_bias = true;
  DType dtype = float32;
};
/// (x - mean) / sqrt(var + eps) over the whole example, times weight plus bias; computed in float32 at least. Source:
/// equinox.nn.LayerNorm.
struct LayerNorm {
  Array weight{}, bias{};
  Shape shape{};
  double eps = 1e-5;
  static LayerNorm init(const Shape& shape, const NormOptions& options = {});
  /// Throws ShapeError unless x has the layer's shape.
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};
/// x / sqrt(mean(x^2) + eps), times weight plus bias. Source: equinox.nn.RMSNorm.
struct RMSNorm {
  Array weight{}, bias{};
  Shape shape{};
  double eps = 1e-5;
  static RMSNorm init(const Shape& shape, const NormOptions& options = {});
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};
/// LayerNorm over each group of channels (dim 0); weight and bias per channel. Source: equinox.nn.GroupNorm.
struct GroupNorm {
  Array weight{}, bias{};
  std::int64_t groups = 1;
  double eps = 1e-5;
  /// Throws ValueError unless the groups divide the channels.
  static GroupNorm init(Dim groups, Dim channels, double eps = 1e-5, bool channelwise_affine = true);
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};

/// Each element becomes 0 with probability p, the others are divided by 1 - p; unchanged in inference. Source:
/// equinox.nn.Dropout.
struct Dropout {
  double p = 0.5;
  bool inference = false;
  /// Throws ValueError when a key is needed and missing.
  Array operator()(const Array& x, const Array& key = {}, Loc loc = Loc::current()) const;
};

struct AttentionOptions {
  int num_heads = 1, query_size = 1;
  int key_size = 0, value_size = 0, output_size = 0;  // 0: query_size
  int qk_size = 0, vo_size = 0;                       // per head; 0: query_size / num_heads
  bool use_query_bias = false, use_key_bias = false, use_value_bias = false, use_output_bias = false;
  double dropout_p = 0;
  bool inference = false;
  DType dtype = float32;
};
/// softmax(q k^T / sqrt(size)) v per head. Source: equinox.nn.MultiheadAttention.
struct MultiheadAttention {
  Linear query_proj{}, key_proj{}, value_proj{}, output_proj{};
  Dropout dropout{};
  int num_heads = 1;
  static MultiheadAttention init(const AttentionOptions& options, const Array& key);
  /// query: [queries, size], key and value: [positions, size]; mask: bool[queries, positions] or one per head. ->
  /// [queries, output_size].
  Array operator()(const Array& query, const Array& key, const Array& value, const Array& mask = {},
                   const Array& dropout_key = {}, Loc loc = Loc::current()) const;
};

/// The next hidden state. Parameters are uniform in +-1/sqrt(hidden). Source: equinox.nn.GRUCell.
struct GRUCell {
  Array weight_ih{}, weight_hh{}, bias{}, bias_n{};
  static GRUCell init(Dim input_size, Dim hidden_size, const Array& key, bool use_bias = true, DType dtype = float32);
  Array operator()(const Array& input, const Array& hidden, Loc loc = Loc::current()) const;
};
/// The next (hidden, cell). Source: equinox.nn.LSTMCell.
struct LSTMCell {
  Array weight_ih{}, weight_hh{}, bias{};
  static LSTMCell init(Dim input_size, Dim hidden_size, const Array& key, bool use_bias = true, DType dtype = float32);
  std::pair<Array, Array> operator()(const Array& input, const std::pair<Array, Array>& hidden,
                                     Loc loc = Loc::current()) const;
};

/// Layers one after the other: `nn::Sequential{std::tuple{conv, nn::Lambda{nn::relu}, pool}}`. Source:
/// equinox.nn.Sequential.
template <class... Layers> struct Sequential {
  std::tuple<Layers...> layers{};
  Array operator()(const Array& x) const {
    Array out = x;
    std::apply([&](const auto&... layer) { ((out = layer(out)), ...); }, layers);
    return out;
  }
};
template <class... Layers> Sequential(std::tuple<Layers...>) -> Sequential<Layers...>;
/// The same of layers of one type, as many as there are at run time: `nn::Sequential{std::vector{first, second}}`.
template <class Layer> struct Sequential<std::vector<Layer>> {
  std::vector<Layer> layers{};
  Array operator()(const Array& x) const {
    Array out = x;
    for (const Layer& layer : layers) out = layer(out);
    return out;
  }
};
template <class Layer> Sequential(std::vector<Layer>) -> Sequential<std::vector<Layer>>;
/// A function as a layer. Source: equinox.nn.Lambda.
struct Lambda {
  Activation fn = identity;
  Array operator()(const Array& x) const { return fn(x); }
};

/// -log of the softmax at the label. logits: float[..., classes]; labels: integers[...]. Source:
/// optax.softmax_cross_entropy_with_integer_labels.
Array softmax_cross_entropy(const In& logits, const In& labels);

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
