// Minimisation. Not part of tutti.hpp: include this file. Source: jax.scipy.optimize.
//
//     auto rosenbrock = [](const Array& x) { return sum(100 * square(x(slice(1, none)) - square(x(slice(0, -1)))) +
//                                                       square(1 - x(slice(0, -1)))); };
//     auto found = optimize::minimize(rosenbrock, zeros({5}));    // found.x, found.fun, found.success
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/choice.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tree/ravel.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::optimize {

enum class Method { bfgs };
constexpr Choices choices_of(Method) { return {"minimize", "method", "BFGS|bfgs"}; }
/// Ends where the gradient's norm (`norm`: the order, infinite unless given) is below gtol, after maxiter steps (200
/// times the number of unknowns when left out), or where the line search fails within line_search_maxiter steps.
struct MinimizeOptions {
  OneOf<Method> method = Method::bfgs;
  std::optional<Dim> maxiter = {};
  double norm = std::numeric_limits<double>::infinity(), gtol = 1e-5;
  Dim line_search_maxiter = 10;
};
/// success: bool[]; status: 0 converged, 1 maxiter, 3 the line search's interval vanished, 5 its steps are used up;
/// fun: the loss, jac its gradient, hess_inv[n, n] the approximation of the inverse of the Hessian, of the unknowns as
/// one vector; nfev, njev: how often the loss and its gradient were computed; nit: steps.
template <class X> struct OptimizeResults {
  X x{};
  Array success{}, status{}, fun{};
  X jac{};
  Array hess_inv{}, nfev{}, njev{}, nit{};
};

namespace detail {
using ValueAndGradOf = std::function<std::pair<Array, Array>(const Array&)>;
OptimizeResults<Array> minimize_bfgs(const ValueAndGradOf& f, const Array& x0, const MinimizeOptions& options);
}  // namespace detail

/// The x where f(x), a real scalar, is least: an array or a tree of them, floating, found from x0 on by the method of
/// Broyden, Fletcher, Goldfarb and Shanno. One while loop: in jit, and by vmap for many x0 at once; derivatives through
/// it are forward only. f is differentiated. ValueError where x0 has no arrays or an option makes no sense, TypeError
/// where x0 is complex.
template <class F, class X>
OptimizeResults<lift_t<X>> minimize(const F& f, const X& x0, const MinimizeOptions& options = {},
                                    Loc loc = Loc::current()) {
  CallScope scope(loc, {"", "minimize", 0});
  const lift_t<X> first(x0);
  const auto raveled = ravel_pytree(first);
  const auto& unravel = raveled.second;
  auto loss = [&](const Array& v) { return Array(f(unravel(v))); };
  const auto found =
      detail::minimize_bfgs([&](const Array& v) { return value_and_grad(loss)(v); }, raveled.first, options);
  return {unravel(found.x), found.success, found.status, found.fun, unravel(found.jac),
          found.hess_inv,   found.nfev,    found.njev,   found.nit};
}

}  // namespace tutti::optimize

// SPDX-License-Identifier: Apache-2.0
