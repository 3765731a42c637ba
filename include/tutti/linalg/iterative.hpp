// Solutions of linear systems that are known by their products alone: conjugate gradients, BiCGSTAB, GMRES. Source of
// names, meanings and stopping rules: jax.scipy.sparse.linalg.
//
//     auto laplacian = [](const Array& u) { return 4 * u - roll(u, 1, 0) - roll(u, -1, 0) - roll(u, 1, 1) - ...; };
//     Array u = linalg::cg(laplacian, f, {.tol = 1e-6});
//
// The unknown is an array of any shape or a tree of them, of the type of b. Inside jit a solver is one while loop; over
// sharded arrays its steps are split as a and b are. Derivatives, by b and by what `a` captured, follow from the
// implicit function theorem: one more solution by the same method, forward or back, as exact as the solutions are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/choice.hpp"
#include "tutti/lax/implicit.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::linalg {

/// Ends when |b - a x| <= max(tol |b|, atol), or after `maxiter` steps (10 times the number of unknowns when left out),
/// or where the method breaks down; x is then what there is. `x0`: where it begins, zeros when left out. `M`: an
/// approximation of a's inverse, which makes the steps fewer.
template <class X> struct SolverOptions {
  std::optional<X> x0 = {};
  double tol = 1e-5, atol = 0;
  std::optional<Dim> maxiter = {};
  std::function<X(const X&)> M = {};
};
enum class GmresMethod { batched, incremental };
constexpr Choices choices_of(GmresMethod) { return {"gmres", "solve_method", "batched incremental"}; }
/// `restart`: how many products a step of GMRES takes, and how many vectors it keeps; `maxiter` counts such steps.
/// "batched" makes them all, then solves for the best combination; "incremental" looks after each product and stops
/// early.
template <class X> struct GmresOptions {
  std::optional<X> x0 = {};
  double tol = 1e-5, atol = 0;
  Dim restart = 20;
  std::optional<Dim> maxiter = {};
  std::function<X(const X&)> M = {};
  OneOf<GmresMethod> solve_method = GmresMethod::batched;
};

namespace detail {

using tutti::detail::ArraysFn;
struct Iteration {
  const char* name = "";
  ArraysFn matrix = {}, inverse = {};  // the second may be empty
  std::vector<Array> b = {}, x0 = {};  // the second may be empty
  double tol = 0, atol = 0;
  std::optional<Dim> maxiter = {};
  Dim restart = 0;
  GmresMethod method = GmresMethod::batched;
};
std::vector<Array> conjugate_gradients(const Iteration& iteration, Loc loc);
std::vector<Array> stabilized_biconjugate_gradients(const Iteration& iteration, Loc loc);
std::vector<Array> generalized_minimal_residuals(const Iteration& iteration, Loc loc);
/// x -> a x; ShapeError unless a is a square matrix.
std::function<Array(const Array&)> product_with(const char* name, const Array& a, Loc loc);

template <class X, class F> ArraysFn on_arrays(const F& f, const X& like) {
  return [&f, &like](const std::vector<Array>& x) {
    return tree::leaves(X(f(tree::rebuild(like, std::span<const Array>(x)))));
  };
}
template <class X, class A, class O, class Solve>
X solve_by(const char* name, const A& a, const X& b, const O& options, Iteration iteration, const Solve& solve,
           Loc loc) {
  if constexpr (std::is_convertible_v<const A&, Array>) {
    return solve_by(name, product_with(name, a, loc), b, options, std::move(iteration), solve, loc);
  } else {
    constexpr bool fits = std::is_invocable_r_v<X, const A&, const X&>;
    static_assert(fits, "tutti: a linear solver takes a matrix, or a function from a tree of b's type to such a tree");
    if constexpr (fits) {
      iteration.name = name;
      iteration.matrix = on_arrays(a, b);
      if (options.M) iteration.inverse = on_arrays(options.M, b);
      iteration.b = tree::leaves(b);
      if (options.x0) iteration.x0 = tree::leaves(*options.x0);
      return tree::rebuild(b, std::span<const Array>(solve(iteration, loc)));
    } else {
      return b;
    }
  }
}

}  // namespace detail

/// The x of a x = b for a Hermitian, positive definite `a`: a matrix, or a function of vectors.
///
/// Throws ShapeError and TypeError where a's results or x0 have other types than b, ValueError where they are trees of
/// other structure. The second result of jax.scipy.sparse.linalg.cg, which is None, is left out.
template <class A, class B>
lift_t<B> cg(const A& a, const B& b, const SolverOptions<std::type_identity_t<lift_t<B>>>& options = {},
             Loc loc = Loc::current()) {
  return detail::solve_by<lift_t<B>>("cg", a, lift_t<B>(b), options,
                                     {.tol = options.tol, .atol = options.atol, .maxiter = options.maxiter},
                                     detail::conjugate_gradients, loc);
}
/// The same for any regular `a`, with two products a step. NaN where it breaks down.
template <class A, class B>
lift_t<B> bicgstab(const A& a, const B& b, const SolverOptions<std::type_identity_t<lift_t<B>>>& options = {},
                   Loc loc = Loc::current()) {
  return detail::solve_by<lift_t<B>>("bicgstab", a, lift_t<B>(b), options,
                                     {.tol = options.tol, .atol = options.atol, .maxiter = options.maxiter},
                                     detail::stabilized_biconjugate_gradients, loc);
}
/// The same for any regular `a`: the best x of b's images under a, `restart` of them at a time.
template <class A, class B>
lift_t<B> gmres(const A& a, const B& b, const GmresOptions<std::type_identity_t<lift_t<B>>>& options = {},
                Loc loc = Loc::current()) {
  return detail::solve_by<lift_t<B>>("gmres", a, lift_t<B>(b), options,
                                     {.tol = options.tol,
                                      .atol = options.atol,
                                      .maxiter = options.maxiter,
                                      .restart = options.restart,
                                      .method = options.solve_method},
                                     detail::generalized_minimal_residuals, loc);
}

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
