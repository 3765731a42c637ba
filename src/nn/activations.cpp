#include "tutti/nn/activations.hpp"

#include <cmath>

#include "nn/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"
#include "tutti/transform/custom_rules.hpp"

namespace tutti::nn {
namespace {

// As in arithmetic with numbers of C++: what was an integer is a weak float.
Array with_numbers(const Array& x) {
  return x.dtype().is_inexact() ? x : lax::convert_element_type(x, canonical(float64), true);
}

}  // namespace

// What these functions say of x alone or of x and numbers: one program each where nothing is recorded.
Array relu(const In& x) {
  CallScope scope(x.loc);
  // Not maximum alone: its derivative at a tie is 1/2, and 1 at NaN.
  return composite(
      "relu", [](const Array& v) { return where(v > 0, v, lax::stop_gradient(maximum(v, 0))); }, x.array);
}
Array relu6(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "relu6",
      [](const Array& in) {
        Array v = with_numbers(in);
        return where((v > 0) & (v < 6), v, lax::stop_gradient(clip(v, 0, 6)));
      },
      x.array);
}
Array sigmoid(const In& x) {
  CallScope scope(x.loc);
  return lax::logistic(floating(x.array));
}
Array log_sigmoid(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "log_sigmoid", [](const Array& v) { return -softplus(-v); }, x.array);
}
Array silu(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "silu", [](const Array& v) { return v * sigmoid(v); }, x.array);
}
Array softplus(const In& x) {
  CallScope scope(x.loc);
  return logaddexp(x.array, 0);
}
Array log1mexp(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "log1mexp",
      [](const Array& in) {
        Array v = floating(in);
        return where(v < M_LN2, log(-expm1(-v)), log1p(-exp(-v)));
      },
      x.array);
}
Array soft_sign(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "soft_sign", [](const Array& v) { return v / (abs(v) + 1); }, x.array);
}
Array gelu(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "gelu",
      [](const Array& in) {
        Array v = floating(in);
        return v * (0.5 * (1 + tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * (v * v * v)))));
      },
      x.array);
}
Array gelu_exact(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "gelu_exact",
      [](const Array& in) {
        Array v = floating(in);
        return 0.5 * v * lax::erfc(-v * std::sqrt(0.5));
      },
      x.array);
}
Array elu(const In& x, double alpha) {
  CallScope scope(x.loc);
  return composite(
      "elu",
      [](const Array& in, const Array& a) {
        Array v = with_numbers(in);
        return where(v > 0, v, a * expm1(where(v > 0, 0, v)));
      },
      x.array, alpha);
}
Array celu(const In& x, double alpha) {
  CallScope scope(x.loc);
  return composite(
      "celu",
      [](const Array& in, const Array& a) {
        Array v = with_numbers(in);
        return maximum(v, 0) + a * expm1(minimum(v, 0) / a);
      },
      x.array, alpha);
}
Array selu(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "selu", [](const Array& v) { return 1.0507009873554805 * elu(v, 1.6732632423543772); }, x.array);
}
Array leaky_relu(const In& x, double negative_slope) {
  CallScope scope(x.loc);
  return composite(
      "leaky_relu", [](const Array& v, const Array& slope) { return where(v >= 0, v, slope * v); }, x.array,
      negative_slope);
}
Array hard_tanh(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "hard_tanh", [](const Array& v) { return where(v > 1, 1, where(v < -1, -1, v)); }, x.array);
}
Array hard_sigmoid(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "hard_sigmoid", [](const Array& v) { return relu6(v + 3.) / 6.; }, x.array);
}
Array hard_silu(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "hard_silu", [](const Array& v) { return v * hard_sigmoid(v); }, x.array);
}
Array mish(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "mish", [](const Array& v) { return v * tanh(softplus(v)); }, x.array);
}
Array squareplus(const In& x, double b) {
  CallScope scope(x.loc);
  return composite(
      "squareplus", [](const Array& v, const Array& b) { return (v + sqrt(square(v) + b)) / 2; }, x.array, b);
}
Array sparse_plus(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "sparse_plus",
      [](const Array& in) {
        Array v = with_numbers(in);
        return where(v <= -1, 0, where(v >= 1, v, square(v + 1) / 4));
      },
      x.array);
}
Array sparse_sigmoid(const In& x) {
  CallScope scope(x.loc);
  return composite(
      "sparse_sigmoid", [](const Array& v) { return 0.5 * clip(v + 1., 0., 2.); }, x.array);
}
Array identity(const In& x) { return x.array; }

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
