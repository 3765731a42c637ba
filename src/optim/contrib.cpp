// Lookahead and methods of optax.contrib. Source: Optax.
#include "tutti/optim/contrib.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "optim/stages.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/complex.hpp"

namespace tutti::optim {
namespace detail {

void check_period(const char* who, int sync_period) {
  if (sync_period < 1) raise<ValueError>(who, "sync_period is " + std::to_string(sync_period), "Give 1 or more.");
}
LookaheadUpdate lookahead_update(const Array& update, const Array& fast, const Array& slow, const Array& syncs,
                                 double slow_step_size) {
  const Array way = fast + update - slow;
  return {where(syncs, update - (1 - slow_step_size) * way, update).astype(update.dtype()),
          where(syncs, slow_step_size * way, 0).astype(update.dtype())};
}

}  // namespace detail

namespace contrib {
namespace detail {

void check_plateau(const PlateauOptions& o) {
  constexpr const char* who = "optim::contrib::reduce_on_plateau";
  if (!(o.factor > 0 && o.factor < 1))
    raise<ValueError>(who, "the factor is " + std::to_string(o.factor), "It lies between 0 and 1.");
  if (o.rtol < 0 || o.atol < 0 || o.rtol > 1 || (o.rtol == 0 && o.atol == 0))
    raise<ValueError>(who, "rtol is " + std::to_string(o.rtol) + ", atol " + std::to_string(o.atol),
                      "None is negative, one positive, and rtol at most 1.");
  if (o.accumulation_size < 1 || o.patience < 0 || o.cooldown < 0)
    raise<ValueError>(who, "a number of steps is negative, or accumulation_size is not positive",
                      "Count from 0, or 1.");
}

ReduceLROnPlateauState next_plateau(const ReduceLROnPlateauState& s, const Array& value, const PlateauOptions& o) {
  const DType dtype = s.avg_value.dtype();
  const Array count = s.count + 1, due = count == o.accumulation_size;
  const Array mean =
      ((s.count.astype(dtype) * s.avg_value + reshape(value, Shape{}).astype(dtype)) / count.astype(dtype));
  const Array better = mean<(1 - o.rtol) * s.best_value - o.atol, rests = s.cooldown_count> 0;
  const Array bad = where(better, 0, s.plateau_count + 1), full_stop = ~rests & (bad == o.patience);
  auto if_due = [&](const Array& next, const Array& now) { return where(due, next, now).astype(now.dtype()); };
  return {if_due(where(better, mean, s.best_value), s.best_value),
          if_due(where(rests | full_stop, 0, bad), s.plateau_count),
          if_due(where(rests, s.scale, maximum(where(full_stop, s.scale * o.factor, s.scale), o.min_scale)), s.scale),
          if_due(where(rests, s.cooldown_count - 1, where(full_stop, o.cooldown, 0)), s.cooldown_count),
          where(due, 0, count).astype(s.count.dtype()),
          where(due, 0, mean).astype(dtype)};
}

FreeWeights free_weights(const Array& step_count, const Array& max_lr, const Array& weight_sum, const Array& rate,
                         double power_of) {
  const Array most = maximum(max_lr, rate.astype(max_lr.dtype())), weight = power(most, power_of);
  const Array total = weight_sum + weight, some = total != 0;
  return {optim::detail::next_step(step_count), most, total, where(some, weight / where(some, total, 1), 0)};
}
Array free_update(const Array& y, const Array& z, const Array& next_z, const Array& part, double b1) {
  if (!y.dtype().is_inexact()) return {};
  const Array c = part.astype(real(y).dtype()), mean = (y - (1 - b1) * z) / b1;
  const Array next = b1 * ((1 - c) * mean + c * next_z) + (1 - b1) * next_z;
  return (next - y).astype(y.dtype());
}
Array averaged(const Array& y, const Array& z, const Array& b1) {
  if (!y.dtype().is_inexact()) return y;
  const Array b = b1.astype(real(y).dtype());
  return ((y - (1 - b) * z) / b).astype(y.dtype());
}

}  // namespace detail

namespace {

// Singular values near 1: an odd polynomial of degree 5, several times over.
Array orthogonalized(const Array& m, int steps, double eps) {
  if (m.ndim() != 2)
    raise<ShapeError>("optim::contrib::scale_by_muon", "an update is " + type_text(m), "Give matrices.");
  const bool turns = m.shape()[0] > m.shape()[1];
  Array x = turns ? m.T() : m;
  x = x / (sqrt(sum(square(abs(x)))) + eps);
  for (int i = 0; i < steps; ++i) {
    const Array a = matmul(x, x.T());
    x = 3.4445 * x + matmul(-4.775 * a + 2.0315 * matmul(a, a), x);
  }
  return turns ? x.T() : x;
}
// `core` and then other stages, which share its count.
template <template <class> class State>
Transform<State> followed(const Transform<State>& core, std::vector<Stage> more) {
  more.insert(more.begin(), core.stage());
  return {core.starts(), in_order(std::move(more))};
}
std::vector<Stage> decayed_and_scaled(Rate rate, double weight_decay, const Mask& mask) {
  return {add_decayed_weights(weight_decay, mask).stage(), times_rate(std::move(rate), true)};
}

}  // namespace

Transform<MuonState> scale_by_muon(const MuonOptions& o) {
  return {{moments_start()}, in_float32([=](Leaves& l) {
            const Array here = l.count + 1;
            const Array c = correction(o.beta, here), next = correction(o.beta, here + 1);
            l.each([&](std::size_t i) {
              Array &g = l.updates[i], &m = l.state[0][i];
              m = moment(g, m, o.beta);
              const Array mean =
                  o.nesterov ? o.beta * corrected(m, next) + (1 - o.beta) * corrected(g, c) : corrected(m, c);
              g = orthogonalized(mean, o.ns_steps, o.eps);
            });
          })};
}

namespace detail {
Transform<MuonState> muon_of_matrices(Rate rate, const MuonOptions& o) {
  std::vector<Stage> after{Stage::pure(each_update([](const Array& g) {
    const double ratio =
        static_cast<double>(g.shape()[1]) / static_cast<double>(std::max<std::int64_t>(g.shape()[0], 1));
    return g * std::sqrt(std::max(1., ratio));
  }))};
  for (Stage& stage : decayed_and_scaled(std::move(rate), o.weight_decay, o.weight_decay_mask))
    after.push_back(std::move(stage));
  return followed(scale_by_muon(o), std::move(after));
}
Transform<AdamState> adam_of_the_rest(Rate rate, const MuonOptions& o) {
  return adamw(o.adam_learning_rate.value_or(rate), {.b1 = o.adam_b1,
                                                     .b2 = o.adam_b2,
                                                     .eps = o.eps,
                                                     .eps_root = o.adam_eps_root,
                                                     .weight_decay = o.adam_weight_decay,
                                                     .nesterov = o.nesterov});
}
}  // namespace detail

Transform<AdemamixState> scale_by_ademamix(const AdemamixOptions& o) {
  return {{moments_start(), moments_start(), moments_start()}, in_float32([=](Leaves& l) {
            const Array here = l.count + 1, c1 = correction(o.b1, here), c2 = correction(o.b2, here);
            l.each([&](std::size_t i) {
              Array &g = l.updates[i], &fast = l.state[0][i], &slow = l.state[1][i], &squares = l.state[2][i];
              fast = moment(g, fast, o.b1);
              slow = moment(g, slow, o.b3);
              squares = moment(square(g), squares, o.b2);
              g = (corrected(fast, c1) + o.alpha * slow) / (sqrt(corrected(squares, c2) + o.eps_root) + o.eps);
            });
          })};
}
Transform<AdemamixState> ademamix(Rate rate, const AdemamixOptions& o, const DecayOptions& d) {
  return followed(scale_by_ademamix(o), decayed_and_scaled(std::move(rate), d.weight_decay, d.mask));
}

}  // namespace contrib
}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
