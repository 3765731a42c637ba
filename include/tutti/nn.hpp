// Layers as plain structs: a module is the tree of its parameters. Formulas and key order are Equinox's and jax.nn's.
#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include "tutti/array.hpp"

namespace tutti::nn {

// --- activations, elementwise (shape and floating dtype kept; integers become float32)

/// max(x, 0), with derivative 0 at 0. Source: jax.nn.relu.
Array relu(const In& x);
/// 1 / (1 + exp(-x)), stable on both sides. Source: jax.nn.sigmoid.
Array sigmoid(const In& x);
/// x * sigmoid(x). Source: jax.nn.silu.
Array silu(const In& x);
/// log(1 + exp(x)) without overflow. Source: jax.nn.softplus.
Array softplus(const In& x);
/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). Source: jax.nn.gelu (approximate).
Array gelu(const In& x);
/// x, unchanged.
Array identity(const In& x);

// --- over one axis

/// exp(x) / sum(exp(x)) along `axis`. Source: jax.nn.softmax.
Array softmax(const In& x, int axis = -1);
/// x - log(sum(exp(x))) along `axis`. Source: jax.nn.log_softmax.
Array log_softmax(const In& x, int axis = -1);
/// log(sum(exp(x))) over `axes`, without overflow. Source: jax.nn.logsumexp.
Array logsumexp(const In& x, const Axes& axes = {}, bool keepdims = false);
/// 1 where the class is `x`, in a new last axis of extent `num_classes`. Source: jax.nn.one_hot.
Array one_hot(const In& x, int num_classes, DType dtype = float32);

/// A function of one array that is part of a layer: a function pointer or a lambda without captures.
class Activation {
 public:
  using Fn = Array (*)(const In&);
  using Plain = Array (*)(const Array&);
  Activation(Fn fn = relu) : fn_(fn) {}
  Activation(Plain fn) : plain_(fn) {}
  template <class L>
    requires(std::is_class_v<L> && std::is_empty_v<L> && std::convertible_to<L, Plain>)
  Activation(L lambda) : plain_(lambda) {}
  Array operator()(const Array& x) const { return fn_ ? fn_(x) : plain_(x); }
  std::size_t hash() const { return reinterpret_cast<std::size_t>(fn_) ^ reinterpret_cast<std::size_t>(plain_); }
  friend bool operator==(const Activation&, const Activation&) = default;

 private:
  Fn fn_ = nullptr;
  Plain plain_ = nullptr;
};

/// weight x + bias for one example; vmap it for a batch. weight: float32[out, in], bias: float32[out], both uniform in
/// +-1/sqrt(in). Source: equinox.nn.Linear.
struct Linear {
  Array weight{}, bias{};
  static Linear init(int in, int out, const Array& key, bool use_bias = true);
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};

struct MLPOptions {
  int in_size = 1, out_size = 1, width_size = 32, depth = 1;
  Activation activation = relu;
  Activation final_activation = identity;
};
/// depth hidden layers of width_size, then one Linear. Source: equinox.nn.MLP.
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
  static Embedding init(int num_embeddings, int embedding_size, const Array& key);
  /// index: integers of any shape; the result has one more dim of the embedding size.
  Array operator()(const Array& index, Loc loc = Loc::current()) const;
};

/// -log of the softmax at the label. logits: float32[..., classes]; labels: integers[...]. Source: optax.softmax_cross_entropy_with_integer_labels.
Array softmax_cross_entropy(const In& logits, const In& labels);

}  // namespace tutti::nn
