// The named optimisers: their parts in order.
#include "optim/stages.hpp"
#include "tutti/optim/optim.hpp"

namespace tutti::optim {
namespace {

// `core` and then other stages; they share the core's count.
template <template <class> class State>
Transform<State> then(const Transform<State>& core, std::vector<Stage> after, std::vector<Stage> before = {}) {
  before.push_back(core.stage());
  before.insert(before.end(), after.begin(), after.end());
  return {core.starts(), in_order(std::move(before))};
}
Stage minus(Rate rate) { return times_rate(std::move(rate), true); }
Stage decayed(const DecayOptions& o) { return add_decayed_weights(o.weight_decay, o.mask).stage(); }
Array nothing(const Array&) { return {}; }

// A stage for the updates where the mask holds.
Stage where_masked(Stage stage, Mask mask) {
  const bool pure = stage.is_pure() && !mask.is_function();
  auto rates = stage.rates();
  return like(pure, std::move(rates), [stage = std::move(stage), mask = std::move(mask)](Leaves& l) {
    std::vector<bool> on = masked_places(mask, l);
    std::vector<Array> all = l.updates;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!on[i]) l.updates[i] = Array();
    stage(l);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!on[i]) l.updates[i] = all[i];
  });
}

}  // namespace

Transform<TraceState> sgd(Rate rate, double momentum, bool nesterov) {
  if (momentum == 0) return {{nothing}, minus(std::move(rate))};
  return then(trace(momentum, nesterov), {minus(std::move(rate))});
}
Transform<CountState> sign_sgd(Rate rate) {
  return then(scale_by_learning_rate(std::move(rate)), {}, {scale_by_sign().stage()});
}
Transform<EmaState> signum(Rate rate, double beta) {
  return then(ema(beta, false), {scale_by_sign().stage(), minus(std::move(rate))});
}

Transform<AdamState> adam(Rate rate, const AdamOptions& o) { return then(scale_by_adam(o), {minus(std::move(rate))}); }
Transform<AdamState> adamw(Rate rate, const AdamWOptions& o) {
  AdamOptions core{o.b1, o.b2, o.eps, o.eps_root, o.nesterov, o.mu_dtype};
  return then(scale_by_adam(core), {decayed({o.weight_decay, o.mask}), minus(std::move(rate))});
}
Transform<AdamState> nadam(Rate rate, AdamOptions o) {
  o.nesterov = true;
  return adam(std::move(rate), o);
}
Transform<AdamState> nadamw(Rate rate, AdamWOptions o) {
  o.nesterov = true;
  return adamw(std::move(rate), o);
}
Transform<AdamState> adamax(Rate rate, double b1, double b2, double eps) {
  return then(scale_by_adamax(b1, b2, eps), {minus(std::move(rate))});
}
Transform<AdamState> adamaxw(Rate rate, double b1, double b2, double eps, const DecayOptions& d) {
  return then(scale_by_adamax(b1, b2, eps), {decayed(d), minus(std::move(rate))});
}
Transform<AdamState> adabelief(Rate rate, const BeliefOptions& o) {
  return then(scale_by_belief(o), {minus(std::move(rate))});
}
Transform<AmsgradState> amsgrad(Rate rate, const AmsgradOptions& o) {
  return then(scale_by_amsgrad(o), {minus(std::move(rate))});
}
Transform<AdamState> radam(Rate rate, const RAdamOptions& o) {
  return then(scale_by_radam(o), {minus(std::move(rate))});
}
Transform<AdamState> yogi(Rate rate, double b1, double b2, double eps) {
  return then(scale_by_yogi({.b1 = b1, .b2 = b2, .eps = eps}), {minus(std::move(rate))});
}
Transform<AdamState> novograd(Rate rate, const NovogradOptions& o) {
  return then(scale_by_novograd(o), {minus(std::move(rate))});
}
Transform<AdanState> adan(Rate rate, const AdanOptions& o, const DecayOptions& d) {
  return then(scale_by_adan(o), {decayed(d), minus(std::move(rate))});
}
Transform<LionState> lion(Rate rate, double b1, double b2, const DecayOptions& d) {
  return then(scale_by_lion(b1, b2), {decayed(d), minus(std::move(rate))});
}

Transform<RssState> adagrad(Rate rate, double initial, double eps) {
  return then(scale_by_rss(initial, eps), {minus(std::move(rate))});
}
Transform<AdadeltaState> adadelta(Rate rate, double rho, double eps, const DecayOptions& d) {
  return then(scale_by_adadelta(rho, eps), {minus(std::move(rate))}, {decayed(d)});
}
Transform<RmspropState> rmsprop(Rate rate, const RmspropOptions& o) {
  RmsOptions core{o.decay, o.eps, o.initial_scale, o.eps_in_sqrt, o.bias_correction};
  std::vector<Stage> stages{
      o.centered ? on_slots(scale_by_stddev(core).stage(), {1, 0}) : on_slots(scale_by_rms(core).stage(), {0}),
      minus(std::move(rate))};
  if (o.momentum != 0) stages.push_back(on_slots(trace(o.momentum, o.nesterov).stage(), {2}));
  return {{moments_start(o.initial_scale), o.centered ? moments_start() : Start(nothing),
           o.momentum != 0 ? Start(zeros_start) : Start(nothing)},
          in_order(std::move(stages))};
}
Transform<RpropState> rprop(double rate, const RpropOptions& o) {
  return then(scale_by_rprop(rate, o), {scale(-1).stage()});
}

Transform<AdamState> lamb(Rate rate, const LambOptions& o) {
  return then(scale_by_adam({o.b1, o.b2, o.eps, o.eps_root}),
              {decayed({o.weight_decay, o.mask}), scale_by_trust_ratio().stage(), minus(std::move(rate))});
}
Transform<TraceState> lars(Rate rate, const LarsOptions& o) {
  Stage trust = where_masked(scale_by_trust_ratio({.trust_coefficient = o.trust_coefficient, .eps = o.eps}).stage(),
                             o.trust_ratio_mask);
  return then(trace(o.momentum, o.nesterov), {},
              {decayed({o.weight_decay, o.weight_decay_mask}), trust, minus(std::move(rate))});
}
Transform<CountState> fromage(double rate, double min_norm) {
  double shrink = 1 / std::sqrt(1 + rate * rate);
  return then(scale_by_learning_rate(rate * shrink), {add_decayed_weights(shrink - 1).stage()},
              {scale_by_trust_ratio({.min_norm = min_norm}).stage()});
}

Transform<AdafactorState> adafactor(std::optional<Rate> rate, const AdafactorOptions& o) {
  Transform<FactoredState> core =
      scale_by_factored_rms({o.factored, o.decay_rate, o.decay_offset, o.min_dim_size_to_factor, o.eps});
  std::vector<Stage> stages{on_slots(core.stage(), {0, 1, 2})};
  if (o.clipping_threshold) stages.push_back(clip_by_block_rms(*o.clipping_threshold).stage());
  if (rate) stages.push_back(times_rate(*rate, false));
  if (o.multiply_by_parameter_scale) stages.push_back(scale_by_param_block_rms().stage());
  if (o.momentum) stages.push_back(on_slots(ema(*o.momentum, false).stage(), {3}));
  stages.push_back(decayed({o.weight_decay_rate, o.weight_decay_mask}));
  stages.push_back(scale(-1).stage());
  std::vector<Start> slots = core.starts();
  slots.push_back(o.momentum ? Start(zeros_in(o.dtype_momentum)) : Start(nothing));
  return {std::move(slots), in_order(std::move(stages))};
}

Transform<OptimisticState> optimistic_gradient_descent(Rate rate, double alpha, double beta) {
  return then(scale_by_optimistic_gradient(alpha, beta), {minus(std::move(rate))});
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
