// Values and gradients that a line search has computed already. Part of lbfgs.hpp.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tutti/lax/control_flow.hpp"
#include "tutti/optim/linesearch.hpp"

namespace tutti::optim {

namespace detail {

template <class State, class Params>
concept KeepsGradient = requires(const State& s) {
  { s.value } -> std::convertible_to<Array>;
  { s.grad } -> std::convertible_to<Params>;
};
/// The first state in a tuple of states that keeps value and gradient.
template <class Params, class State> const auto* kept_in(const State& state) {
  if constexpr (KeepsGradient<State, Params>) {
    return &state;
  } else if constexpr (requires { std::tuple_size<State>::value; }) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      constexpr std::size_t none_of = sizeof...(I);
      constexpr std::size_t at = [] {
        std::size_t first = sizeof...(I);
        ((first == sizeof...(I) &&
                  !std::is_same_v<decltype(kept_in<Params>(std::declval<const std::tuple_element_t<I, State>&>())),
                                  const none_t*>
              ? void(first = I)
              : void()),
         ...);
        return first;
      }();
      if constexpr (at == none_of)
        return static_cast<const none_t*>(nullptr);
      else
        return kept_in<Params>(std::get<at>(state));
    }
    (std::make_index_sequence<std::tuple_size_v<State>>{});
  } else {
    return static_cast<const none_t*>(nullptr);
  }
}
Array is_known(const Array& value);

template <class F> class ValueAndGradFromState {
 public:
  explicit ValueAndGradFromState(F fn) : fn_(std::move(fn)) {}
  template <class Params, class State>
  std::pair<Array, Params> operator()(const Params& params, const State& state, Loc loc = Loc::current()) const {
    CallScope scope(loc, {"", "value_and_grad_from_state", 0});
    const auto* kept = kept_in<Params>(state);
    constexpr bool found = !std::is_same_v<decltype(kept), const none_t*>;
    static_assert(found,
                  "tutti: value_and_grad_from_state: the state keeps no value and gradient; it is no line search");
    if constexpr (found) {
      if (tree::leaves(kept->grad).empty() && !tree::leaves(params).empty()) refuse_without_gradient();
      using Out = std::pair<Array, Params>;
      // The gradient of `fn`, with arrays where the state has them.
      auto computed = [&](const Params& p, const Params&, const Array& value) {
        auto [v, g] = value_and_grad(fn_)(p);
        return Out{v.astype(value.dtype()), std::move(g)};
      };
      auto stored = [](const Params&, const Params& g, const Array& value) { return Out{value, g}; };
      return lax::cond(is_known(kept->value), stored, computed, params, kept->grad, kept->value);
    } else {
      return {Array(), params};
    }
  }

 private:
  F fn_;
};

}  // namespace detail

/// Value and gradient of `fn` at the parameters: f(params, state) takes them from the state of a line search that ended
/// there, and computes them where it has none yet. For losses that depend on nothing but the parameters; ValueError
/// where the search keeps no gradient (BacktrackingOptions::store_grad). Source: optax.value_and_grad_from_state.
template <class F> auto value_and_grad_from_state(F fn) { return detail::ValueAndGradFromState<F>(std::move(fn)); }

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
