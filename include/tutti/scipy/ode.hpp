// Ordinary differential equations. Not part of tutti.hpp: include this file. Source: jax.experimental.ode.
//
//     auto pendulum = [](const Array& y, const Array&, const Array& length) {
//       return stack({y[1], -9.81 / length * sin(y[0])});
//     };
//     Array ys = ode::odeint(pendulum, array({1., 0.}), linspace(0, 10, 101), {.rtol = 1e-6}, Array(2.f));  // [101, 2]
//     Array d = grad([&](const Array& l) { return ode::odeint(pendulum, y0, t, {}, l)(-1, 0); })(2.f);
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tree/ravel.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::ode {

/// A step's error is at most atol + rtol |y| in the mean of squares; steps are at most `hmax` long, and between two
/// times there are at most `mxstep` of them (as many as it takes when left out).
struct OdeintOptions {
  double rtol = 1.4e-8, atol = 1.4e-8;
  std::optional<Dim> mxstep = {};
  double hmax = std::numeric_limits<double>::infinity();
};

namespace detail {
/// dy/dt of a flat y at time t: arrays are y, t and the rest.
using Dynamics = std::function<std::vector<Array>(const std::vector<Array>&)>;
/// [times, n], from y[n] at the first time on.
Array solve(const Dynamics& f, const Array& y, const Array& times, const std::vector<Array>& args,
            const OdeintOptions& options, Loc loc);
[[noreturn]] void refuse_slope(const Array& y, const Array& slope);
}  // namespace detail

/// y at times t[n], strictly ascending (or the same numbers in another floating dtype), of dy/dt = f(y, t, args...) and
/// y(t[0]) = y0: a tree like y0, each array with a leading dim of n. By steps of Dormand and Prince's method of order 5
/// whose lengths adapt to the error, and by polynomials between them. In float32 the default tolerances are below the
/// precision; 1e-5 or so is cheaper and no worse.
///
/// Reverse mode solves the adjoint equation back in time: by y0, t, args, and the arrays that f captured. Forward mode
/// is a TypeError, as of custom_vjp. jit, vmap and shardings follow from the loops that it is made of. TypeError where
/// t is not floating, ShapeError where it is no vector, or f gives another shape than y's.
template <class F, class Y, class... A>
lift_t<Y> odeint(const F& f, const Y& y0, const In& t, const OdeintOptions& options = {}, const A&... args) {
  CallScope scope(t.loc, {"", "odeint", 0});
  const lift_t<Y> first(y0);
  const auto raveled = ravel_pytree(first);
  const auto& unravel = raveled.second;
  const std::tuple<lift_t<A>...> rest(args...);
  const detail::Dynamics slope = [&](const std::vector<Array>& in) {
    const auto own = tree::rebuild(rest, std::span<const Array>(in).subspan(2));
    const lift_t<Y> y = unravel(in[0]);
    const lift_t<Y> dy = std::apply([&](const auto&... a) { return lift_t<Y>(f(y, in[1], a...)); }, own);
    const Array flat = ravel_pytree(dy).first;
    if (flat.shape() != in[0].shape()) detail::refuse_slope(in[0], flat);
    return std::vector<Array>{flat.astype(in[0].dtype())};
  };
  const Array flat = detail::solve(slope, raveled.first, t.array, tree::leaves(rest), options, t.loc);
  return vmap([&](const Array& y) { return unravel(y); })(flat);
}

}  // namespace tutti::ode

// SPDX-License-Identifier: Apache-2.0
