#include "tutti/optim/losses.hpp"

#include <limits>
#include <numbers>

#include "optim/stages.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/nn/nn.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::optim {
namespace {

const Array& floating(const char* who, const char* what, const Array& x) {
  if (!x.dtype().is_floating())
    raise<TypeError>(who, std::string(what) + " must be floating, got " + type_text(x),
                     "Convert them: x.astype(float32).");
  return x;
}
Array errors(const char* who, const Array& predictions, const Array& targets) {
  floating(who, "predictions", predictions);
  return targets.has_value() ? predictions - targets : predictions;
}
// Negative labels count from the end; NaN where no class has the label.
Array at_label(const Array& x, const Array& labels, int axis) {
  // By a comparison, not a gather: it fuses, and splits over any axis.
  const Array given = labels.dtype().size() < 4 ? labels.astype(int32) : labels;
  const bool is_signed = given.dtype().is_signed();
  const Array y = is_signed ? where(given < 0, given + x.shape(axis), given) : given;
  const Array known = is_signed ? (y >= 0) & (y < x.shape(axis)) : y < x.shape(axis);
  const Array classes = lax::iota(y.dtype(), x.shape(), axis);
  const Array found = sum(where(classes == expand_dims(y, axis), x, zeros_like(x)), axis);
  return found + where(known, 0, std::numeric_limits<double>::quiet_NaN());  // it has no part in the derivative
}
int axis_of(const char* who, int axis, const Array& x) {
  int ndim = x.ndim();
  if (axis < -ndim || axis >= ndim)
    raise<IndexError>(
        who, "axis " + std::to_string(axis) + " is out of range for " + type_text(x),
        ndim ? "Axes are " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1) + "." : "A scalar has no axes.");
  return axis < 0 ? axis + ndim : axis;
}

}  // namespace

Array squared_error(const In& p, const Array& t) {
  CallScope scope(p.loc);
  if (t.has_value() && t.shape() != p.array.shape())
    raise<ShapeError>("squared_error",
                      "predictions have shape " + p.array.shape().str() + ", targets " + t.shape().str(),
                      "Reshape one of them: a loss does not broadcast.");
  return square(errors("squared_error", p.array, t));
}
Array l2_loss(const In& p, const Array& t) {
  CallScope scope(p.loc);
  return 0.5 * squared_error(p, t);
}
Array huber_loss(const In& p, const Array& t, double delta) {
  CallScope scope(p.loc);
  return composite(
      "huber_loss",
      [](const Array& p, const Array& t, const Array& delta) {
        Array size = abs(errors("huber_loss", p, t)), quadratic = minimum(size, delta);
        return 0.5 * square(quadratic) + delta * (size - quadratic);
      },
      p.array, t, delta);
}
Array log_cosh(const In& p, const Array& t) {
  CallScope scope(p.loc);
  return composite(
      "log_cosh",
      [](const Array& p, const Array& t) {
        Array e = errors("log_cosh", p, t);
        return logaddexp(e, -e) - std::numbers::ln2;
      },
      p.array, t);
}
Array cosine_similarity(const In& a, const In& b, double epsilon, int axis) {
  CallScope scope(a.loc);
  return composite(
      "cosine_similarity",
      [](const Array& a, const Array& b, const Array& epsilon, int axis) {
        auto unit = [&](const Array& x) {
          return x / sqrt(tutti::clip(sum(square(floating("cosine_similarity", "arguments", x)), axis, true), epsilon,
                                      none));
        };
        return sum(unit(a) * unit(b), axis);
      },
      a.array, b.array, epsilon, axis);
}
Array cosine_distance(const In& a, const In& b, double epsilon, int axis) {
  CallScope scope(a.loc);
  return 1 - cosine_similarity(a, b, epsilon, axis);
}

Array sigmoid_binary_cross_entropy(const In& logits, const Array& labels) {
  CallScope scope(logits.loc);
  return composite(
      "sigmoid_binary_cross_entropy",
      [](const Array& logits, const Array& labels) {
        const Array& x = floating("sigmoid_binary_cross_entropy", "logits", logits);
        Array y = labels.astype(x.dtype());
        return -y * nn::log_sigmoid(x) - (1 - y) * nn::log_sigmoid(-x);
      },
      logits.array, labels);
}
Array sigmoid_focal_loss(const In& logits, const Array& labels, std::optional<double> alpha, double gamma) {
  CallScope scope(logits.loc);
  return composite(
      "sigmoid_focal_loss",
      [](const Array& logits, const Array& labels, std::optional<double> alpha, double gamma) {
        const Array& x = logits;
        Array y = labels.astype(x.dtype()), entropy = sigmoid_binary_cross_entropy(logits, labels);
        // log(1 - p_t) = log((1 - y) p + y (1 - p)), from the larger of the terms that count.
        const Array p = nn::log_sigmoid(x), q = nn::log_sigmoid(-x), none_of_q = y == 0;
        const Array from_q = ((q > p) & logical_not(none_of_q)) | (y == 1);
        const Array large = where(from_q, q, p), small = where(from_q, p, q);
        const Array a = where(from_q, y, 1 - y), b = where(from_q, 1 - y, y);
        const Array wrong = log(a + b * exp(minimum(small - large, 0))) + large;
        Array loss = entropy * exp(gamma * wrong);
        return alpha ? (*alpha * y + (1 - *alpha) * (1 - y)) * loss : loss;
      },
      logits.array, labels, alpha, gamma);
}
Array softmax_cross_entropy(const In& logits, const Array& labels, int axis) {
  CallScope scope(logits.loc);
  return composite(
      "softmax_cross_entropy",
      [](const Array& logits, const Array& labels, int axis) {
        return -sum(labels * nn::log_softmax(floating("softmax_cross_entropy", "logits", logits), axis), axis);
      },
      logits.array, labels, axis);
}
Array softmax_cross_entropy_with_integer_labels(const In& logits, const In& labels, int axis) {
  CallScope scope(logits.loc);
  return composite(
      "softmax_cross_entropy_with_integer_labels",
      [](const Array& logits, const Array& labels, int axis) {
        const char* who = "softmax_cross_entropy_with_integer_labels";
        const Array &x = floating(who, "logits", logits), &y = labels;
        if (!y.dtype().is_integer())
          raise<TypeError>(who, "the labels are " + type_text(y),
                           "Labels are integers; softmax_cross_entropy takes probabilities.");
        if (y.ndim() + 1 != x.ndim())
          raise<ShapeError>(
              who, "logits of shape " + x.shape().str() + " need labels of one dim less, got shape " + y.shape().str(),
              "Leave out the dim of the classes: labels are class numbers.");
        axis = axis_of(who, axis, x);
        Shape rows = x.shape();
        rows.erase(axis);
        bool fits = true;
        for (int d = 0; d < rows.ndim(); ++d) fits = fits && (rows[d] == y.shape(d) || rows[d] == 1 || y.shape(d) == 1);
        if (!fits)
          raise<ShapeError>(who, "the logits are " + type_text(x) + ", the labels " + type_text(y),
                            "Labels have the shape of the logits without axis " + std::to_string(axis) + ", here " +
                                rows.str() + ".");
        return nn::logsumexp(x, axis) - at_label(x, y, axis);
      },
      logits.array, labels.array, axis);
}
Array poly_loss_cross_entropy(const In& logits, const Array& labels, double epsilon, int axis) {
  CallScope scope(logits.loc);
  return composite(
      "poly_loss_cross_entropy",
      [](const Array& logits, const Array& labels, const Array& epsilon, int axis) {
        Array missed = sum(labels * (1 - nn::softmax(logits, axis)), axis);
        return softmax_cross_entropy(logits, labels, axis) + epsilon * missed;
      },
      logits.array, labels, epsilon, axis);
}
Array hinge_loss(const In& p, const Array& t) {
  CallScope scope(p.loc);
  return composite(
      "hinge_loss", [](const Array& p, const Array& t) { return maximum(0, 1 - p * t); }, p.array, t);
}
Array perceptron_loss(const In& p, const Array& t) {
  CallScope scope(p.loc);
  return composite(
      "perceptron_loss", [](const Array& p, const Array& t) { return maximum(0, -p * t); }, p.array, t);
}
Array multiclass_hinge_loss(const In& scores, const In& labels) {
  CallScope scope(scores.loc);
  return composite(
      "multiclass_hinge_loss",
      [](const Array& scores, const Array& labels) {
        const Array& x = scores;
        Array right = nn::one_hot(labels, x.shape(-1));
        return max(x + 1. - right, -1) - sum(x * right, -1);
      },
      scores.array, labels.array);
}
Array multiclass_perceptron_loss(const In& scores, const In& labels) {
  CallScope scope(scores.loc);
  return composite(
      "multiclass_perceptron_loss",
      [](const Array& scores, const Array& labels) {
        const Array& x = scores;
        return max(x, -1) - sum(x * nn::one_hot(labels, x.shape(-1)), -1);
      },
      scores.array, labels.array);
}
Array kl_divergence(const In& log_predictions, const Array& t, int axis) {
  CallScope scope(log_predictions.loc);
  return composite(
      "kl_divergence",
      [](const Array& log_predictions, const Array& t, int axis) {
        floating("kl_divergence", "log_predictions", log_predictions);
        floating("kl_divergence", "targets", t);
        return sum(xlogy(t, t) - t * log_predictions, axis);
      },
      log_predictions.array, t, axis);
}
Array kl_divergence_with_log_targets(const In& log_predictions, const Array& log_targets, int axis) {
  CallScope scope(log_predictions.loc);
  return composite(
      "kl_divergence_with_log_targets",
      [](const Array& log_predictions, const Array& log_targets, int axis) {
        return sum(exp(log_targets) *
                       (log_targets - floating("kl_divergence_with_log_targets", "log_predictions", log_predictions)),
                   axis);
      },
      log_predictions.array, log_targets, axis);
}
Array smooth_labels(const In& labels, double alpha, int axis) {
  CallScope scope(labels.loc);
  return composite(
      "smooth_labels",
      [](const Array& labels, double alpha, int axis) {
        const Array& x = floating("smooth_labels", "labels", labels);
        return (1 - alpha) * x + alpha / static_cast<double>(x.shape(axis));
      },
      labels.array, alpha, axis);
}
Array safe_norm(const In& x, double min_norm) {
  CallScope scope(x.loc);
  return composite(
      "safe_norm", [](const Array& x, double min_norm) { return norm_at_least(x, min_norm); }, x.array, min_norm);
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
