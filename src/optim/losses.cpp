#include "tutti/optim/losses.hpp"

#include <numbers>

#include "optim/stages.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/nn/nn.hpp"

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
Array at_label(const Array& x, const Array& labels, int axis) {
  // By a comparison, not a gather: it fuses, and splits over any axis.
  Array classes = lax::iota(labels.dtype(), x.shape(), axis);
  return sum(where(classes == expand_dims(labels, axis), x, zeros_like(x)), axis);
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
  Array size = abs(errors("huber_loss", p.array, t)), quadratic = minimum(size, delta);
  return 0.5 * square(quadratic) + delta * (size - quadratic);
}
Array log_cosh(const In& p, const Array& t) {
  CallScope scope(p.loc);
  Array e = errors("log_cosh", p.array, t);
  return logaddexp(e, -e) - std::numbers::ln2;
}
Array cosine_similarity(const In& a, const In& b, double epsilon, int axis) {
  CallScope scope(a.loc);
  auto unit = [&](const Array& x) {
    return x / sqrt(tutti::clip(sum(square(floating("cosine_similarity", "arguments", x)), axis, true), epsilon, none));
  };
  return sum(unit(a.array) * unit(b.array), axis);
}
Array cosine_distance(const In& a, const In& b, double epsilon, int axis) {
  CallScope scope(a.loc);
  return 1 - cosine_similarity(a, b, epsilon, axis);
}

Array sigmoid_binary_cross_entropy(const In& logits, const Array& labels) {
  CallScope scope(logits.loc);
  const Array& x = floating("sigmoid_binary_cross_entropy", "logits", logits.array);
  Array y = labels.astype(x.dtype());
  return -y * nn::log_sigmoid(x) - (1 - y) * nn::log_sigmoid(-x);
}
Array sigmoid_focal_loss(const In& logits, const Array& labels, std::optional<double> alpha, double gamma) {
  CallScope scope(logits.loc);
  const Array& x = logits.array;
  Array y = labels.astype(x.dtype()), entropy = sigmoid_binary_cross_entropy(logits, labels);
  // log(1 - p_t) = log((1 - y) p + y (1 - p)).
  Array log_p = nn::log_sigmoid(x), log_q = nn::log_sigmoid(-x), most = maximum(log_p, log_q);
  Array wrong = log((1 - y) * exp(log_p - most) + y * exp(log_q - most)) + most;
  Array loss = entropy * exp(gamma * wrong);
  return alpha ? (*alpha * y + (1 - *alpha) * (1 - y)) * loss : loss;
}
Array softmax_cross_entropy(const In& logits, const Array& labels, int axis) {
  CallScope scope(logits.loc);
  return -sum(labels * nn::log_softmax(floating("softmax_cross_entropy", "logits", logits.array), axis), axis);
}
Array softmax_cross_entropy_with_integer_labels(const In& logits, const In& labels, int axis) {
  CallScope scope(logits.loc);
  const char* who = "softmax_cross_entropy_with_integer_labels";
  const Array &x = floating(who, "logits", logits.array), &y = labels.array;
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
    raise<ShapeError>(
        who, "the logits are " + type_text(x) + ", the labels " + type_text(y),
        "Labels have the shape of the logits without axis " + std::to_string(axis) + ", here " + rows.str() + ".");
  return nn::logsumexp(x, axis) - at_label(x, y, axis);
}
Array poly_loss_cross_entropy(const In& logits, const Array& labels, double epsilon, int axis) {
  CallScope scope(logits.loc);
  Array missed = sum(labels * (1 - nn::softmax(logits, axis)), axis);
  return softmax_cross_entropy(logits, labels, axis) + epsilon * missed;
}
Array hinge_loss(const In& p, const Array& t) {
  CallScope scope(p.loc);
  return maximum(0, 1 - p.array * t);
}
Array perceptron_loss(const In& p, const Array& t) {
  CallScope scope(p.loc);
  return maximum(0, -p.array * t);
}
Array multiclass_hinge_loss(const In& scores, const In& labels) {
  CallScope scope(scores.loc);
  const Array& x = scores.array;
  Array right = nn::one_hot(labels, static_cast<int>(x.shape(-1)));
  return max(x + 1. - right, -1) - sum(x * right, -1);
}
Array multiclass_perceptron_loss(const In& scores, const In& labels) {
  CallScope scope(scores.loc);
  const Array& x = scores.array;
  return max(x, -1) - sum(x * nn::one_hot(labels, static_cast<int>(x.shape(-1))), -1);
}
Array kl_divergence(const In& log_predictions, const Array& t, int axis) {
  CallScope scope(log_predictions.loc);
  floating("kl_divergence", "log_predictions", log_predictions.array);
  floating("kl_divergence", "targets", t);
  return sum(t * (where(t == 0, 0, log(t)) - log_predictions.array), axis);
}
Array kl_divergence_with_log_targets(const In& log_predictions, const Array& log_targets, int axis) {
  CallScope scope(log_predictions.loc);
  return sum(exp(log_targets) *
                 (log_targets - floating("kl_divergence_with_log_targets", "log_predictions", log_predictions.array)),
             axis);
}
Array smooth_labels(const In& labels, double alpha, int axis) {
  CallScope scope(labels.loc);
  const Array& x = floating("smooth_labels", "labels", labels.array);
  return (1 - alpha) * x + alpha / static_cast<double>(x.shape(axis));
}
Array safe_norm(const In& x, double min_norm) {
  CallScope scope(x.loc);
  return norm_at_least(x.array, min_norm);
}

}  // namespace tutti::optim
