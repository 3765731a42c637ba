#include <cmath>

#include "tutti/call_scope.hpp"
#include "tutti/lax.hpp"
#include "tutti/nn.hpp"
#include "tutti/ops.hpp"

namespace tutti::nn {
namespace {

Array floating(const Array& x) { return x.dtype().is_inexact() ? x : x.astype(float32); }

}  // namespace

// Not maximum: its derivative at a tie is 1/2.
Array relu(const In& x) {
  CallScope scope(x.loc);
  return where(x.array <= 0, 0, x.array);
}
Array sigmoid(const In& x) {
  CallScope scope(x.loc);
  return lax::logistic(floating(x.array));
}
Array silu(const In& x) {
  CallScope scope(x.loc);
  return x.array * sigmoid(x);
}
Array softplus(const In& x) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  return where(v > 0, v, 0) + log1p(exp(-abs(v)));
}
Array gelu(const In& x) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  return v * (0.5 * (1 + tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * (v * v * v)))));
}
Array identity(const In& x) { return x.array; }

Array softmax(const In& x, int axis) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  Array e = exp(v - lax::stop_gradient(max(v, axis, true)));
  return e / sum(e, axis, true);
}
Array log_softmax(const In& x, int axis) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  Array shifted = v - lax::stop_gradient(max(v, axis, true));
  return shifted - log(sum(exp(shifted), axis, true));
}
Array logsumexp(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  Array v = floating(x.array);
  Array highest = lax::stop_gradient(max(v, axes, true));
  highest = where(isfinite(highest), highest, 0);
  Array result = log(sum(exp(v - highest), axes, true)) + highest;
  return keepdims ? result : result.sum(axes);   // over extents of 1: only drops them
}
Array one_hot(const In& x, int num_classes, DType dtype) {
  CallScope scope(x.loc);
  Shape shape = x.array.shape();
  shape.push_back(num_classes);
  Array classes = lax::iota(x.array.dtype(), shape, shape.ndim() - 1);
  return (expand_dims(x.array, -1) == classes).astype(dtype);
}
Array softmax_cross_entropy(const In& logits, const In& labels) {
  CallScope scope(logits.loc);
  const Array& v = logits.array;
  if (labels.array.ndim() + 1 != v.ndim() || !labels.array.dtype().is_integer())
    throw ShapeError("softmax_cross_entropy: logits of shape " + v.shape().str() + " need integer labels of one dim less, got shape " + labels.array.shape().str() +
                     " of " + std::string(labels.array.dtype().name()) + "\n  at " + logits.loc.str());
  // The label's logit is picked by a comparison, not a gather: it fuses, and splits over any axis.
  Array classes = lax::iota(labels.array.dtype(), v.shape(), v.ndim() - 1);
  Array picked = sum(where(classes == expand_dims(labels.array, -1), v, 0), -1);
  return logsumexp(logits, -1) - picked;
}

}  // namespace tutti::nn
