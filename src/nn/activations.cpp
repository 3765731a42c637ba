#include "tutti/nn/activations.hpp"

#include <cmath>
#include <limits>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::nn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Array floating(const Array& x) { return x.dtype().is_inexact() ? x : x.astype(float32); }
Array without(const Array& x, const Array& mask) { return mask.has_value() ? where(mask, x, -infinity) : x; }
Array logits(const char* who, const Array& x, const Array& mask) {
  if (x.dtype().is_bool())
    raise<TypeError>(who, "x is " + type_text(x) + ", it takes numbers", "Convert with astype(float32).");
  return without(floating(x), mask);
}
// The maximum over the axes, as a constant for derivatives.
Array highest(const Array& x, const Axes& axes) { return lax::stop_gradient(max(x, axes, true)); }

}  // namespace

// Not maximum alone: its derivative at a tie is 1/2, and 1 at NaN.
Array relu(const In& x) {
  CallScope scope(x.loc);
  return where(x.array > 0, x.array, lax::stop_gradient(maximum(x.array, 0)));
}
Array relu6(const In& x) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  return where((v > 0) & (v < 6), v, lax::stop_gradient(clip(v, 0, 6)));
}
Array sigmoid(const In& x) {
  CallScope scope(x.loc);
  return lax::logistic(floating(x.array));
}
Array log_sigmoid(const In& x) {
  CallScope scope(x.loc);
  return -softplus(-x.array);
}
Array silu(const In& x) {
  CallScope scope(x.loc);
  return x.array * sigmoid(x);
}
Array softplus(const In& x) {
  CallScope scope(x.loc);
  return logaddexp(x.array, 0);
}
Array soft_sign(const In& x) {
  CallScope scope(x.loc);
  return x.array / (abs(x.array) + 1);
}
Array gelu(const In& x) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  return v * (0.5 * (1 + tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * (v * v * v)))));
}
Array gelu_exact(const In& x) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  return 0.5 * v * lax::erfc(-v * std::sqrt(0.5));
}
Array elu(const In& x, double alpha) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  return where(v > 0, v, alpha * expm1(where(v > 0, 0, v)));
}
Array celu(const In& x, double alpha) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  return maximum(v, 0) + alpha * expm1(minimum(v, 0) / alpha);
}
Array selu(const In& x) {
  CallScope scope(x.loc);
  return 1.0507009873554805 * elu(x, 1.6732632423543772);
}
Array leaky_relu(const In& x, double negative_slope) {
  CallScope scope(x.loc);
  return where(x.array >= 0, x.array, negative_slope * x.array);
}
Array hard_tanh(const In& x) {
  CallScope scope(x.loc);
  return where(x.array > 1, 1, where(x.array < -1, -1, x.array));
}
Array hard_sigmoid(const In& x) {
  CallScope scope(x.loc);
  return relu6(x.array + 3.) / 6.;
}
Array hard_silu(const In& x) {
  CallScope scope(x.loc);
  return x.array * hard_sigmoid(x);
}
Array mish(const In& x) {
  CallScope scope(x.loc);
  return x.array * tanh(softplus(x));
}
Array squareplus(const In& x, double b) {
  CallScope scope(x.loc);
  return (x.array + sqrt(square(x.array) + b)) / 2;
}
Array sparse_plus(const In& x) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  return where(v <= -1, 0, where(v >= 1, v, square(v + 1) / 4));
}
Array sparse_sigmoid(const In& x) {
  CallScope scope(x.loc);
  return 0.5 * clip(x.array + 1., 0., 2.);
}
Array identity(const In& x) { return x.array; }

Array softmax(const In& x, const Axes& axes, const Array& mask) {
  CallScope scope(x.loc);
  Array v = logits("softmax", x.array, mask);
  Array e = exp(v - highest(v, axes));
  Array y = e / sum(e, axes, true);
  return mask.has_value() ? where(mask, y, 0) : y;
}
Array log_softmax(const In& x, const Axes& axes, const Array& mask) {
  CallScope scope(x.loc);
  Array v = logits("log_softmax", x.array, mask);
  Array shifted = v - highest(v, axes);
  Array y = shifted - log(sum(exp(shifted), axes, true));
  return mask.has_value() ? where(mask, y, -infinity) : y;
}
Array logsumexp(const In& x, const Axes& axes, bool keepdims, const Array& b) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  if (b.has_value()) v = where(b != 0, v, -infinity);
  Array most = highest(v, axes);
  most = where(isfinite(most), most, 0);
  Array e = exp(v - most);
  Array result = log(sum(b.has_value() ? b * e : e, axes, true)) + most;
  return keepdims ? result : result.sum(axes);  // over extents of 1: only drops them
}
Array standardize(const In& x, const Axes& axes, double epsilon) {
  CallScope scope(x.loc);
  Array v = floating(x.array), m = mean(v, axes, true);
  Array variance = clip(mean(square(v), axes, true) - square(m), 0, none);
  return (v - m) * lax::rsqrt(variance + epsilon);
}
Array glu(const In& x, int axis) {
  CallScope scope(x.loc);
  if (int ndim = x.array.ndim(); axis < -ndim || axis >= ndim || x.array.shape(axis) % 2) {
    std::string what = "axis " + std::to_string(axis) + " of " + type_text(x.array);
    if (axis < -ndim || axis >= ndim)
      raise<IndexError>("glu", what + " does not exist", "Choose one of the " + std::to_string(ndim) + " axes of x.");
    raise<ShapeError>("glu", what + " is odd", "The extent has to be even: the second half gates the first.");
  }
  std::vector<Array> halves = split(x.array, 2, axis);
  return halves[0] * sigmoid(halves[1]);
}
Array one_hot(const In& x, int num_classes, DType dtype, int axis) {
  CallScope scope(x.loc);
  if (num_classes < 0)
    raise<ValueError>("one_hot", std::to_string(num_classes) + " classes for labels " + type_text(x.array),
                      "Give 0 classes or more.");
  Array labels = expand_dims(x.array, axis);
  int at = axis < 0 ? axis + labels.ndim() : axis;
  Shape shape = labels.shape();
  shape[static_cast<std::size_t>(at)] = num_classes;
  return (labels == lax::iota(labels.dtype(), shape, at)).astype(dtype);
}

}  // namespace tutti::nn
