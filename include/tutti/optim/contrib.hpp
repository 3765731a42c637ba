// Lookahead, and the more widely used methods of optax.contrib. Not part of tutti.hpp: include this file. Names,
// meanings and defaults: Optax.
#pragma once

#include <string>
#include <tuple>
#include <utility>

#include "tutti/optim/linesearch.hpp"
#include "tutti/optim/optim.hpp"

namespace tutti::optim {

/// Fast parameters, by which gradients are taken, and slow ones, which follow them. Source: optax.LookaheadParams.
template <class Params> struct LookaheadParams {
  Params fast{}, slow{};
  static LookaheadParams init_synced(const Params& params) { return {params, params}; }
};
template <class Inner> struct LookaheadState {
  Inner fast_state{};
  Array steps_since_sync{};
};
namespace detail {
void check_period(const char* who, int sync_period);
struct LookaheadUpdate {
  Array fast, slow;
};
/// Of one array; what is not there stays away.
LookaheadUpdate lookahead_update(const Array& update, const Array& fast, const Array& slow, const Array& syncs,
                                 double slow_step_size);
}  // namespace detail

/// `fast_optimizer` on the fast parameters; after every `sync_period` steps the slow ones move by slow_step_size of the
/// way to them, and the fast ones begin there again (with `reset_state` their optimiser too).
///
///     auto opt = optim::lookahead(optim::sgd(1e-2), 5, 0.5);
///     auto params = optim::LookaheadParams<Model>::init_synced(model);
///     auto state = opt.init(params);
///     auto [updates, next] = opt.update(grad(loss)(params.fast), state, params);
///
/// Source: optax.lookahead.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class Lookahead {
 public:
  Lookahead(T fast_optimizer, int sync_period, double slow_step_size, bool reset_state)
      : inner_(std::move(fast_optimizer)), period_(sync_period), size_(slow_step_size), reset_(reset_state) {
    detail::check_period("optim::lookahead", sync_period);
  }
  template <class Params> LookaheadState<detail::state_of<T, Params>> init(const LookaheadParams<Params>& p) const {
    return {inner_.init(p.fast), detail::step_zero()};
  }
  template <class Params, class S>
  std::pair<LookaheadParams<Params>, LookaheadState<S>> update(const Params& grads, const LookaheadState<S>& state,
                                                               const LookaheadParams<Params>& params,
                                                               Loc loc = Loc::current()) const {
    CallScope line(loc);
    auto [updates, next] = detail::step(inner_, grads, state.fast_state, &params.fast);
    const Array syncs = state.steps_since_sync == period_ - 1;
    auto moved = [&](bool slow) {
      return tree::map(
          [&](const Array& u, const Array& f, const Array& s) {
            const detail::LookaheadUpdate both = detail::lookahead_update(u, f, s, syncs, size_);
            return slow ? both.slow : both.fast;
          },
          updates, params.fast, params.slow);
    };
    if (reset_) next = detail::choose_tree(syncs, inner_.init(params.fast), next);
    return {LookaheadParams<Params>{moved(false), moved(true)},
            LookaheadState<S>{std::move(next), (state.steps_since_sync + 1) % period_}};
  }

 private:
  T inner_;
  int period_;
  double size_;
  bool reset_;
};
template <class T>
Lookahead<T> lookahead(T fast_optimizer, int sync_period, double slow_step_size, bool reset_state = false) {
  return {std::move(fast_optimizer), sync_period, slow_step_size, reset_state};
}

namespace contrib {

// --- a smaller step where the loss does not fall

struct PlateauOptions {
  double factor = 0.1;
  int patience = 10;
  double rtol = 1e-4, atol = 0;
  int cooldown = 0, accumulation_size = 1;
  double min_scale = 0;
};
struct ReduceLROnPlateauState {
  Array best_value{}, plateau_count{}, scale{}, cooldown_count{}, count{}, avg_value{};
};
namespace detail {
void check_plateau(const PlateauOptions& options);
ReduceLROnPlateauState next_plateau(const ReduceLROnPlateauState& state, const Array& value,
                                    const PlateauOptions& options);
}  // namespace detail
/// Scales updates by a number that begins with 1 and becomes `factor` times as large (at least min_scale) where the
/// mean of accumulation_size losses was not below (1 - rtol) best - atol for `patience` times; then it rests for
/// `cooldown` times. update takes a Value or an Objective. ValueError for a factor that is not between 0 and 1, and for
/// tolerances that are negative, both 0, or rtol > 1.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class ReduceOnPlateau : public Updates<ReduceOnPlateau> {
 public:
  explicit ReduceOnPlateau(const PlateauOptions& options) : options_(options) { detail::check_plateau(options); }
  template <class Params> ReduceLROnPlateauState init(const Params& params) const {
    const DType dtype = optim::detail::value_dtype(tree::leaves(params));
    const Array none_yet = optim::detail::step_zero();
    return {full({}, std::numeric_limits<double>::infinity(), dtype),
            none_yet,
            ones({}, dtype),
            none_yet,
            none_yet,
            zeros({}, dtype)};
  }
  /// ValueError without a value.
  template <class Params, class State> std::pair<Params, State> step(const Params&, const State&, const Params*) const {
    optim::detail::refuse_without_params("optim::contrib::reduce_on_plateau");
  }
  template <class Params, class Known>
  requires requires(const Known& k) { k.value; }
  std::pair<Params, ReduceLROnPlateauState> step(const Params& updates, const ReduceLROnPlateauState& state,
                                                 const Params*, const Known& known) const {
    optim::detail::check_value("optim::contrib::reduce_on_plateau", known.value);
    const ReduceLROnPlateauState next = detail::next_plateau(state, known.value, options_);
    return {tree::map([&](const Array& u) { return optim::detail::scaled(u, next.scale); }, updates), next};
  }

 private:
  PlateauOptions options_;
};
inline ReduceOnPlateau reduce_on_plateau(const PlateauOptions& options = {}) { return ReduceOnPlateau(options); }

// --- without a schedule

template <class Params, class Inner> struct ScheduleFreeState {
  Array b1{}, weight_sum{}, step_count{}, max_lr{};
  Inner base_optimizer_state{};
  Params z{};
};
struct ScheduleFreeOptions {
  double b1 = 0.9, weight_lr_power = 2;
};
namespace detail {
struct FreeWeights {
  Array step_count, max_lr, weight_sum, part;  // part: how much of the mean the newest one is
};
FreeWeights free_weights(const Array& step_count, const Array& max_lr, const Array& weight_sum, const Array& rate,
                         double power);
/// Of one parameter: y, z before and after the step; the change of y. Empty for what is not floating.
Array free_update(const Array& y, const Array& z, const Array& next_z, const Array& part, double b1);
Array averaged(const Array& y, const Array& z, const Array& b1);
}  // namespace detail
/// Steps of `base_optimizer` (without momentum) on z, gradients at a mix of z and the mean of all z: no schedule that
/// must know when it ends. `learning_rate`: that of base_optimizer. Evaluate at schedule_free_eval_params. Source:
/// Defazio et al. 2024.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class ScheduleFree : public Updates<ScheduleFree<T>> {
 public:
  ScheduleFree(T base_optimizer, Rate learning_rate, const ScheduleFreeOptions& options)
      : inner_(std::move(base_optimizer)), rate_(std::move(learning_rate)), options_(options) {}
  template <class Params> ScheduleFreeState<Params, optim::detail::state_of<T, Params>> init(const Params& p) const {
    const DType dtype = optim::detail::value_dtype(tree::leaves(p));
    return {full({}, options_.b1, dtype),
            zeros({}, dtype),
            ones({}, int32),
            zeros({}, dtype),
            inner_.init(p),
            tree::copy(p)};
  }
  template <class Params, class S>
  std::pair<Params, ScheduleFreeState<Params, S>> step(const Params& grads, const ScheduleFreeState<Params, S>& state,
                                                       const Params* params) const {
    if (!params) optim::detail::refuse_without_params("optim::contrib::schedule_free");
    auto [updates, next] = optim::detail::step(inner_, grads, state.base_optimizer_state, params);
    const detail::FreeWeights w = detail::free_weights(state.step_count, state.max_lr, state.weight_sum,
                                                       rate_(state.step_count), options_.weight_lr_power);
    const Params z = apply_updates(state.z, updates);
    const Params change =
        tree::map([&](const Array& y, const Array& before,
                      const Array& after) { return detail::free_update(y, before, after, w.part, options_.b1); },
                  *params, state.z, z);
    return {change, ScheduleFreeState<Params, S>{state.b1, w.weight_sum, w.step_count, w.max_lr, std::move(next), z}};
  }

 private:
  T inner_;
  Rate rate_;
  ScheduleFreeOptions options_;
};
template <class T>
ScheduleFree<T> schedule_free(T base_optimizer, Rate learning_rate, const ScheduleFreeOptions& options = {}) {
  return {std::move(base_optimizer), std::move(learning_rate), options};
}
/// The mean of all z, for evaluation.
template <class Params, class S>
Params schedule_free_eval_params(const ScheduleFreeState<Params, S>& state, const Params& params) {
  return tree::map([&](const Array& y, const Array& z) { return detail::averaged(y, z, state.b1); }, params, state.z);
}

// --- muon

template <class Params> struct MuonState {
  Array count{};
  Params mu{};
};
struct MuonOptions {
  int ns_steps = 5;
  double beta = 0.95, eps = 1e-8, weight_decay = 0;
  Mask weight_decay_mask = true;
  bool nesterov = true;
  double adam_b1 = 0.9, adam_b2 = 0.999, adam_eps_root = 0, adam_weight_decay = 0;
  std::optional<Rate> adam_learning_rate = {};
};
/// A running mean of gradients, each matrix[m, n] of it made orthogonal by ns_steps of Newton and Schulz's iteration.
/// ShapeError for what is no matrix.
Transform<MuonState> scale_by_muon(const MuonOptions& options = {});
namespace detail {
Transform<MuonState> muon_of_matrices(Rate learning_rate, const MuonOptions& options);
Transform<AdamState> adam_of_the_rest(Rate learning_rate, const MuonOptions& options);
}  // namespace detail
/// scale_by_muon times sqrt(max(1, n / m)) for matrices, adamw for other parameters. Source: Jordan et al. 2024.
inline auto muon(Rate learning_rate, const MuonOptions& options = {}) {
  const Labels labels([](const tree::Path&, const Array& x) { return std::string(x.ndim() == 2 ? "muon" : "adam"); });
  return multi_transform(labels, std::pair{"muon", detail::muon_of_matrices(learning_rate, options)},
                         std::pair{"adam", detail::adam_of_the_rest(learning_rate, options)});
}

// --- ademamix

template <class Params> struct AdemamixState {
  Array count{};
  Params m1{}, m2{}, nu{};
};
struct AdemamixOptions {
  double b1 = 0.9, b2 = 0.999, b3 = 0.9999, alpha = 5, eps = 1e-8, eps_root = 0;
};
/// adam with a second, slow mean of gradients, alpha times which is added. Source: Pagliardini et al. 2024.
Transform<AdemamixState> scale_by_ademamix(const AdemamixOptions& options = {.alpha = 6});
Transform<AdemamixState> ademamix(Rate learning_rate, const AdemamixOptions& options = {},
                                  const DecayOptions& decay = {.weight_decay = 0});

}  // namespace contrib
}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
