// BFGS with a line search for Wolfe's strong conditions. Sources: Nocedal and Wright 1999, algorithms 6.1, 3.5 and 3.6;
// jax.scipy.optimize.
#include "tutti/scipy/optimize.hpp"

#include <string>

#include "tutti/lax/control_flow.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/optim/line_points.hpp"

namespace tutti::optimize::detail {
namespace {

constexpr double kDecrease = 1e-4, kCurvature = 0.9;
constexpr int kZoomSteps = 30;

using Trial = optim::detail::LinePoint;
using optim::detail::chosen_point;
using optim::detail::cubic_minimum;
using optim::detail::quadratic_minimum;
struct Evaluated {
  Trial trial;
  Array grad;
};
using OnLine = std::function<Evaluated(const Array& at)>;

struct Zoom {
  Array done, failed, steps;
  Trial low, high;
  Array recent, recent_value;
  Trial star;
  Array grad;
};
struct Conditions {
  Trial start;
  Array too_high(const Trial& t) const { return t.value > start.value + kDecrease * t.at * start.slope; }
  Array flat(const Trial& t) const { return abs(t.slope) <= -kCurvature * start.slope; }
};

// A step size between low and high, which the interval is known to have; nothing happens unless `needed`.
Zoom zoomed(const OnLine& f, const Conditions& c, const Trial& low, const Trial& high, const Array& grad,
            const Array& needed) {
  const double least = low.at.dtype() == float64 ? 1e-10 : 1e-5;
  auto body = [&](const Zoom& z) {
    const Array length = abs(z.high.at - z.low.at), a = minimum(z.high.at, z.low.at), b = maximum(z.high.at, z.low.at);
    auto inside = [&](const Array& x, double margin) { return (x > a + margin * length) & (x < b - margin * length); };
    const Array cubic = cubic_minimum(z.low, z.high, {z.recent, z.recent_value, {}}),
                parabola = quadratic_minimum(z.low, z.high);
    const Array at = where((z.steps > 0) & inside(cubic, 0.2), cubic,
                           where(inside(parabola, 0.1), parabola, (z.low.at + z.high.at) / 2));
    const auto [t, g] = f(at);
    const Array to_high = c.too_high(t) | (t.value >= z.low.value), done = ~to_high & c.flat(t);
    const Array turns = ~to_high & ~done & (t.slope * (z.high.at - z.low.at) >= 0), to_low = ~to_high & ~done;
    return Zoom{z.done | done,
                (length <= least) | (z.steps + 1 >= kZoomSteps),
                z.steps + 1,
                chosen_point(to_low, t, z.low),
                chosen_point(to_high, t, chosen_point(turns, z.low, z.high)),
                where(to_high | turns, z.high.at, where(to_low, z.low.at, z.recent)),
                where(to_high | turns, z.high.value, where(to_low, z.low.value, z.recent_value)),
                chosen_point(done, t, z.star),
                where(done, g, z.grad)};
  };
  const Array no = array(false);
  return lax::while_loop([&](const Zoom& z) { return needed & ~z.done & ~z.failed; }, body,
                         Zoom{no,
                              no,
                              zeros({}, int32),
                              low,
                              high,
                              (low.at + high.at) / 2,
                              (low.value + high.value) / 2,
                              {ones_like(low.at), low.value, low.slope},
                              grad});
}

struct Found {
  Array failed, status, calls;
  Trial star;
  Array grad;
};
struct Bracket {
  Array done, failed, i, calls;
  Trial last, star;
  Array grad;
};
Found line_search(const OnLine& f, const Trial& start, const Array& grad, const Array& value_before,
                  std::int64_t maxiter) {
  const Conditions c{start};
  const Array guess = 1.01 * 2 * (start.value - value_before) / start.slope;
  const Array first = where(guess > 1, 1., guess);
  auto body = [&](const Bracket& s) {
    const auto [t, g] = f(where(s.i == 1, first, s.last.at * 2));
    const Array behind = c.too_high(t) | ((t.value >= s.last.value) & (s.i > 1));
    const Array right = ~behind & c.flat(t), before = ~behind & ~right & (t.slope >= 0), zooms = behind | before;
    const Zoom z = zoomed(f, c, chosen_point(behind, s.last, t), chosen_point(behind, t, s.last), grad, zooms);
    return Bracket{s.done | zooms | right,
                   s.failed | (zooms & ~z.done),
                   s.i + 1,
                   s.calls + 1 + z.steps,
                   t,
                   chosen_point(zooms, z.star, chosen_point(right, t, s.star)),
                   where(zooms, z.grad, where(right, g, s.grad))};
  };
  const Array no = array(false);
  const Bracket end = lax::while_loop([&](const Bracket& s) { return ~s.done & ~s.failed & (s.i <= maxiter); }, body,
                                      Bracket{no, no, ones({}, int32), zeros({}, int32), start, start, grad});
  Trial star = end.star;
  if (star.at.dtype() != float64) star.at = where(abs(star.at) < 1e-8, sign(star.at) * 1e-8, star.at);
  return {end.failed | ~end.done, where(end.failed, 1, where(end.i > maxiter, 3, 0)).astype(int32), end.calls, star,
          end.grad};
}

struct Step {
  Array converged, failed, line_status, k, calls, x, value, grad, h, value_before;
};

}  // namespace

OptimizeResults<Array> minimize_bfgs(const ValueAndGradOf& f, const Array& x0, const MinimizeOptions& o) {
  const std::int64_t n = x0.size();
  if (n == 0) raise<ValueError>("minimize", "x0 has no elements", "Give one or more.");
  if (x0.dtype().is_complex())
    raise<TypeError>("minimize", "x0 is " + type_text(x0), "Minimise over real and imaginary parts.");
  if ((o.maxiter && *o.maxiter < 0) || o.line_search_maxiter < 1)
    raise<ValueError>("minimize", "a number of steps is negative, or none are left for the line search",
                      "maxiter is 0 or more, line_search_maxiter 1 or more.");
  const std::int64_t most = o.maxiter ? o.maxiter->value : extent::mul(200, n);
  const std::int64_t search_steps = o.line_search_maxiter;
  const Array start = x0.dtype().is_inexact() ? x0 : x0.astype(float32);
  const DType dtype = start.dtype();
  auto at = [&](const Array& x) {
    const auto [value, grad] = f(x);
    return std::pair{reshape(value, Shape{}).astype(dtype), grad};
  };
  auto small = [&](const Array& grad) { return linalg::norm(grad, o.norm) < o.gtol; };
  const auto [value, grad] = at(start);
  auto body = [&](const Step& s) {
    const Array direction = -matmul(s.h, s.grad);
    const OnLine on_line = [&](const Array& a) {
      const auto [v, g] = at(s.x + a * direction);
      return Evaluated{{a, v, dot(g, direction)}, g};
    };
    const Found found = line_search(on_line, {zeros_like(s.value), s.value, dot(s.grad, direction)}, s.grad,
                                    s.value_before, search_steps);
    const Array dx = found.star.at * direction, dg = found.grad - s.grad, rho = 1 / dot(dg, dx);
    const Array w = eye(n, dtype) - rho * outer(dx, dg);
    const Array h = matmul(matmul(w, s.h), w.T()) + rho * outer(dx, dx);
    return Step{small(found.grad),
                found.failed,
                found.status,
                s.k + 1,
                s.calls + found.calls,
                s.x + dx,
                found.star.value,
                found.grad,
                where(isfinite(rho), h, s.h),
                s.value};
  };
  const Array zero = zeros({}, int32);
  const Step end = lax::while_loop([&](const Step& s) { return ~s.converged & ~s.failed & (s.k < most); }, body,
                                   Step{small(grad), array(false), zero, zero, zero + 1, start, value, grad,
                                        eye(n, dtype), value + linalg::norm(grad) / 2});
  const Array status =
      where(end.converged, 0, where(end.k == most, 1, where(end.failed, 2 + end.line_status, -1))).astype(int32);
  return {end.x, end.converged & ~end.failed, status, end.value, end.grad, end.h, end.calls, end.calls, end.k};
}

}  // namespace tutti::optimize::detail

// SPDX-License-Identifier: Apache-2.0
