// Jacobians and Hessians: derivatives of functions with more than one result, all at once.
#pragma once

#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/transform/transforms.hpp"

namespace tutti {
namespace detail {

// `t` with J in the place of every Array; `next` gives one for each that is there.
template <class J, class T, class Next> auto replaced(const T& t, Next& next);

template <class J, class... T, class Next> auto replaced_each(Next& next, const T&... t) {
  return std::tuple<decltype(replaced<J>(t, next))...>{replaced<J>(t, next)...};
}
template <class J, class T, class Next> auto replaced(const T& t, Next& next) {
  if constexpr (std::same_as<T, Array>) {
    return t.has_value() ? next() : J{};
  } else if constexpr (is_pair<T>) {
    auto [first, second] = replaced_each<J>(next, t.first, t.second);
    return std::pair{std::move(first), std::move(second)};
  } else if constexpr (is_tuple<T>) {
    return std::apply([&](const auto&... each) { return replaced_each<J>(next, each...); }, t);
  } else if constexpr (requires {
                         typename T::value_type;
                         t.begin();
                         std::vector<typename T::value_type>(t.begin(), t.end());
                       }) {
    std::vector<decltype(replaced<J>(*t.begin(), next))> out;
    for (const auto& each : t) out.push_back(replaced<J>(each, next));
    return out;
  } else {
    constexpr bool has_a_type = std::is_arithmetic_v<T>;
    static_assert(
        has_a_type,
        "tutti: a Jacobian of a struct by an argument that is no Array has no type: return a tuple or a vector");
    return t;
  }
}

template <bool Forward, bool Aux, class F, int... I>
class Jacobian : public CallWith<Jacobian<Forward, Aux, F, I...>, params_t<F>> {
 public:
  Jacobian(F fn, Loc made, bool holomorphic) : fn_(std::move(fn)), made_(made), holomorphic_(holomorphic) {
    refuse_empty(fn_, Forward ? "jacfwd" : "jacrev", made);
  }
  template <class... A> auto call(const A&... args) const {
    constexpr bool in_range = ((I >= 0 && I < static_cast<int>(sizeof...(A))) && ...);
    static_assert(in_range, "tutti: the index of the argument of a Jacobian is not smaller than their number");
    if constexpr (in_range) return lifted(std::index_sequence_for<A...>{}, args...);
  }

 private:
  template <std::size_t... K, class... A> auto lifted(std::index_sequence<K...>, const A&... args) const {
    return checked<argument_t<params_t<F>, is_one_of<static_cast<int>(K), I...>, A>...>(args...);
  }
  template <class... A> auto checked(const A&... args) const {
    if constexpr (check_trees<F, A...>()) {
      using R = call_result_t<F, A...>;
      TreeCall<F, A...> call(fn_, args...);
      JacobianForm form{Forward, holomorphic_, {}};
      if constexpr (!Aux) {
        const Jacobians all = jacobians(call.arrays, {I...}, call.body(), form, made_);
        return by_result(call, *call.result, all);
      } else if constexpr (check_aux<R>()) {
        form.results = [&call] { return count_arrays(call.result->first); };
        const Jacobians all = jacobians(call.arrays, {I...}, call.body(), form, made_);
        R values = call.with(all.results);
        return std::pair{by_result(call, call.result->first, all), std::move(values.second)};
      }
    }
  }
  // The result with its derivatives in the place of its arrays: a tree as the argument is, or a tuple of such.
  template <class Call, class Y> static auto by_result(const Call& call, const Y& result, const Jacobians& all) {
    std::size_t k = 0;
    auto next = [&] {
      [[maybe_unused]] std::span<const Array> rest = all.derivatives[k++];
      [[maybe_unused]] auto part = [&](int index) {
        auto mine = rest.first(static_cast<std::size_t>(call.arrays.counts[static_cast<std::size_t>(index)]));
        rest = rest.subspan(mine.size());
        return mine;
      };
      if constexpr (sizeof...(I) == 1)
        return (tree::rebuild(call.template argument<I>(), part(I)), ...);
      else
        return std::tuple{tree::rebuild(call.template argument<I>(), part(I))...};
    };
    using J = decltype(next());
    if constexpr (std::same_as<J, Array> && !std::same_as<Y, Array>) {
      std::vector<Array> leaves;
      while (k < all.derivatives.size()) leaves.push_back(next());
      return tree::rebuild(result, std::span<const Array>(leaves));
    } else {
      return replaced<J>(result, next);
    }
  }
  F fn_;
  Loc made_;
  bool holomorphic_;
};

template <bool Forward, bool Aux, int... I, class F> auto make_jacobian(F&& fn, bool holomorphic, Loc made) {
  if constexpr (sizeof...(I) == 0)
    return Jacobian<Forward, Aux, std::decay_t<F>, 0>(std::forward<F>(fn), made, holomorphic);
  else
    return Jacobian<Forward, Aux, std::decay_t<F>, I...>(std::forward<F>(fn), made, holomorphic);
}

}  // namespace detail

/// The Jacobian by the first argument, or by arguments I... (then a tuple), column by column (forward mode). Where `fn`
/// returns an Array, a tree as the argument is, of arrays of the shape of the result, then of the argument's array.
/// If it returns a tree: that tree with such a Jacobian in the place of each array; a struct only when the argument
/// is an Array. `jacfwd(has_aux, fn)`: `fn` returns pair(result, more), and so comes pair(Jacobian, more).
///
///     Array j = jacfwd(f)(x);                                  // [result..., x...]
///     auto [by_w, by_b] = jacrev<0, 1>(f)(w, b, x);
///
/// Throws TypeError where an argument or a result is not floating, or complex without .holomorphic. Source: jax.jacfwd.
template <int... I, class F> auto jacfwd(F&& fn, Loc made = Loc::current()) {
  return detail::make_jacobian<true, false, I...>(std::forward<F>(fn), false, made);
}
template <int... I, class F> auto jacfwd(F&& fn, const GradOptions& options, Loc made = Loc::current()) {
  return detail::make_jacobian<true, false, I...>(std::forward<F>(fn), options.holomorphic, made);
}
template <int... I, class F>
auto jacfwd(has_aux_t, F&& fn, const GradOptions& options = {}, Loc made = Loc::current()) {
  return detail::make_jacobian<true, true, I...>(std::forward<F>(fn), options.holomorphic, made);
}
/// The same row by row (reverse mode). Source: jax.jacrev.
template <int... I, class F> auto jacrev(F&& fn, Loc made = Loc::current()) {
  return detail::make_jacobian<false, false, I...>(std::forward<F>(fn), false, made);
}
template <int... I, class F> auto jacrev(F&& fn, const GradOptions& options, Loc made = Loc::current()) {
  return detail::make_jacobian<false, false, I...>(std::forward<F>(fn), options.holomorphic, made);
}
template <int... I, class F>
auto jacrev(has_aux_t, F&& fn, const GradOptions& options = {}, Loc made = Loc::current()) {
  return detail::make_jacobian<false, true, I...>(std::forward<F>(fn), options.holomorphic, made);
}
/// The second derivatives by the first argument, or by arguments I...: forward over reverse, a Jacobian of the
/// Jacobian. Source: jax.hessian.
template <int... I, class F> auto hessian(F&& fn, Loc made = Loc::current()) {
  return jacfwd<I...>(jacrev<I...>(std::forward<F>(fn), made), made);
}
template <int... I, class F> auto hessian(F&& fn, const GradOptions& options, Loc made = Loc::current()) {
  return jacfwd<I...>(jacrev<I...>(std::forward<F>(fn), options, made), options, made);
}
template <int... I, class F>
auto hessian(has_aux_t, F&& fn, const GradOptions& options = {}, Loc made = Loc::current()) {
  return jacfwd<I...>(has_aux, jacrev<I...>(has_aux, std::forward<F>(fn), options, made), options, made);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
