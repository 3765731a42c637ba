// Softmax and its kin: functions of all elements along axes.
#include <cmath>
#include <limits>

#include "nn/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/nn/activations.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"
#include "tutti/transform/custom_rules.hpp"

namespace tutti::nn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Array without(const Array& x, const Array& mask) { return mask.has_value() ? where(mask, x, -infinity) : x; }
Array zero_unless(const Array& mask, const Array& x) { return mask.has_value() ? where(mask, x, 0) : x; }
void check_numbers(const char* who, const Array& x) {
  if (x.dtype().is_bool())
    raise<TypeError>(who, "x is " + type_text(x) + ", it takes numbers", "Convert with astype(float32).");
}
// The maximum over the axes, as a constant for derivatives; of nothing -inf.
Array highest(const Array& x, const Axes& axes) {
  if (x.size() == 0) return max_with(x, {.axes = axes, .keepdims = true, .initial = -infinity});
  return lax::stop_gradient(max(x, axes, true));
}

using Dims = std::vector<std::int64_t>;
// Axes as a value that programs are told apart by.
Dims dims_of(const Axes& axes, const Array& x) {
  std::vector<int> list = axes.resolve(x.ndim());
  return Dims(list.begin(), list.end());
}

}  // namespace

Array softmax(const In& x, const Axes& axes, const Array& mask) {
  CallScope scope(x.loc);
  check_numbers("softmax", x.array);
  return composite(
      "softmax",
      [](const Array& x, const Dims& axes, const Array& mask) {
        auto weights = [axes](const Array& in, const Array& mask) {
          Array v = without(in, mask), e = exp(v - highest(v, axes));
          return zero_unless(mask, e / sum(e, axes, true));
        };
        // Of the result alone: what it is made of need not be kept for reverse mode. Source: jax.nn.softmax.
        auto rule = [axes, weights](const std::tuple<Array, Array>& in, const std::tuple<Array, Array>& tangents) {
          const auto& [v, mask] = in;
          Array y = weights(v, mask), dv = std::get<0>(tangents);
          return std::pair{y, zero_unless(mask, y * (dv - sum(zero_unless(mask, y * dv), axes, true)))};
        };
        return custom_jvp(weights, rule)(floating(x), mask);
      },
      x.array, dims_of(axes, x.array), mask);
}
Array log_softmax(const In& x, const Axes& axes, const Array& mask) {
  CallScope scope(x.loc);
  check_numbers("log_softmax", x.array);
  return composite(
      "log_softmax",
      [](const Array& x, const Dims& axes, const Array& mask) {
        Array v = without(floating(x), mask);
        Array shifted = v - highest(v, axes);
        Array y = shifted - log(sum(exp(shifted), axes, true));
        return mask.has_value() ? where(mask, y, -infinity) : y;
      },
      x.array, dims_of(axes, x.array), mask);
}
namespace {
// sum(b exp(x - most)) over the axes, which stay as extents of 1, and the maximum that was taken out.
std::pair<Array, Array> scaled_sum(const Array& in, const Axes& axes, const Array& b, const Array& mask) {
  Array v = without(floating(in), mask);
  if (b.has_value()) v = where(b != 0, v, -infinity);
  Array most = highest(real(v), axes);
  most = where(isfinite(most), most, 0);
  const Array e = exp(v - most);
  return {sum(b.has_value() ? b * e : e, axes, true), most};
}
Array reduced(const Array& x, const Axes& axes, bool keepdims) { return keepdims ? x : squeeze(x, axes); }
}  // namespace

Array logsumexp(const In& x, const Axes& axes, bool keepdims, const Array& b, const Array& mask) {
  CallScope scope(x.loc);
  return composite(
      "logsumexp",
      [](const Array& in, const Dims& axes, bool keepdims, const Array& b, const Array& mask) {
        const auto [total, most] = scaled_sum(in, axes, b, mask);
        if (!b.has_value() || total.dtype().is_complex()) return reduced(log(total) + most, axes, keepdims);
        // A negative sum has no logarithm: NaN, with derivative 0, as in JAX.
        return reduced(where(total < 0, NAN, log(abs(total)) + most), axes, keepdims);
      },
      x.array, dims_of(axes, x.array), keepdims, b, mask);
}
SignedLog logsumexp_with_sign(const In& x, const Axes& axes, bool keepdims, const Array& b, const Array& mask) {
  CallScope scope(x.loc);
  const auto [total, most] = scaled_sum(x.array, axes, b, mask);
  return {reduced(log(abs(total)) + most, axes, keepdims), reduced(sign(total), axes, keepdims)};
}
Array logmeanexp(const In& x, const Axes& axes, bool keepdims, const Array& where) {
  CallScope scope(x.loc);
  const Array total = logsumexp(x, axes, keepdims, {}, where);
  // Every element counts 1, or where the mask holds.
  const Array there = where.has_value() ? broadcast_to(where, x.array.shape()) : ones_like(x.array, bool_);
  return total - log(sum(there, axes, keepdims).astype(total.dtype()));
}
Array standardize(const In& x, const Axes& axes, double epsilon) {
  return standardize(x, {.axes = axes, .epsilon = epsilon});
}
Array standardize(const In& x, const StandardizeOptions& o) {
  CallScope scope(x.loc);
  return composite(
      "standardize",
      [](const Array& in, const Dims& axes, const Array& epsilon, const Array& mean, const Array& variance,
         const Array& mask, bool stable) {
        const Array v = floating(in);
        auto mean_of = [&](const Array& y) { return mean_with(y, {.axes = axes, .keepdims = true, .where = mask}); };
        const Array m = mean.has_value() ? mean : mean_of(v);
        const Array spread = variance.has_value() ? variance
                             : stable             ? mean_of(square(v - m))
                                                  : clip(mean_of(square(v)) - square(m), 0, none);
        return (v - m) * lax::rsqrt(spread + epsilon);
      },
      x.array, dims_of(o.axes, x.array), o.epsilon, o.mean, o.variance, o.where, o.stable);
}
Array glu(const In& x, int axis) {
  CallScope scope(x.loc);
  if (int ndim = x.array.ndim(); axis < -ndim || axis >= ndim || x.array.shape(axis) % 2) {
    std::string what = "axis " + std::to_string(axis) + " of " + type_text(x.array);
    if (axis < -ndim || axis >= ndim)
      raise<IndexError>("glu", what + " does not exist", "Choose one of the " + std::to_string(ndim) + " axes of x.");
    raise<ShapeError>("glu", what + " is odd", "The extent has to be even: the second half gates the first.");
  }
  return composite(
      "glu",
      [](const Array& v, int axis) {
        std::vector<Array> halves = split(v, 2, axis);
        return halves[0] * sigmoid(halves[1]);
      },
      x.array, axis);
}
Array one_hot(const In& x, Dim num_classes, DType dtype, int axis) {
  CallScope scope(x.loc);
  if (num_classes < 0)
    raise<ValueError>("one_hot", std::to_string(num_classes) + " classes for labels " + type_text(x.array),
                      "Give 0 classes or more.");
  return composite(
      "one_hot",
      [](const Array& x, Dim num_classes, DType dtype, int axis) {
        Array labels = expand_dims(x, axis);
        int at = axis < 0 ? axis + labels.ndim() : axis;
        Shape shape = labels.shape();
        shape[static_cast<std::size_t>(at)] = num_classes;
        return (labels == lax::iota(int32, shape, at)).astype(dtype);
      },
      x.array, num_classes, dtype, axis);
}

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
