// Optimisers: init(params) -> state, update(gradients, state, params) -> (updates, state). Formulas, names and defaults
// are Optax's.
//
//     auto opt = optim::adam(1e-3);
//     auto state = opt.init(params);                                       // state.count, state.mu, state.nu; mu and
//     nu have the type of params auto [updates, next] = opt.update(grads, state, params); params =
//     optim::apply_updates(params, updates);
//
// What the optimisers keep and compute of float16 parameters is float32: the squares of usual gradients are 0 there,
// and Optax, which computes in float16, gives infinities. Updates have the dtype of the gradients.
//
// Every state counts its steps, and schedules use that count. An optimiser is a value: capture it in the function that
// is jitted.
#pragma once

#include "tutti/optim/combine.hpp"
#include "tutti/optim/core.hpp"
#include "tutti/optim/losses.hpp"
#include "tutti/optim/parts.hpp"
#include "tutti/optim/schedules.hpp"

namespace tutti::optim {

/// Weight decay beside the loss: `weight_decay` times the parameter where the mask holds.
struct DecayOptions {
  double weight_decay = 1e-4;
  Mask mask = true;
};

/// Gradient descent; with momentum when it is not 0.
Transform<TraceState> sgd(Rate learning_rate, double momentum = 0, bool nesterov = false);
inline Transform<TraceState> momentum(Rate learning_rate, double momentum = 0.9, bool nesterov = false) {
  return sgd(std::move(learning_rate), momentum, nesterov);
}
Transform<CountState> sign_sgd(Rate learning_rate);
/// The sign of a running mean.
Transform<EmaState> signum(Rate learning_rate, double beta = 0.9);

/// Kingma and Ba 2015.
Transform<AdamState> adam(Rate learning_rate, const AdamOptions& options = {});
struct AdamWOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0, weight_decay = 1e-4;
  Mask mask = true;
  bool nesterov = false;
  std::optional<DType> mu_dtype = {};
};
/// adam with decoupled weight decay (Loshchilov and Hutter 2019).
Transform<AdamState> adamw(Rate learning_rate, const AdamWOptions& options = {});
Transform<AdamState> nadam(Rate learning_rate, AdamOptions options = {});
Transform<AdamState> nadamw(Rate learning_rate, AdamWOptions options = {});
Transform<AdamState> adamax(Rate learning_rate, double b1 = 0.9, double b2 = 0.999, double eps = 1e-8);
Transform<AdamState> adamaxw(Rate learning_rate, double b1 = 0.9, double b2 = 0.999, double eps = 1e-8,
                             const DecayOptions& decay = {});
Transform<AdamState> adabelief(Rate learning_rate, const BeliefOptions& options = {});
Transform<AmsgradState> amsgrad(Rate learning_rate, const AmsgradOptions& options = {});
Transform<AdamState> radam(Rate learning_rate, const RAdamOptions& options = {});
Transform<AdamState> yogi(Rate learning_rate, double b1 = 0.9, double b2 = 0.999, double eps = 1e-3);
Transform<AdamState> novograd(Rate learning_rate, const NovogradOptions& options = {});
Transform<AdanState> adan(Rate learning_rate, const AdanOptions& options = {},
                          const DecayOptions& decay = {.weight_decay = 0});
/// The sign of a mix of mean and gradient (Chen et al. 2023).
Transform<LionState> lion(Rate learning_rate, double b1 = 0.9, double b2 = 0.99,
                          const DecayOptions& decay = {.weight_decay = 1e-3});

Transform<RssState> adagrad(Rate learning_rate, double initial_accumulator_value = 0.1, double eps = 1e-7);
Transform<AdadeltaState> adadelta(Rate learning_rate = 1., double rho = 0.9, double eps = 1e-6,
                                  const DecayOptions& decay = {.weight_decay = 0});
template <class Params> struct RmspropState {
  Array count{};
  Params nu{}, mu{}, trace{};  // mu: when centered; trace: with momentum; else without arrays
};
struct RmspropOptions {
  double decay = 0.9, eps = 1e-8, initial_scale = 0;
  bool eps_in_sqrt = true, centered = false;
  double momentum = 0;  // 0: none
  bool nesterov = false, bias_correction = false;
};
Transform<RmspropState> rmsprop(Rate learning_rate, const RmspropOptions& options = {});
/// Step sizes per element from the signs of gradients. The rate is the first step size.
Transform<RpropState> rprop(double learning_rate, const RpropOptions& options = {});

struct LambOptions {
  double b1 = 0.9, b2 = 0.999, eps = 1e-6, eps_root = 0, weight_decay = 0;
  Mask mask = true;
};
/// adam with steps in proportion to the norms of the parameters (You et al. 2020).
Transform<AdamState> lamb(Rate learning_rate, const LambOptions& options = {});
struct LarsOptions {
  double weight_decay = 0;
  Mask weight_decay_mask = true;
  double trust_coefficient = 1e-3, eps = 0;
  Mask trust_ratio_mask = true;
  double momentum = 0.9;
  bool nesterov = false;
};
/// The same idea with momentum (You et al. 2017).
Transform<TraceState> lars(Rate learning_rate, const LarsOptions& options = {});
Transform<CountState> fromage(double learning_rate, double min_norm = 1e-6);

template <class Params> struct AdafactorState {
  Array count{};
  Params v_row{}, v_col{}, v{}, ema{};  // ema: with momentum
};
struct AdafactorOptions {
  int min_dim_size_to_factor = 128;
  double decay_rate = 0.8;
  int decay_offset = 0;
  bool multiply_by_parameter_scale = true;
  std::optional<double> clipping_threshold = 1.0, momentum = {};
  DType dtype_momentum = float32;
  double weight_decay_rate = 0;
  double eps = 1e-30;
  bool factored = true;
  Mask weight_decay_mask = true;
};
/// Shazeer and Stern 2018: second moments as rows and columns. Without a rate the scale of the parameters alone sets
/// the step.
Transform<AdafactorState> adafactor(std::optional<Rate> learning_rate = {}, const AdafactorOptions& options = {});

Transform<OptimisticState> optimistic_gradient_descent(Rate learning_rate, double alpha = 1, double beta = 1);

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
