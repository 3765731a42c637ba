#include "tutti/optim/schedules.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::optim {
namespace {

// x^p, by multiplications where p is a small whole number.
Array to_power(const Array& x, double p) {
  return p == std::round(p) && std::abs(p) < 64 ? power(x, static_cast<int>(p)) : power(x, p);
}

void check_scales(const char* who, const std::map<int, double>& scales) {
  for (auto [step, scale] : scales)
    if (!(scale >= 0))
      raise<ValueError>(
          who, "the scale " + std::to_string(scale) + " at step " + std::to_string(step) + " is negative or NaN",
          "Scales are 0 or more.");
}

}  // namespace

Schedule constant_schedule(double value) { return value; }

Schedule polynomial_schedule(double init_value, double end_value, double power, int transition_steps,
                             int transition_begin) {
  if (transition_steps <= 0) return init_value;
  int begin = std::max(transition_begin, 0);
  return [=](const Array& count) {
    Array left = 1 - clip(count - begin, 0, transition_steps) / transition_steps;
    return (init_value - end_value) * to_power(left, power) + end_value;
  };
}

Schedule linear_schedule(double init_value, double end_value, int transition_steps, int transition_begin) {
  return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin);
}

Schedule piecewise_constant_schedule(double init_value, const std::map<int, double>& scales) {
  check_scales("piecewise_constant_schedule", scales);
  return [=](const Array& count) {
    Array value = init_value;
    for (auto [step, scale] : scales) value = where(count < step, value, scale * value);
    return value;
  };
}

Schedule piecewise_interpolate_schedule(const std::string& type, double init_value,
                                        const std::map<int, double>& scales) {
  if (type != "linear" && type != "cosine")
    raise<ValueError>("piecewise_interpolate_schedule", "there is no interpolation \"" + type + "\"",
                      "Give \"linear\" or \"cosine\".");
  check_scales("piecewise_interpolate_schedule", scales);
  bool cosine = type == "cosine";
  return [=](const Array& count) {
    Array out = 0.f;
    int from = 0;
    float value = static_cast<float>(init_value);
    for (auto [to, scale] : scales) {
      float next = value * static_cast<float>(scale);
      Array part = (count - from) / std::max(to - from, 1);
      Array between =
          cosine ? next + (value - next) / 2.f * (cos(std::numbers::pi * part) + 1) : (next - value) * part + value;
      out = where((count >= from) & (count < to), between, out);
      from = to;
      value = next;
    }
    return where(count >= from, value, out);
  };
}

Schedule exponential_decay(double init_value, int transition_steps, double decay_rate, const ExponentialOptions& o) {
  if (transition_steps <= 0 || decay_rate == 0) return init_value;
  int begin = std::max(o.transition_begin, 0);
  return [=](const Array& count) {
    Array done = count - begin, p = done / transition_steps;
    if (o.staircase) p = floor(p);
    Array value = where(done <= 0, init_value, init_value * power(decay_rate, p));
    if (!o.end_value) return value;
    return decay_rate < 1 ? maximum(value, *o.end_value) : minimum(value, *o.end_value);
  };
}

Schedule cosine_decay_schedule(double init_value, double decay_steps, double alpha, double exponent) {
  if (!(decay_steps > 0))
    raise<ValueError>("cosine_decay_schedule", "decay_steps is " + std::to_string(decay_steps),
                      "Give a positive number of steps.");
  return [=](const Array& count) {
    Array cosine = 0.5 * (1 + cos(std::numbers::pi * minimum(count, decay_steps) / decay_steps));
    return init_value * ((1 - alpha) * to_power(cosine, exponent) + alpha);
  };
}

Schedule warmup_constant_schedule(double init_value, double peak_value, int warmup_steps) {
  return linear_schedule(init_value, peak_value, warmup_steps);
}

Schedule warmup_cosine_decay_schedule(double init_value, double peak_value, int warmup_steps, int decay_steps,
                                      double end_value, double exponent) {
  if (decay_steps <= warmup_steps)
    raise<ValueError>(
        "warmup_cosine_decay_schedule",
        "decay_steps is " + std::to_string(decay_steps) + ", warmup_steps " + std::to_string(warmup_steps),
        "decay_steps counts both: give more than warmup_steps.");
  double alpha = peak_value == 0 ? 0 : end_value / peak_value;
  return join_schedules(
      {linear_schedule(init_value, peak_value, warmup_steps),
       cosine_decay_schedule(peak_value, static_cast<double>(decay_steps) - warmup_steps, alpha, exponent)},
      {warmup_steps});
}

Schedule warmup_exponential_decay_schedule(double init_value, double peak_value, int warmup_steps, int transition_steps,
                                           double decay_rate, const ExponentialOptions& o) {
  return join_schedules({linear_schedule(init_value, peak_value, warmup_steps),
                         exponential_decay(peak_value, transition_steps, decay_rate, o)},
                        {warmup_steps});
}

Schedule sgdr_schedule(const std::vector<WarmupCosine>& cycles) {
  std::vector<Schedule> parts;
  std::vector<int> boundaries;
  int step = 0;
  for (const WarmupCosine& c : cycles) {
    if (!parts.empty()) boundaries.push_back(step);
    parts.push_back(warmup_cosine_decay_schedule(c.init_value, c.peak_value, c.warmup_steps, c.decay_steps, c.end_value,
                                                 c.exponent));
    step += c.decay_steps;
  }
  return join_schedules(parts, boundaries);
}

Schedule linear_onecycle_schedule(int steps, double peak_value, double pct_start, double pct_final, double div_factor,
                                  double final_div_factor) {
  if (steps <= 0)
    raise<ValueError>("linear_onecycle_schedule", "transition_steps is " + std::to_string(steps),
                      "Give a positive number of steps.");
  return piecewise_interpolate_schedule("linear", peak_value / div_factor,
                                        {{static_cast<int>(pct_start * steps), div_factor},
                                         {static_cast<int>(pct_final * steps), 1 / div_factor},
                                         {steps, 1 / final_div_factor}});
}

Schedule cosine_onecycle_schedule(int steps, double peak_value, double pct_start, double div_factor,
                                  double final_div_factor) {
  if (steps <= 0)
    raise<ValueError>("cosine_onecycle_schedule", "transition_steps is " + std::to_string(steps),
                      "Give a positive number of steps.");
  return piecewise_interpolate_schedule(
      "cosine", peak_value / div_factor,
      {{static_cast<int>(pct_start * steps), div_factor}, {steps, 1 / (div_factor * final_div_factor)}});
}

Schedule join_schedules(const std::vector<Schedule>& schedules, const std::vector<int>& boundaries) {
  if (schedules.empty() || schedules.size() != boundaries.size() + 1)
    raise<ValueError>(
        "join_schedules",
        std::to_string(schedules.size()) + " schedules and " + std::to_string(boundaries.size()) + " boundaries",
        "Give one boundary between every two schedules.");
  return [=](const Array& step) {
    Array out = schedules[0](step);
    for (std::size_t i = 0; i < boundaries.size(); ++i)
      out = where(step < boundaries[i], out, schedules[i + 1](step - boundaries[i]));
    return out;
  };
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
