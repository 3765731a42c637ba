// The parts that optimisers are made of. In a chain they may be combined freely: chain(clip(1), scale_by_adam(),
// scale(-1e-3)). Source: optax.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "tutti/optim/core.hpp"
#include "tutti/transform/prefix.hpp"

namespace tutti::optim {

/// Selects parameters: one bool, path patterns, `{{"**.bias", false}, {"**", true}}`, of which the
/// first match counts, or a function (path, array) -> bool. What no pattern matches is left out.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Mask {
 public:
  template <std::same_as<bool> B> Mask(B all) : all_(all) {}
  Mask(std::initializer_list<Rule<bool>> rules) : Mask(std::vector(rules)) {}
  Mask(std::vector<Rule<bool>> rules) : rules_(std::move(rules)) {}
  template <class F>
  requires std::is_invocable_r_v<bool, const F&, const tree::Path&, const Array&> Mask(F fn)
      : function_(std::move(fn)) {}
  bool holds(const tree::Path& path, const Array& leaf) const;
  /// True if a function of the user's decides.
  bool is_function() const { return static_cast<bool>(function_); }
  /// ValueError when a pattern matches none of the paths.
  void check(const std::vector<tree::Path>& paths) const;

 private:
  bool all_ = false;
  tutti::detail::Rules<bool> rules_;
  std::function<bool(const tree::Path&, const Array&)> function_;
};

// --- without state

Stateless identity();
/// Updates of zero: parameters that stay.
Stateless set_to_zero();
/// Times a number.
Stateless scale(double factor);
Stateless scale_by_sign();
/// Each element between -max_delta and max_delta.
Stateless clip(double max_delta);
/// All updates by one factor, so that their common 2-norm is at most max_norm.
Stateless clip_by_global_norm(double max_norm);
/// Each array by a factor, so that the root of its mean square is at most `threshold`.
Stateless clip_by_block_rms(double threshold);
/// Each row's norm at most `clipping` times that of its parameter (at least eps).
Stateless adaptive_grad_clip(double clipping, double eps = 1e-3);
/// Minus the mean over all dims but the first.
Stateless centralize();
/// Plus weight_decay times the parameter.
Stateless add_decayed_weights(double weight_decay = 0, Mask mask = true);
/// Each array times the norm of its parameter over its own.
struct TrustRatioOptions {
  double min_norm = 0, trust_coefficient = 1, eps = 0;
};
Stateless scale_by_trust_ratio(const TrustRatioOptions& options = {});
/// Times the norm, or the root of the mean square, of the parameter.
Stateless scale_by_param_block_norm(double min_scale = 1e-3);
Stateless scale_by_param_block_rms(double min_scale = 1e-3);
/// Over the common 2-norm of all updates.
Stateless normalize_by_update_norm(double scale_factor = 1, double eps = 1e-6);
Stateless keep_params_nonnegative();

// --- with a count

/// Times step_size(count).
Transform<CountState> scale_by_schedule(Rate step_size);
/// Times -rate(count).
Transform<CountState> scale_by_learning_rate(Rate rate);

template <class Params> struct ZeroNansState {
  Array count{};
  Params found_nan{};  // bool[] per array
};
/// NaN becomes 0; the state says in which arrays there was one.
Transform<ZeroNansState> zero_nans();

// --- with moments

template <class Params> struct TraceState {
  Array count{};
  Params trace{};
};
/// trace = g + decay * trace; nesterov looks one step ahead.
Transform<TraceState> trace(double decay, bool nesterov = false);

template <class Params> struct EmaState {
  Array count{};
  Params ema{};
};
/// ema = (1 - decay) g + decay ema, over 1 - decay^t with `debias`.
Transform<EmaState> ema(double decay, bool debias = true);

template <class Params> struct AdamState {
  Array count{};
  Params mu{}, nu{};
};
struct AdamOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0;
  bool nesterov = false;
  std::optional<DType> mu_dtype = {};
};
Transform<AdamState> scale_by_adam(const AdamOptions& options = {});
Transform<AdamState> scale_by_adamax(double b1 = 0.9, double b2 = 0.999, double eps = 1e-8);
struct BeliefOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-16, eps_root = 1e-16;
  bool nesterov = false;
};
Transform<AdamState> scale_by_belief(const BeliefOptions& options = {});
struct YogiOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-3, eps_root = 0, initial_accumulator_value = 1e-6;
};
Transform<AdamState> scale_by_yogi(const YogiOptions& options = {});
struct RAdamOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0, threshold = 5;
  bool nesterov = false;
};
Transform<AdamState> scale_by_radam(const RAdamOptions& options = {});
struct NovogradOptions {
  double b1 = 0.9, b2 = 0.25, eps = 1e-6, eps_root = 0, weight_decay = 0;
};
/// nu has shape () per array.
Transform<AdamState> scale_by_novograd(const NovogradOptions& options = {});

template <class Params> struct AmsgradState {
  Array count{};
  Params mu{}, nu{}, nu_max{};
};
struct AmsgradOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0;
  bool bias_correction_mu = true, bias_correction_nu = true;
  std::optional<DType> mu_dtype = {};
};
Transform<AmsgradState> scale_by_amsgrad(const AmsgradOptions& options = {});

template <class Params> struct AdanState {
  Array count{};
  Params m{}, v{}, n{}, g{};
};
struct AdanOptions {
  double b1 = 0.98, b2 = 0.92, b3 = 0.99, eps = 1e-8, eps_root = 1e-8;
};
Transform<AdanState> scale_by_adan(const AdanOptions& options = {});

template <class Params> struct LionState {
  Array count{};
  Params mu{};
};
Transform<LionState> scale_by_lion(double b1 = 0.9, double b2 = 0.99, std::optional<DType> mu_dtype = {});

template <class Params> struct RssState {
  Array count{};
  Params sum_of_squares{};
};
Transform<RssState> scale_by_rss(double initial_accumulator_value = 0.1, double eps = 1e-7);

template <class Params> struct RmsState {
  Array count{};
  Params nu{};
};
struct RmsOptions {
  double decay = 0.9, eps = 1e-8, initial_scale = 0;
  bool eps_in_sqrt = true, bias_correction = false;
};
Transform<RmsState> scale_by_rms(const RmsOptions& options = {});
/// As scale_by_rms with the variance in place of the mean square.
Transform<AdamState> scale_by_stddev(const RmsOptions& options = {});

template <class Params> struct AdadeltaState {
  Array count{};
  Params e_g{}, e_x{};
};
Transform<AdadeltaState> scale_by_adadelta(double rho = 0.9, double eps = 1e-6);

template <class Params> struct FactoredState {
  Array count{};
  Params v_row{}, v_col{}, v{};
};
struct FactoredOptions {
  bool factored = true;
  double decay_rate = 0.8;
  int step_offset = 0, min_dim_size_to_factor = 128;
  double epsilon = 1e-30;
};
/// Adafactor's second moments: of arrays with two dims of at least `min_dim_size_to_factor` only means over rows and
/// columns are kept.
Transform<FactoredState> scale_by_factored_rms(const FactoredOptions& options = {});

template <class Params> struct RpropState {
  Array count{};
  Params step_sizes{}, prev_updates{};
};
struct RpropOptions {
  double eta_minus = 0.5, eta_plus = 1.2, min_step_size = 1e-6, max_step_size = 50;
};
Transform<RpropState> scale_by_rprop(double learning_rate, const RpropOptions& options = {});

template <class Params> struct OptimisticState {
  Array count{};
  Params previous_gradient{};
};
/// (alpha + beta) g - beta g_before.
Transform<OptimisticState> scale_by_optimistic_gradient(double alpha = 1, double beta = 1);

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
