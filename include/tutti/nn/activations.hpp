// Activations and the functions over an axis that go with them: namespace nn. Source: jax.nn.
#pragma once

#include <concepts>
#include <type_traits>

#include "tutti/array/array.hpp"

namespace tutti::nn {

// --- elementwise: shape and floating dtype are kept, integers become float32 (relu and its kin keep them)

/// max(x, 0), with derivative 0 at 0.
Array relu(const In& x);
/// min(max(x, 0), 6), with derivative 0 at 0 and 6.
Array relu6(const In& x);
/// 1 / (1 + exp(-x)), stable on both sides.
Array sigmoid(const In& x);
/// log(sigmoid(x)).
Array log_sigmoid(const In& x);
/// x * sigmoid(x).
Array silu(const In& x);
inline Array swish(const In& x) { return silu(x); }
/// log(1 + exp(x)) without overflow.
Array softplus(const In& x);
/// log(1 - exp(-x)), accurate near 0 and far from it; NaN below 0.
Array log1mexp(const In& x);
/// x / (1 + |x|).
Array soft_sign(const In& x);
/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
Array gelu(const In& x);
/// 0.5 x erfc(-x / sqrt(2)): gelu with approximate = false.
Array gelu_exact(const In& x);
/// x above 0, else alpha (exp(x) - 1).
Array elu(const In& x, double alpha = 1);
/// max(x, 0) + alpha (exp(min(x, 0) / alpha) - 1).
Array celu(const In& x, double alpha = 1);
/// elu, scaled so that mean 0 and variance 1 stay.
Array selu(const In& x);
/// x from 0 on, else negative_slope x.
Array leaky_relu(const In& x, double negative_slope = 0.01);
/// x between -1 and 1.
Array hard_tanh(const In& x);
/// relu6(x + 3) / 6.
Array hard_sigmoid(const In& x);
/// x hard_sigmoid(x).
Array hard_silu(const In& x);
inline Array hard_swish(const In& x) { return hard_silu(x); }
/// x tanh(softplus(x)).
Array mish(const In& x);
/// (x + sqrt(x^2 + b)) / 2.
Array squareplus(const In& x, double b = 4);
/// 0 below -1, x above 1, (x + 1)^2 / 4 in between; and its derivative.
Array sparse_plus(const In& x);
Array sparse_sigmoid(const In& x);
/// x, unchanged.
Array identity(const In& x);

// --- over axes

/// exp(x) / sum(exp(x)) along the axes; `where` (bool, broadcasts) leaves elements out, which become 0.
Array softmax(const In& x, const Axes& axes = -1, const Array& where = {});
/// x - log(sum(exp(x))) along the axes.
Array log_softmax(const In& x, const Axes& axes = -1, const Array& where = {});
/// log(sum(b exp(x))) without overflow; without b it counts as 1; `where` (bool, broadcasts) leaves elements out. NaN
/// with derivative 0 where the sum is negative.
Array logsumexp(const In& x, const Axes& axes = {}, bool keepdims = false, const Array& b = {},
                const Array& where = {});
struct SignedLog {
  Array log, sign;  // of the sum: the logarithm of its magnitude, and -1, 0 or 1
};
/// Source: jax.nn.logsumexp with return_sign.
SignedLog logsumexp_with_sign(const In& x, const Axes& axes = {}, bool keepdims = false, const Array& b = {},
                              const Array& where = {});
/// log(mean(exp(x))) without overflow; `where` (bool, broadcasts) leaves elements out.
Array logmeanexp(const In& x, const Axes& axes = {}, bool keepdims = false, const Array& where = {});
/// (x - mean) / sqrt(variance + epsilon) along the axes.
Array standardize(const In& x, const Axes& axes = -1, double epsilon = 1e-5);
struct StandardizeOptions {
  Axes axes = -1;
  Array mean = {}, variance = {};  // as keepdims would give them; unless given those of x
  double epsilon = 1e-5;
  Array where = {};     // bool, broadcasts: elements that count in mean and variance
  bool stable = false;  // the variance by deviations instead of mean(x^2) - mean(x)^2
};
Array standardize(const In& x, const StandardizeOptions& options);
/// The first half along `axis` times the sigmoid of the second. Throws ShapeError when the extent is odd.
Array glu(const In& x, int axis = -1);
/// 1 where the class is `x`, in a new axis of extent `num_classes` at position `axis` of the result.
Array one_hot(const In& x, Dim num_classes, DType dtype = float64, int axis = -1);

/// A function of one array that is part of a layer: a function pointer or a lambda without captures.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Activation {
 public:
  using Fn = Array (*)(const In&);
  using Plain = Array (*)(const Array&);
  Activation(Fn fn = relu) : fn_(fn) {}
  Activation(Plain fn) : plain_(fn) {}
  template <class L>
  requires(std::is_class_v<L>&& std::is_empty_v<L>&& std::is_invocable_r_v<Array, const L&, const Array&>&&
               std::convertible_to<L, Plain>) Activation(L lambda)
      : plain_(lambda) {}
  Array operator()(const Array& x) const { return fn_ ? fn_(x) : plain_(x); }
  std::size_t hash() const { return reinterpret_cast<std::size_t>(fn_) ^ reinterpret_cast<std::size_t>(plain_); }
  friend bool operator==(const Activation&, const Activation&) = default;

 private:
  Fn fn_ = nullptr;
  Plain plain_ = nullptr;
};

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
