// The derivative of a function at a point as a linear map, forward and back: linearize, vjp, linear_transpose.
#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/transform/transforms.hpp"

namespace tutti {

/// The linear part of a function at some point: a function of tangents, one per argument.
/// Threads: many may call one object at once.
template <class R, class... A> class LinearMap {
 public:
  LinearMap(detail::LinearFunction map, std::vector<bool> present, R result)
      : map_(std::move(map)), present_(std::move(present)), result_(std::move(result)) {}
  using tutti_params = ParamList<A...>;
  R operator()(const A&... tangents, Loc loc = Loc::current()) const {
    std::vector<Array> out =
        map_(detail::matching(present_, detail::places(std::tuple<A...>{tangents...}), "linearize", loc), loc);
    return tree::rebuild(result_, std::span<const Array>(out));
  }

 private:
  detail::LinearFunction map_;
  std::vector<bool> present_;  // places of the arguments that had arrays
  R result_;
};

/// The second result of vjp: a map from a cotangent of the result to the cotangents of the arguments, as a tuple.
/// Threads: many may call one object at once.
template <class R, class... A> class Pullback {
 public:
  /// `others`: how many results follow whose cotangents are zero.
  Pullback(detail::LinearFunction map, std::vector<bool> present, std::tuple<A...> args, std::size_t others = 0)
      : map_(std::move(map)), present_(std::move(present)), args_(std::move(args)), others_(others) {}
  using tutti_params = ParamList<R>;
  std::tuple<A...> operator()(const R& cotangent, Loc loc = Loc::current()) const {
    std::vector<Array> given = detail::matching(present_, detail::places(cotangent), "vjp", loc);
    given.resize(given.size() + others_);
    std::vector<Array> out = map_(given, loc);
    std::size_t at = 0;
    return std::apply(
        [&](const A&... a) {
          [[maybe_unused]] auto next = [&](const auto& t) {
            std::span<const Array> mine(out.data() + at, tree::leaves(t).size());
            at += mine.size();
            return tree::rebuild(t, mine);
          };
          return std::tuple<A...>{next(a)...};
        },
        args_);
  }

 private:
  detail::LinearFunction map_;
  std::vector<bool> present_;  // places of the result that had arrays
  std::tuple<A...> args_;
  std::size_t others_;
};

/// `pair(result, pullback)`: `pullback(cotangent)` gives the cotangents of all arguments as a tuple, and may be called
/// many times.
///
///     auto [y, pullback] = vjp(f, x, w);
///     auto [dx, dw] = pullback(ones_like(y));
///
/// Source: jax.vjp.
template <class F, class... A> auto vjp(const F& fn, const A&... args) {
  if constexpr (detail::check_trees<F, lift_t<A>...>()) {
    using R = call_result_t<F, lift_t<A>...>;
    std::tuple<lift_t<A>...> lifted{args...};
    detail::TreeCall<F, lift_t<A>...> call(fn, lifted);
    detail::LinearizedCall out = detail::pull_back(call.arrays, call.body(), {});
    return std::pair{call.with(out.results),
                     Pullback<R, lift_t<A>...>(out.map, detail::present_in(tree::detail::ref(*call.result)), lifted)};
  }
}

/// The same for a function that returns pair(result, more): `tuple(result, pullback, more)`.
template <class F, class... A> auto vjp(has_aux_t, const F& fn, const A&... args) {
  if constexpr (detail::check_trees<F, lift_t<A>...>()) {
    using R = call_result_t<F, lift_t<A>...>;
    if constexpr (detail::check_aux<R>()) {
      std::tuple<lift_t<A>...> lifted{args...};
      detail::TreeCall<F, lift_t<A>...> call(fn, lifted);
      detail::LinearizedCall out = detail::pull_back(call.arrays, call.body(), {});
      R both = call.with(out.results);
      Pullback<typename R::first_type, lift_t<A>...> pullback(out.map,
                                                              detail::present_in(tree::detail::ref(call.result->first)),
                                                              lifted, detail::count_arrays(both.second));
      return std::tuple{std::move(both.first), std::move(pullback), std::move(both.second)};
    }
  }
}

/// The transpose of a linear function: `linear_transpose(f, args...)` takes a cotangent of the result to the cotangents
/// of the arguments, as a tuple. The arguments stand for their types; their values are not used.
///
///     auto f = [&](const Array& x) { return matmul(m, x); };
///     auto [dx] = linear_transpose(f, zeros({3}))(y);          // m^T y
///
/// Throws UnsupportedError where the function is not linear. Source: jax.linear_transpose.
template <class F, class... A> auto linear_transpose(const F& fn, const A&... args) {
  if constexpr (detail::check_trees<F, lift_t<A>...>()) {
    using R = call_result_t<F, lift_t<A>...>;
    std::tuple<lift_t<A>...> lifted{args...};
    detail::TreeCall<F, lift_t<A>...> call(fn, lifted);
    detail::LinearFunction map = detail::transpose_call(call.arrays, call.body(), {});
    return Pullback<R, lift_t<A>...>(map, detail::present_in(tree::detail::ref(*call.result)), lifted);
  }
}

/// `pair(result, map)`: `map(tangents...)` is the derivative at this point in any direction; `fn` itself runs once.
///
///     auto [y, df] = linearize(f, x);
///
/// Source: jax.linearize.
template <class F, class... A> auto linearize(const F& fn, const A&... args) {
  if constexpr (detail::check_trees<F, lift_t<A>...>()) {
    using R = call_result_t<F, lift_t<A>...>;
    std::tuple<lift_t<A>...> lifted{args...};
    detail::TreeCall<F, lift_t<A>...> call(fn, lifted);
    detail::LinearizedCall out = detail::linearize_call(call.arrays, call.body(), {});
    R result = call.with(out.results);
    return std::pair{result, LinearMap<R, lift_t<A>...>(out.map, call.present(), result)};
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
