// Backtracking and zoom searches, Polyak's step size. Source: Optax.
#include "tutti/optim/linesearch.hpp"

#include <limits>
#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/optim/from_state.hpp"
#include "tutti/optim/line_points.hpp"
#include "tutti/optim/polyak.hpp"

namespace tutti::optim::detail {
namespace {

constexpr double beyond = std::numeric_limits<double>::infinity();

// The real part of sum(x y) over all places.
Array real_product(const ArrayVector& x, const ArrayVector& y, DType dtype) {
  Array out = zeros({}, dtype);
  for (std::size_t i = 0; i < x.size(); ++i) out = out + tutti::real(tutti::sum(x[i] * y[i])).astype(dtype);
  return out;
}
ArrayVector moved(const Line& line, const Array& by) {
  ArrayVector out;
  for (std::size_t i = 0; i < line.params.size(); ++i)
    out.push_back(line.params[i] + scaled(line.updates[i], by).astype(line.params[i].dtype()));
  return out;
}
Array number_or_beyond(const Array& x) { return where(isnan(x), beyond, x); }

using Point = LinePoint;
// A step size inside of the interval: the cubic's minimum, or the parabola's, unless they are close to its ends.
Array interpolated(const Point& low, const Point& high, const Point& reference) {
  const Array length = abs(high.at - low.at), left = minimum(high.at, low.at), right = maximum(high.at, low.at);
  auto inside = [&](const Array& x, double margin) {
    return (x > left + margin * length) & (x < right - margin * length);
  };
  const Array cubic = cubic_minimum(low, high, reference), quadratic = quadratic_minimum(low, high);
  return where(inside(cubic, 0.2), cubic, where(inside(quadratic, 0.1), quadratic, (low.at + high.at) / 2));
}

struct Search {
  Array count, interval_found, done, failed, decrease_error, curvature_error;
  Point trial, low, high, reference;
  ArrayVector grads;
  Array safe_rate, safe_value;
  ArrayVector safe_grads;
};
ArrayVector chosen_arrays(const Array& condition, const ArrayVector& x, const ArrayVector& y) {
  ArrayVector out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(where(condition, x[i], y[i]));
  return out;
}

}  // namespace

Line::Line(const char* who, ArrayVector p, const ArrayVector& u, const ArrayVector& g) : all(std::move(p)) {
  if (u.size() != all.size() || g.size() != all.size())
    raise<ValueError>(who, "parameters, updates and gradients are trees of different structure", "Give trees of one.");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].has_value() || !u[i].has_value() || !g[i].has_value() || !all[i].dtype().is_inexact()) continue;
    places.push_back(i);
    params.push_back(all[i]);
    updates.push_back(u[i]);
    grads.push_back(g[i]);
  }
}
ArrayVector Line::with(const ArrayVector& some) const {
  ArrayVector out = all;
  for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = some[i];
  return out;
}

DType value_dtype(const ArrayVector& params) {
  for (const Array& p : params)
    if (p.dtype().is_inexact()) return tutti::real(p).dtype();
  return float32;
}
Array scaled(const Array& update, const Array& by) { return update * by.astype(tutti::real(update).dtype()); }

void refuse_without_params(const char* who) {
  raise<ValueError>(who, "update needs the parameters and the loss",
                    "Call update(grads, state, params, optim::Objective{value, grads, loss}).");
}
void refuse_without_gradient() {
  raise<ValueError>("value_and_grad_from_state", "the state keeps no gradient",
                    "Give scale_by_backtracking_linesearch the option store_grad, or compute value_and_grad.");
}
void check_value(const char* who, const Array& value) {
  if (!value.has_value()) raise<ValueError>(who, "the loss at the parameters is missing", "Give it as `value`.");
  if (value.size() != 1 || value.dtype().is_complex())
    raise<ShapeError>(who, "the loss at the parameters is " + type_text(value), "It is a real scalar.");
}
Array is_known(const Array& value) { return isfinite(value); }

Backtracked backtrack(const Line& line, const ValueOf& value_of, const Array& value, const Array& rate, int max_steps,
                      const BacktrackingOptions& o) {
  const DType dtype = rate.dtype();
  const Array start = reshape(value, Shape{}).astype(dtype), slope = real_product(line.updates, line.grads, dtype);
  auto on = [&](const Backtracked& s) { return ~(s.error <= o.atol) & (s.steps <= max_steps); };
  auto body = [&](const Backtracked& s) {
    const Array next = where(s.steps > 0, o.decrease_factor * s.learning_rate, s.learning_rate);
    const Array there = reshape(value_of(moved(line, next)), Shape{}).astype(dtype);
    const Array error = number_or_beyond(there - (1 + o.rtol) * start - next * o.slope_rtol * slope);
    return Backtracked{next, there, maximum(error, 0), s.steps + 1};
  };
  Backtracked out = lax::while_loop(
      on, body,
      Backtracked{minimum(o.increase_factor * rate, o.max_learning_rate), start, full({}, beyond, dtype), step_zero()});
  out.learning_rate = where(isinf(out.error), 0, out.learning_rate);
  return out;
}

Zoomed zoom(const Line& line, const ValueAndGrad& f, const Array& value, const Array& rate, int max_steps,
            const ZoomOptions& o) {
  const DType dtype = rate.dtype();
  const Array zero = zeros({}, dtype), endless = full({}, beyond, dtype), no = array(false);
  const Point start{zero, reshape(value, Shape{}).astype(dtype), real_product(line.updates, line.grads, dtype)};
  const Array guess = o.initial_guess_strategy == InitialGuess::keep ? rate : ones({}, dtype);
  auto decrease = [&](const Point& p) {
    Array error = p.value - start.value - o.slope_rtol * p.at * start.slope;
    if (o.approx_dec_rtol) {
      const Array by_slope = p.slope - (2 * o.slope_rtol - 1) * start.slope;
      error = minimum(maximum(by_slope, p.value - start.value - *o.approx_dec_rtol * abs(start.value)), error);
    }
    return number_or_beyond(maximum(error, 0));
  };
  auto curvature = [&](const Point& p) {
    return number_or_beyond(maximum(abs(p.slope) - o.curv_rtol * abs(start.slope), 0));
  };
  auto body = [&](const Search& s) {
    const Array zooms = s.interval_found;
    Array larger = where(s.count == 0, guess, o.increase_factor * s.trial.at), at_most = no;
    if (o.max_learning_rate) {
      at_most = larger >= *o.max_learning_rate;
      larger = minimum(larger, *o.max_learning_rate);
    }
    const Array at = where(zooms, interpolated(s.low, s.high, s.reference), larger);
    const auto [there, grads] = f(moved(line, at));
    const Point p{at, reshape(there, Shape{}).astype(dtype), real_product(line.updates, grads, dtype)};
    const Array decrease_error = decrease(p), curvature_error = curvature(p);
    const Array is_right = maximum(decrease_error, curvature_error) <= o.tol, falls = decrease_error <= o.tol;
    // The ends of the interval: while it is searched for, the last step size and this one.
    const Array too_far =
        (decrease_error > 0) | (where(zooms, p.value >= s.low.value, (p.value >= s.trial.value) & (s.count > 0)));
    const Array turns = ~too_far & where(zooms, p.slope * (s.high.at - s.low.at) >= 0, p.slope >= 0);
    const Point searched_low = chosen_point(turns, p, s.trial), searched_high = chosen_point(turns, s.trial, p);
    const Point zoomed_low = chosen_point(too_far, s.low, p);
    const Point zoomed_high = chosen_point(too_far, p, chosen_point(turns, s.low, s.high));
    const Point zoomed_reference = chosen_point(too_far | turns, s.high, s.low);
    const Array found = zooms | too_far | turns | is_right;
    const Array done = is_right | (~zooms & at_most & ~found);
    const Array keeps = falls & (~zooms | (p.value < s.safe_value));
    const Array safe_rate = where(keeps, p.at, s.safe_rate);
    const Array narrow = zooms & (abs(s.high.at - s.low.at) <= o.stepsize_precision) & (safe_rate > 0);
    return Search{s.count + 1,
                  found,
                  done,
                  ~done & ((s.count + 1 >= max_steps) | narrow),
                  decrease_error,
                  curvature_error,
                  p,
                  chosen_point(zooms, zoomed_low, searched_low),
                  chosen_point(zooms, zoomed_high, searched_high),
                  chosen_point(zooms, zoomed_reference, searched_low),
                  grads,
                  safe_rate,
                  where(keeps, p.value, s.safe_value),
                  chosen_arrays(keeps, grads, s.safe_grads)};
  };
  const Search s = lax::while_loop([](const Search& s) { return ~(s.done | s.failed); }, body,
                                   Search{step_zero(), no, no, no, endless, endless, start, start, start, start,
                                          line.grads, zero, start.value, line.grads});
  // What decreases the loss, if not by enough, or nothing where it is infinite.
  const Array safe = s.failed & ((s.safe_rate > 0) | isinf(s.decrease_error));
  return {where(safe, s.safe_rate, s.trial.at),
          where(safe, s.safe_value, s.trial.value),
          chosen_arrays(safe, s.safe_grads, s.grads),
          {s.count, s.decrease_error, s.curvature_error}};
}

Array polyak_rate(const ArrayVector& updates, const Array& value, const PolyakOptions& o) {
  const DType dtype = value_dtype(updates);
  Array norm = zeros({}, dtype);
  for (const Array& u : updates) norm = norm + tutti::sum(square(abs(u))).astype(dtype);
  Array gap = (reshape(value, Shape{}) - o.f_min).astype(dtype);
  if (o.variant == PolyakVariant::sps_plus) gap = maximum(gap, 0);
  const Array divisor = norm + o.eps, vanishes = divisor <= std::numeric_limits<double>::epsilon();
  return where(vanishes, 0, minimum(gap / where(vanishes, 1, divisor), o.max_learning_rate));
}

}  // namespace tutti::optim::detail

// SPDX-License-Identifier: Apache-2.0
