// Solutions of equations, differentiated by the implicit function theorem: how they were found does not matter.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace detail {

using ArraysFn = std::function<std::vector<Array>(const std::vector<Array>&)>;

struct LinearSolveBodies {
  ArraysFn solve, matrix, transpose_solve;  // the last may be empty
  bool symmetric = false;
};
/// The solution, then what else `solve` gave.
std::vector<Array> linear_solve_call(const std::vector<Array>& b, const LinearSolveBodies& bodies, Loc loc);

struct RootBodies {
  ArraysFn solve, function, tangent_solve;  // the last from the root and the right hand side
};
std::vector<Array> root_call(const std::vector<Array>& guess, const RootBodies& bodies, Loc loc);

/// The result of a solver: the solution, or pair(solution, more).
template <class X, class R> using solved_t = std::conditional_t<std::convertible_to<R, X>, X, R>;
template <class X, class R> consteval bool check_solved() {
  constexpr bool fits = std::convertible_to<R, X> || is_pair<R>;
  static_assert(fits, "tutti: a solver returns a solution of the type of the right hand side, or pair(solution, more)");
  return fits;
}
template <class T> T with_arrays(const T& like, const std::vector<Array>& arrays) {
  return tree::rebuild(like, std::span<const Array>(arrays));
}

template <class X, class M, class S, class TS>
auto linear_solve_of(const M& matvec, const X& b, const S& solve, const TS& transpose_solve, bool symmetric, Loc loc) {
  using R = solved_t<X, std::decay_t<decltype(solve(matvec, b))>>;
  if constexpr (check_solved<X, R>()) {
    refuse_empty(matvec, "custom_linear_solve", loc);
    refuse_empty(solve, "custom_linear_solve", loc);
    if (!being_recorded()) {
      const InsideCall inside("custom_linear_solve", loc);
      return R(solve(matvec, b));
    }
    std::optional<R> made;
    LinearSolveBodies bodies;
    bodies.symmetric = symmetric;
    bodies.matrix = [&](const std::vector<Array>& x) { return tree::leaves(X(matvec(with_arrays(b, x)))); };
    bodies.solve = [&](const std::vector<Array>& in) {
      return tree::leaves(made.emplace(solve(matvec, with_arrays(b, in))));
    };
    if constexpr (!std::is_same_v<TS, none_t>)
      bodies.transpose_solve = [&](const std::vector<Array>& in) {
        const X given = with_arrays(b, in);
        const auto back = linear_transpose(matvec, given);
        auto vecmat = [&](const X& y) { return X(std::get<0>(back(y))); };
        return tree::leaves(R(transpose_solve(vecmat, given)));
      };
    const std::vector<Array> out = linear_solve_call(tree::leaves(b), bodies, loc);
    return with_arrays(*made, out);
  }
}

template <class X, class F, class S, class TS>
auto root_of(const F& f, const X& guess, const S& solve, const TS& tangent_solve, Loc loc) {
  using R = solved_t<X, std::decay_t<decltype(solve(f, guess))>>;
  if constexpr (check_solved<X, R>()) {
    refuse_empty(f, "custom_root", loc);
    refuse_empty(solve, "custom_root", loc);
    if (!being_recorded()) {
      const InsideCall inside("custom_root", loc);
      return R(solve(f, guess));
    }
    std::optional<R> made;
    RootBodies bodies;
    bodies.function = [&](const std::vector<Array>& x) { return tree::leaves(X(f(with_arrays(guess, x)))); };
    bodies.solve = [&](const std::vector<Array>& in) {
      return tree::leaves(made.emplace(solve(f, with_arrays(guess, in))));
    };
    bodies.tangent_solve = [&](const std::vector<Array>& in) {
      const auto middle = in.begin() + static_cast<std::ptrdiff_t>(in.size() / 2);
      const X x = with_arrays(guess, {in.begin(), middle}), y = with_arrays(guess, {middle, in.end()});
      const auto at = linearize([&](const X& point) { return X(f(point)); }, x);
      auto slope = [&](const X& dx) { return X(at.second(dx)); };
      return tree::leaves(X(tangent_solve(slope, y)));
    };
    const std::vector<Array> out = root_call(tree::leaves(guess), bodies, loc);
    return with_arrays(*made, out);
  }
}

}  // namespace detail

namespace lax {

struct LinearSolveOptions {
  bool symmetric = false;  // the matrix is its own transpose: `solve` solves both systems
};
/// The solution x of matvec(x) = b, a linear function, as `solve(matvec, b)` finds it: a tree of arrays like b, or
/// pair(x, more). Its derivatives, by b and by what `matvec` captured, are solutions too: forward by `solve`, backwards
/// by `transpose_solve(vecmat, b)`, where vecmat is the transpose of matvec. What the solvers do is not differentiated,
/// and may be a while_loop.
///
///     Array x = lax::custom_linear_solve([&](const Array& v) { return matmul(a, v); }, b, conjugate_gradients,
///                                        {.symmetric = true});
///
/// Throws ShapeError and TypeError where matvec or a solver gives other types than those of b, UnsupportedError in
/// reverse mode where nobody said how to solve the transposed system. Source: jax.lax.custom_linear_solve.
template <class M, class B, class S>
auto custom_linear_solve(const M& matvec, const B& b, const S& solve, const LinearSolveOptions& options = {},
                         Loc loc = Loc::current()) {
  return detail::linear_solve_of<lift_t<B>>(matvec, lift_t<B>(b), solve, none, options.symmetric, loc);
}
template <class M, class B, class S, class TS>
requires(!std::convertible_to<TS, LinearSolveOptions>) auto custom_linear_solve(const M& matvec, const B& b,
                                                                                const S& solve,
                                                                                const TS& transpose_solve,
                                                                                Loc loc = Loc::current()) {
  return detail::linear_solve_of<lift_t<B>>(matvec, lift_t<B>(b), solve, transpose_solve, false, loc);
}

/// A root x of f, f(x) = 0, as `solve(f, guess)` finds it: a tree of arrays like the guess, or pair(x, more). Its
/// derivatives, by what `f` captured, follow from f alone: `tangent_solve(g, y)` is the solution dx of g(dx) = y, where
/// g is the derivative of f at x, a linear function. What `solve` does is not differentiated.
///
///     auto root = [&](const Array& a) {  // its derivative is 1 / (2 root)
///       return lax::custom_root([&](const Array& x) { return x * x - a; }, 1.f, newton,
///                               [](const auto& g, const Array& y) { return y / g(ones_like(y)); });
///     };
///
/// Throws ShapeError and TypeError where f or a solver gives other types than those of the guess. Source:
/// jax.lax.custom_root.
template <class F, class G, class S, class TS>
auto custom_root(const F& f, const G& guess, const S& solve, const TS& tangent_solve, Loc loc = Loc::current()) {
  return detail::root_of<lift_t<G>>(f, lift_t<G>(guess), solve, tangent_solve, loc);
}

}  // namespace lax
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
