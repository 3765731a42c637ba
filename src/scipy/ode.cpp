// Dormand and Prince's method with adaptive steps, and its adjoint. Sources: Dormand and Prince 1980 (the method),
// Shampine 1986 (values between steps), Hairer, Norsett and Wanner (the first step), Chen et al. 2018 (the adjoint);
// jax.experimental.ode.
#include "tutti/scipy/ode.hpp"

#include <array>
#include <cmath>
#include <string>

#include "tutti/lax/control_flow.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/closure.hpp"
#include "tutti/transform/custom_rules.hpp"
#include "tutti/transform/linear_maps.hpp"

namespace tutti::ode::detail {
namespace {

using Slopes = std::array<Array, 7>;
using Weights = std::array<double, 7>;

constexpr Weights kTimes{0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
constexpr std::array<Weights, 7> kStages{{{},
                                          {1. / 5},
                                          {3. / 40, 9. / 40},
                                          {44. / 45, -56. / 15, 32. / 9},
                                          {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                          {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                          {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}};
// The difference of the methods of orders 5 and 4, and the value in the middle of a step.
constexpr Weights kError{35. / 384 - 1951. / 21600,
                         0,
                         500. / 1113 - 22642. / 50085,
                         125. / 192 - 451. / 720,
                         -2187. / 6784 + 12231. / 42400,
                         11. / 84 - 649. / 6300,
                         -1. / 60};
constexpr Weights kMiddle{6025192743. / 30085553152 / 2,     0,
                          51252292925. / 65400821598 / 2,    -2691868925. / 45128329728 / 2,
                          187940372067. / 1594534317056 / 2, -1776094331. / 19743644256 / 2,
                          11237099. / 235043384 / 2};

Array combination(const Weights& weights, const Slopes& k, std::size_t count) {
  Array out;
  for (std::size_t i = 0; i < count; ++i) {
    if (weights[i] == 0) continue;
    const Array term = weights[i] * k[i];
    out = out.has_value() ? out + term : term;
  }
  return out;
}
// A real number times y.
Array times(const Array& number, const Array& y) { return number.astype(tutti::real(y).dtype()) * y; }
Array norm_of(const Array& y) { return sqrt(sum(square(abs(y)))); }

using SlopeAt = std::function<Array(const Array& y, const Array& t)>;

struct Step {
  Array y, error;
  Slopes k;
};
Step step_of(const SlopeAt& f, const Array& y, const Array& slope, const Array& t, const Array& dt) {
  Step out;
  out.k[0] = slope;
  for (std::size_t i = 1; i < 7; ++i) {
    out.y = y + times(dt, combination(kStages[i], out.k, i));
    out.k[i] = f(out.y, t + dt * kTimes[i]);
  }
  out.error = times(dt, combination(kError, out.k, 7));
  return out;
}
// The polynomial of degree 4 with these values and slopes at both ends and this value in the middle, highest power
// first.
std::array<Array, 5> polynomial(const Array& y0, const Array& y1, const Array& middle, const Array& d0,
                                const Array& d1) {
  return {2 * (d1 - d0) - 8 * (y0 + y1) + 16 * middle, 5 * d0 - 3 * d1 + 18 * y0 + 14 * y1 - 32 * middle,
          d1 - 4 * d0 - 11 * y0 - 5 * y1 + 16 * middle, d0, y0};
}

struct State {
  Array steps, y, slope, t, dt, last_t;
  std::array<Array, 5> between;
};
State chosen_state(const Array& condition, const State& a, const State& b) {
  State out{a.steps,
            where(condition, a.y, b.y),
            where(condition, a.slope, b.slope),
            where(condition, a.t, b.t),
            a.dt,
            where(condition, a.last_t, b.last_t),
            {}};
  for (std::size_t i = 0; i < 5; ++i) out.between[i] = where(condition, a.between[i], b.between[i]);
  return out;
}

Array first_step(const SlopeAt& f, const Array& t, const Array& y, const Array& slope, const OdeintOptions& o) {
  const Array scale = o.atol + abs(y) * o.rtol;
  const Array d0 = norm_of(y / scale), d1 = norm_of(slope / scale);
  const Array h0 = where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, 0.01 * d0 / d1);
  const Array there = f(y + times(h0, slope), t + h0.astype(t.dtype()));
  const Array d2 = norm_of((there - slope) / scale) / h0;
  const Array h1 =
      where((d1 <= 1e-15) & (d2 <= 1e-15), maximum(1e-6, h0 * 1e-3), power(0.01 / maximum(d1, d2), 1. / 5));
  return minimum(100 * h0, h1).astype(t.dtype());
}

// The largest step is ten times the one before, the smallest a fifth.
Array next_step(const Array& dt, const Array& ratio, const OdeintOptions& o) {
  const Array least = where(ratio < 1, 1., 0.2);
  const Array factor = minimum(10., maximum(power(where(ratio == 0, 1, ratio), -0.2) * 0.9, least));
  return clip(dt * where(ratio == 0, 10., factor).astype(dt.dtype()), 0, o.hmax);
}

Array forward(const Dynamics& dynamics, const Array& y0, const Array& ts, const std::vector<Array>& args,
              const OdeintOptions& o) {
  const SlopeAt f = [&](const Array& y, const Array& t) {
    std::vector<Array> in{y, t};
    in.insert(in.end(), args.begin(), args.end());
    return dynamics(in)[0];
  };
  auto until = [&](const State& begin, const Array& target) {
    auto on = [&](const State& s) {
      const Array more = (s.t < target) & (s.dt > 0);
      return o.mxstep ? more & (s.steps < o.mxstep->value) : more;
    };
    auto body = [&](const State& s) {
      const Step next = step_of(f, s.y, s.slope, s.t, s.dt);
      const Array bound = o.atol + o.rtol * maximum(abs(s.y), abs(next.y));
      const Array ratio = sqrt(mean(square(abs(next.error / bound))));
      const Array middle = s.y + times(s.dt, combination(kMiddle, next.k, 7));
      State after{s.steps + 1,
                  next.y,
                  next.k[6],
                  s.t + s.dt,
                  next_step(s.dt, ratio, o),
                  s.t,
                  polynomial(s.y, next.y, middle, times(s.dt, s.slope), times(s.dt, next.k[6]))};
      return chosen_state(ratio <= 1, after, s);
    };
    State start = begin;
    start.steps = zeros({}, int32);
    const State end = lax::while_loop(on, body, start);
    const Array part = (target - end.last_t) / (end.t - end.last_t);
    Array y = end.between[0];
    for (std::size_t i = 1; i < 5; ++i) y = times(part, y) + end.between[i];
    return std::pair{end, y};
  };
  const Array t0 = ts[0], slope = f(y0, t0);
  const Array dt = clip(first_step(f, t0, y0, slope, o), 0, o.hmax);
  const Array zero = zeros_like(y0);
  const State start{zeros({}, int32), y0, slope, t0, dt, t0, {zero, zero, zero, zero, y0}};
  const Array rest = lax::scan(until, start, ts(slice(1, none))).second;
  return concatenate({expand_dims(y0, 0), rest});
}

using Arguments = std::vector<Array>;

// Cotangents of y0, times and arguments; those of arguments that are not floating are empty.
std::tuple<Array, Array, Arguments> backward(const Dynamics& dynamics, const Array& ys, const Array& ts,
                                             const Arguments& args, const Array& g, const OdeintOptions& o, Loc loc) {
  auto slope = [&dynamics](const Array& y, const Array& t, const Arguments& rest) {
    Arguments in{y, t};
    in.insert(in.end(), rest.begin(), rest.end());
    return dynamics(in)[0];
  };
  // y, its cotangent, that of the time, and those of the arguments, as one vector.
  struct Adjoint {
    Array y{}, y_bar{}, t_bar{};
    Arguments args_bar{};
  };
  Arguments nothing;
  for (const Array& a : args)
    if (a.dtype().is_inexact()) nothing.push_back(zeros_like(a));
  const Array zero_t = zeros({}, ts.dtype());
  const auto parts = ravel_pytree(Adjoint{ys[0], g[0], zero_t, nothing}).second;
  const Dynamics adjoint = [slope, parts](const Arguments& in) {
    const Adjoint now = parts(in[0]);
    const auto [dy, pullback] = vjp(slope, now.y, -in[1], Arguments(in.begin() + 2, in.end()));
    const auto [y_bar, t_bar, args_bar] = pullback(now.y_bar.astype(dy.dtype()));
    Adjoint out{-dy, y_bar, t_bar, {}};
    for (const Array& a : args_bar)
      if (a.has_value()) out.args_bar.push_back(a);
    return Arguments{ravel_pytree(out).first.astype(in[0].dtype())};
  };
  auto interval = [&](const Adjoint& later, const Array& i) {
    const Array at = ts[i], before = ts[i - 1], y = ys[i];
    const Array t_bar = tutti::real(sum(slope(y, at, args) * g[i])).astype(ts.dtype());
    Adjoint now = later;
    now.y = y;
    now.t_bar = later.t_bar - t_bar;
    const Array flat = solve(adjoint, ravel_pytree(now).first, stack({-at, -before}), args, o, loc)[1];
    Adjoint out = parts(flat);
    out.y_bar = (out.y_bar + g[i - 1]).astype(later.y_bar.dtype());
    out.y = later.y;
    out.t_bar = tutti::real(out.t_bar).astype(ts.dtype());
    for (std::size_t k = 0; k < out.args_bar.size(); ++k)
      out.args_bar[k] = out.args_bar[k].astype(later.args_bar[k].dtype());
    return std::pair{out, t_bar};
  };
  const std::int64_t n = ts.size();
  const auto [first, t_bars] =
      lax::scan(interval, Adjoint{ys[0], g[static_cast<int>(n - 1)], zero_t, nothing}, arange(1, n), {.reverse = true});
  Arguments args_bar;
  std::size_t next = 0;
  for (const Array& a : args) args_bar.push_back(a.dtype().is_inexact() ? first.args_bar[next++] : Array());
  return {first.y_bar, concatenate({expand_dims(first.t_bar, 0), t_bars}), args_bar};
}

// With the adjoint for a derivative; its rules call the same again, so that they have derivatives too.
Array with_rule(const Dynamics& f, const Array& y0, const Array& times, const Arguments& args, const OdeintOptions& o,
                Loc loc) {
  struct Kept {
    Array ys{}, ts{};
    Arguments args{};
  };
  auto run = [f, o](const Array& y0, const Array& ts, const Arguments& args) { return forward(f, y0, ts, args, o); };
  auto fwd = [f, o, loc](const Array& y0, const Array& ts, const Arguments& args) {
    const Array ys = with_rule(f, y0, ts, args, o, loc);
    return std::pair{ys, Kept{ys, ts, args}};
  };
  auto bwd = [f, o, loc](const Kept& kept, const Array& ys_bar) {
    return backward(f, kept.ys, kept.ts, kept.args, ys_bar, o, loc);
  };
  return custom_vjp(run, fwd, bwd, loc)(y0, times, args);
}

}  // namespace

void refuse_slope(const Array& y, const Array& slope) {
  raise<ShapeError>("odeint", "the function gives " + type_text(slope) + " for " + type_text(y) + " of all arrays",
                    "It returns dy/dt, a tree like y.");
}

Array solve(const Dynamics& f, const Array& y, const Array& times, const Arguments& args, const OdeintOptions& o,
            Loc loc) {
  if (times.ndim() != 1 || times.size() == 0)
    raise<ShapeError>("odeint", "the times are " + type_text(times), "Give a vector of one or more.");
  if (!times.dtype().is_floating())
    raise<TypeError>("odeint", "the times are " + type_text(times), "Give floating numbers.");
  const Array y0 = y.dtype().is_inexact() ? y : y.astype(float32);
  if (!tutti::detail::being_recorded()) return forward(f, y0, times, args, o);
  Arguments like{y0, times[0]};
  like.insert(like.end(), args.begin(), args.end());
  const tutti::detail::Closed closed = tutti::detail::closure_convert("odeint", like, f, loc);
  Arguments all = args;
  all.insert(all.end(), closed.captured.begin(), closed.captured.end());
  return with_rule(closed.function, y0, times, all, o, loc);
}

}  // namespace tutti::ode::detail

// SPDX-License-Identifier: Apache-2.0
