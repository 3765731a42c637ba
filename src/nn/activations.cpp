#include "tutti/nn/activations.hpp"

#include <cmath>
#include <limits>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"
#include "tutti/transform/custom_rules.hpp"

namespace tutti::nn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Integers and bools as floats: those of 64 bits as float64.
Array floating(const Array& x) {
  return x.dtype().is_inexact() ? x : x.astype(x64_enabled() && x.dtype().size() == 8 ? float64 : float32);
}
// As in arithmetic with numbers of C++: what was an integer is a weak float.
Array with_numbers(const Array& x) {
  return x.dtype().is_inexact() ? x : lax::convert_element_type(x, canonical(float64), true);
}
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
Array logsumexp(const In& x, const Axes& axes, bool keepdims, const Array& b) {
  CallScope scope(x.loc);
  return composite(
      "logsumexp",
      [](const Array& in, const Dims& axes, bool keepdims, const Array& b) {
        Array v = floating(in);
        if (b.has_value()) v = where(b != 0, v, -infinity);
        Array most = highest(v, axes);
        most = where(isfinite(most), most, 0);
        Array e = exp(v - most);
        Array result = log(sum(b.has_value() ? b * e : e, axes, true)) + most;
        return keepdims ? result : result.sum(axes);  // over extents of 1: only drops them
      },
      x.array, dims_of(axes, x.array), keepdims, b);
}
Array logmeanexp(const In& x, const Axes& axes, bool keepdims, const Array& where) {
  CallScope scope(x.loc);
  const Array total = logsumexp(x, axes, keepdims, where);
  // Every element counts 1, or where the mask holds.
  const Array there = where.has_value() ? broadcast_to(where, x.array.shape()) : ones_like(x.array, bool_);
  return total - log(sum(there, axes, keepdims).astype(total.dtype()));
}
Array standardize(const In& x, const Axes& axes, double epsilon) {
  CallScope scope(x.loc);
  return composite(
      "standardize",
      [](const Array& in, const Dims& axes, const Array& epsilon) {
        Array v = floating(in), m = mean(v, axes, true);
        Array variance = clip(mean(square(v), axes, true) - square(m), 0, none);
        return (v - m) * lax::rsqrt(variance + epsilon);
      },
      x.array, dims_of(axes, x.array), epsilon);
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
Array one_hot(const In& x, int num_classes, DType dtype, int axis) {
  CallScope scope(x.loc);
  if (num_classes < 0)
    raise<ValueError>("one_hot", std::to_string(num_classes) + " classes for labels " + type_text(x.array),
                      "Give 0 classes or more.");
  return composite(
      "one_hot",
      [](const Array& x, int num_classes, DType dtype, int axis) {
        Array labels = expand_dims(x, axis);
        int at = axis < 0 ? axis + labels.ndim() : axis;
        Shape shape = labels.shape();
        shape[static_cast<std::size_t>(at)] = num_classes;
        return (labels == lax::iota(int32, shape, at)).astype(dtype);
      },
      x.array, num_classes, dtype, axis);
}

}  // namespace tutti::nn
