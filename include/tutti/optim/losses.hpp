// Losses, elementwise or over one axis; none takes the mean. Floating arguments. Source: optax.
#pragma once

#include <optional>

#include "tutti/array/array.hpp"

namespace tutti::optim {

/// (predictions - targets)^2.
Array squared_error(const In& predictions, const Array& targets = {});
/// Half of it.
Array l2_loss(const In& predictions, const Array& targets = {});
/// l2_loss up to an error of delta, beyond that linear.
Array huber_loss(const In& predictions, const Array& targets = {}, double delta = 1);
/// log(cosh(error)).
Array log_cosh(const In& predictions, const Array& targets = {});
/// The cosine of the angle between two vectors along `axis`; squared norms below epsilon count as epsilon.
Array cosine_similarity(const In& predictions, const In& targets, double epsilon = 0, int axis = -1);
Array cosine_distance(const In& predictions, const In& targets, double epsilon = 0, int axis = -1);

/// For independent classes: -labels log(p) - (1 - labels) log(1 - p) with p = sigmoid(logits).
Array sigmoid_binary_cross_entropy(const In& logits, const Array& labels);
/// The same, examples that are already right weighted down by (1 - p)^gamma.
Array sigmoid_focal_loss(const In& logits, const Array& labels, std::optional<double> alpha = {}, double gamma = 2);
/// -sum(labels log_softmax(logits)) along `axis`.
Array softmax_cross_entropy(const In& logits, const Array& labels, int axis = -1);
/// -log_softmax(logits) at the label: logits float[..., classes, ...], integer labels without the dim `axis`. A label
/// of -1 is the last class, as in JAX, and one that no class has gives NaN. Throws ShapeError and TypeError.
Array softmax_cross_entropy_with_integer_labels(const In& logits, const In& labels, int axis = -1);
Array poly_loss_cross_entropy(const In& logits, const Array& labels, double epsilon = 2, int axis = -1);
/// max(0, 1 - predictor_outputs * targets), targets -1 or 1.
Array hinge_loss(const In& predictor_outputs, const Array& targets);
Array perceptron_loss(const In& predictor_outputs, const Array& targets);
Array multiclass_hinge_loss(const In& scores, const In& labels);
Array multiclass_perceptron_loss(const In& scores, const In& labels);
/// sum(targets (log(targets) - log_predictions)) along `axis`; a target of 0 adds nothing.
Array kl_divergence(const In& log_predictions, const Array& targets, int axis = -1);
Array kl_divergence_with_log_targets(const In& log_predictions, const Array& log_targets, int axis = -1);
/// Connectionist temporal classification: minus the logarithm of the probability that frames, with blanks and
/// repetitions taken out, read as the labels. logits: float[batch, frames, classes]; labels: integers [batch, labels],
/// without blanks; paddings: 0 where a frame or label counts, 1 where it does not, of shapes [batch, frames] and
/// [batch, labels], labels padded at the right. -> float[batch], never below 0. `log_epsilon` stands for log 0: what
/// cannot be read from the frames costs about as much, and an alignment must cost less. Throws ShapeError, TypeError,
/// and IndexError for a blank that is no class.
Array ctc_loss(const In& logits, const Array& logit_paddings, const Array& labels, const Array& label_paddings,
               Dim blank_id = 0, double log_epsilon = -1e5);
/// (1 - alpha) labels + alpha / classes.
Array smooth_labels(const In& labels, double alpha, int axis = -1);
/// The 2-norm of an array where it is above min_norm, else min_norm; its gradient is never NaN.
Array safe_norm(const In& x, double min_norm);

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
