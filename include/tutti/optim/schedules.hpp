// Schedules: rates that are functions of the step, usable wherever a rate is. Source: optax.
//
//     optim::Schedule s = optim::warmup_cosine_decay_schedule(0, 1e-3, 100, 1000);
//     float(s(50));      optim::adam(s);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tutti/optim/core.hpp"

namespace tutti::optim {

Schedule constant_schedule(double value);
/// From init_value to end_value over transition_steps, by (1 - part)^power; constant before and after. Not more than 0
/// steps: init_value throughout.
Schedule polynomial_schedule(double init_value, double end_value, double power, int transition_steps,
                             int transition_begin = 0);
Schedule linear_schedule(double init_value, double end_value, int transition_steps, int transition_begin = 0);
/// init_value, times each scale from its step on. Throws ValueError for a negative scale.
Schedule piecewise_constant_schedule(double init_value, const std::map<int, double>& boundaries_and_scales = {});
/// The same values at the boundaries, in between "linear" or "cosine".
Schedule piecewise_interpolate_schedule(const std::string& interpolate_type, double init_value,
                                        const std::map<int, double>& boundaries_and_scales = {});
struct ExponentialOptions {
  int transition_begin = 0;
  bool staircase = false;
  std::optional<double> end_value = {};
};
/// init_value * decay_rate^(step / transition_steps).
Schedule exponential_decay(double init_value, int transition_steps, double decay_rate,
                           const ExponentialOptions& options = {});
/// Half a cosine from init_value to alpha * init_value. Throws ValueError unless decay_steps is positive.
Schedule cosine_decay_schedule(double init_value, double decay_steps, double alpha = 0, double exponent = 1);
Schedule warmup_constant_schedule(double init_value, double peak_value, int warmup_steps);
/// Linear up, then a cosine; decay_steps counts both.
Schedule warmup_cosine_decay_schedule(double init_value, double peak_value, int warmup_steps, int decay_steps,
                                      double end_value = 0, double exponent = 1);
Schedule warmup_exponential_decay_schedule(double init_value, double peak_value, int warmup_steps, int transition_steps,
                                           double decay_rate, const ExponentialOptions& options = {});
struct WarmupCosine {
  double init_value = 0, peak_value = 0;
  int warmup_steps = 0, decay_steps = 1;
  double end_value = 0, exponent = 1;
};
/// Cosines with warm restarts.
Schedule sgdr_schedule(const std::vector<WarmupCosine>& cycles);
Schedule linear_onecycle_schedule(int transition_steps, double peak_value, double pct_start = 0.3,
                                  double pct_final = 0.85, double div_factor = 25, double final_div_factor = 1e4);
Schedule cosine_onecycle_schedule(int transition_steps, double peak_value, double pct_start = 0.3,
                                  double div_factor = 25, double final_div_factor = 1e4);
/// schedules[i + 1] from step boundaries[i] on, where its own count starts again.
Schedule join_schedules(const std::vector<Schedule>& schedules, const std::vector<int>& boundaries);

// Short names.
inline Schedule constant(double value) { return constant_schedule(value); }
inline Schedule cosine(double init_value, double decay_steps, double alpha = 0) {
  return cosine_decay_schedule(init_value, decay_steps, alpha);
}
inline Schedule warmup_cosine(double init_value, double peak_value, int warmup_steps, int decay_steps,
                              double end_value = 0) {
  return warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, end_value);
}
inline Schedule exponential(double init_value, int transition_steps, double decay_rate) {
  return exponential_decay(init_value, transition_steps, decay_rate);
}
inline Schedule piecewise(double init_value, const std::map<int, double>& boundaries_and_scales) {
  return piecewise_constant_schedule(init_value, boundaries_and_scales);
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
