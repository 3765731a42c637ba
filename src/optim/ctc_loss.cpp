// Connectionist temporal classification, frame by frame in the log domain. Source: Graves et al. 2006, as
// optax.ctc_loss.
#include <tuple>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/nn/nn.hpp"
#include "tutti/optim/losses.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::optim {
namespace {

void check_ctc(const Array& logits, const Array& logit_paddings, const Array& labels, const Array& label_paddings,
               std::int64_t blank) {
  const char* who = "ctc_loss";
  if (!logits.dtype().is_floating())
    raise<TypeError>(who, "the logits are " + type_text(logits), "Convert them: x.astype(float32).");
  if (!labels.dtype().is_integer())
    raise<TypeError>(who, "the labels are " + type_text(labels), "Labels are integers: convert with astype(int32).");
  if (logits.ndim() != 3 || labels.ndim() != 2 || labels.shape(0) != logits.shape(0))
    raise<ShapeError>(who, "the logits are " + type_text(logits) + ", the labels " + type_text(labels),
                      "Logits have the shape [batch, frames, classes], labels [batch, labels].");
  if (logit_paddings.shape() != Shape{logits.shape(0), logits.shape(1)})
    raise<ShapeError>(who, "the logits are " + type_text(logits) + ", their paddings " + type_text(logit_paddings),
                      "Paddings have the shape of the logits without the classes.");
  if (label_paddings.shape() != labels.shape())
    raise<ShapeError>(who, "the labels are " + type_text(labels) + ", their paddings " + type_text(label_paddings),
                      "Both have the shape [batch, labels].");
  if (blank < 0 || blank >= logits.shape(2))
    raise<IndexError>(who, "blank_id is " + std::to_string(blank) + ", the logits are " + type_text(logits),
                      "Give the number of a class.");
}

Array columns_of(const Array& x, std::int64_t from, std::int64_t to) {
  return lax::slice(x, {0, from}, {x.shape(0), to});
}

// Logarithms of the probabilities that the frames so far read as the first n labels: `blank` [batch, labels + 1], after
// a blank or before the next label; `label` [batch, labels], where the last frame is label n.
using Alphas = std::pair<Array, Array>;

// `blank` where label n, with what `added` says, has just been read.
Array after_label(const Array& blank, const Array& added) {
  const std::int64_t n = added.shape(1);
  const Array first = columns_of(blank, 0, 1), rest = columns_of(blank, 1, n + 1);
  return concatenate({first, logaddexp(rest, added)}, 1);
}

Array negative_log_likelihood(const Array& logits, const Array& logit_paddings, const Array& in_labels,
                              const Array& label_paddings, std::int64_t blank_id, const Array& log_epsilon) {
  const std::int64_t batch = logits.shape(0), frames = logits.shape(1), n = in_labels.shape(1);
  const Array skipped = logit_paddings != 0, unused = label_paddings != 0;
  const DType dtype = promote_types(logits.dtype(), float32);
  const Array logs = nn::log_softmax(where(expand_dims(skipped, -1), 0, logits).astype(dtype), -1);
  const Array labels = where(unused, 0, in_labels);
  const Array far = log_epsilon.astype(dtype);
  // Whether the next label is the same: a blank has to stand between them.
  const Array repeats =
      n == 0 ? zeros({batch, 0}, bool_)
             : concatenate({columns_of(labels, 0, n - 1) == columns_of(labels, 1, n), zeros({batch, 1}, bool_)}, 1);
  const Array of_labels =
                  moveaxis(take_along_axis(logs, broadcast_to(expand_dims(labels, 1), {batch, frames, n}), -1), 1, 0),
              of_blank = moveaxis(lax::slice(logs, {0, 0, blank_id}, {batch, frames, blank_id + 1}), 1, 0);
  const Array none_yet = broadcast_to(far, {batch, n});
  const Alphas start{concatenate({zeros({batch, 1}, dtype), none_yet}, 1), none_yet};
  const Alphas last =
      lax::scan(
          [&](const Alphas& before, const std::tuple<Array, Array, Array>& frame) {
            const auto& [label_logs, blank_logs, skip] = frame;
            const Array ready = after_label(before.first, before.second + where(repeats, far, zeros_like(far)));
            const Array label = logaddexp(columns_of(ready, 0, n), before.second) + label_logs;
            const Array blank =
                after_label(ready + blank_logs, before.second + blank_logs + where(repeats, zeros_like(far), far));
            const Array stays = expand_dims(skip, 1);
            return std::pair{Alphas{where(stays, before.first, blank), where(stays, before.second, label)}, none};
          },
          start, std::tuple{of_labels, of_blank, moveaxis(skipped, 1, 0)})
          .first;
  const Array ends = after_label(last.first, last.second);
  const Array counts = sum(logical_not(unused).astype(int32), 1, true);
  const Array loss = -sum(where(lax::iota(int32, ends.shape(), 1) == counts, ends, zeros_like(ends)), 1);
  return loss + lax::stop_gradient(maximum(-loss, 0));  // rounding puts it below 0 where the alignment is sure
}

}  // namespace

Array ctc_loss(const In& logits, const Array& logit_paddings, const Array& labels, const Array& label_paddings,
               Dim blank_id, double log_epsilon) {
  CallScope scope(logits.loc);
  check_ctc(logits.array, logit_paddings, labels, label_paddings, blank_id);
  return composite(
      "ctc_loss",
      [](const Array& x, const Array& x_paddings, const Array& y, const Array& y_paddings, std::int64_t blank,
         const Array& far) { return negative_log_likelihood(x, x_paddings, y, y_paddings, blank, far); },
      logits.array, logit_paddings, labels, label_paddings, blank_id.value, log_epsilon);
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
