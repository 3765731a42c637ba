// Functions with derivatives of your own.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace detail {

/// `like` with these arrays at all its places.
template <class T> T with_places(const T& like, const std::vector<Array>& arrays) {
  T out = like;
  std::size_t at = 0;
  for (Array* slot : tree::detail::slots_of(tree::detail::ref(out))) *slot = arrays.at(at++);
  return out;
}

template <class F, class Rule> class CustomJvp : public CallWith<CustomJvp<F, Rule>, params_t<F>> {
 public:
  CustomJvp(F fn, Rule rule, Loc made) : fn_(std::move(fn)), rule_(std::move(rule)), made_(made) {
    refuse_empty(fn_, "custom_jvp", made);
    refuse_empty(rule_, "custom_jvp", made);
  }

  template <class... A> auto call(const A&... args) const { return checked(std::tuple<lift_t<A>...>{args...}); }

 private:
  template <class... A> auto checked(const std::tuple<A...>& args) const {
    if constexpr (check_trees<F, A...>()) {
      using R = call_result_t<F, A...>;
      using Args = std::tuple<A...>;
      constexpr bool callable = std::is_invocable_v<const Rule&, const Args&, const Args&>;
      static_assert(callable,
                    "tutti: custom_jvp: the rule takes the tuple of arguments and the tuple of their tangents");
      if constexpr (callable) {
        constexpr bool gives =
            std::is_convertible_v<std::invoke_result_t<const Rule&, const Args&, const Args&>, std::pair<R, R>>;
        static_assert(
            gives,
            "tutti: custom_jvp: the rule returns pair(result, tangent), both of the type that the function returns");
        if constexpr (gives) {
          if (!being_recorded()) {
            const InsideCall inside("custom_jvp", made_);
            return R(std::apply(fn_, args));
          }
          TreeCall<F, A...> call(fn_, args);
          JvpRule rule{[&](const std::vector<Array>& primals, const std::vector<Array>& tangents) {
                         std::pair<R, R> out =
                             rule_(tree::rebuild(args, std::span<const Array>(primals)), with_places(args, tangents));
                         return RuleResult{tree::leaves(out.first), present_in(tree::detail::ref(out.first)),
                                           places(out.second)};
                       },
                       call.present(), identity_.get()};
          return call.with(custom_jvp_call(call.arrays, call.body(), rule, made_));
        }
      }
    }
  }

  F fn_;
  Rule rule_;
  Loc made_;
  std::shared_ptr<const void> identity_ = std::make_shared<char>();
};

template <class F, class Forward, class Backward>
class CustomVjp : public CallWith<CustomVjp<F, Forward, Backward>, params_t<F>> {
 public:
  CustomVjp(F fn, Forward forward, Backward backward, Loc made)
      : fn_(std::move(fn)), forward_(std::move(forward)), backward_(std::move(backward)), made_(made) {
    refuse_empty(fn_, "custom_vjp", made);
    refuse_empty(forward_, "custom_vjp", made);
    refuse_empty(backward_, "custom_vjp", made);
  }

  template <class... A> auto call(const A&... args) const { return checked(std::tuple<lift_t<A>...>{args...}); }

 private:
  template <class... A> auto checked(const std::tuple<A...>& args) const {
    if constexpr (check_trees<F, A...>() && check_call<Forward, A...>()) {
      using R = call_result_t<F, A...>;
      using Out = call_result_t<Forward, A...>;
      constexpr bool pair = is_pair<Out>;
      static_assert(pair, "tutti: custom_vjp: fwd returns pair(result, residuals)");
      if constexpr (pair) {
        using Residuals = typename Out::second_type;
        constexpr bool same = std::is_convertible_v<typename Out::first_type, R>;
        static_assert(same, "tutti: custom_vjp: the first of what fwd returns has the type that the function returns");
        constexpr bool tree = Tree<Residuals>;
        static_assert(tree, "tutti: custom_vjp: the residuals, second of what fwd returns, must be a tree");
        constexpr bool callable = std::is_invocable_v<const Backward&, const Residuals&, const R&>;
        static_assert(callable, "tutti: custom_vjp: bwd takes the residuals of fwd and a cotangent of the result");
        if constexpr (same && tree && callable) {
          using Cotangents = std::invoke_result_t<const Backward&, const Residuals&, const R&>;
          constexpr bool gives = std::is_convertible_v<Cotangents, std::tuple<A...>>;
          static_assert(gives,
                        "tutti: custom_vjp: bwd returns a tuple of cotangents, one per argument and of its type (an "
                        "empty Array is zero)");
          if constexpr (gives) {
            if (!being_recorded()) {
              const InsideCall inside("custom_vjp", made_);
              return R(std::apply(fn_, args));
            }
            return recorded<R, Residuals>(args);
          }
        }
      }
    }
  }

  template <class R, class Residuals, class... A> R recorded(const std::tuple<A...>& args) const {
    TreeCall<F, A...> call(fn_, args);
    std::optional<R> result;
    std::optional<Residuals> residuals;
    VjpRule rule;
    rule.present = call.present();
    rule.function = identity_.get();
    rule.forward = [&](const std::vector<Array>& primals) {
      auto out = std::apply(forward_, tree::rebuild(args, std::span<const Array>(primals)));
      result.emplace(std::move(out.first));
      residuals.emplace(std::move(out.second));
      return VjpRule::Forward{tree::leaves(*result), tree::leaves(*residuals), present_in(tree::detail::ref(*result))};
    };
    rule.backward = [&](const std::vector<Array>& kept, const std::vector<Array>& cotangents) {
      std::tuple<A...> out =
          backward_(tree::rebuild(*residuals, std::span<const Array>(kept)), with_places(*result, cotangents));
      return places(out);
    };
    return call.with(custom_vjp_call(call.arrays, call.body(), rule, made_));
  }

  F fn_;
  Forward forward_;
  Backward backward_;
  Loc made_;
  std::shared_ptr<const void> identity_ = std::make_shared<char>();
};

}  // namespace detail

/// `fn` with a derivative of its own: `rule(tuple of arguments, tuple of tangents) -> pair(result, tangent)`. The
/// tangent must be linear in the tangents: reverse mode transposes it. Tangents of arrays that are not floating come
/// empty; an empty tangent of a result is zero.
///
///     auto log1pexp = custom_jvp([](const Array& x) { return log(1 + exp(x)); },
///                                [](const std::tuple<Array>& args, const std::tuple<Array>& dargs) {
///                                  auto& [x] = args;
///                                  auto& [dx] = dargs;
///                                  return std::pair{log(1 + exp(x)), (1 - 1 / (1 + exp(x))) * dx};
///                                });
///
/// The rule must not call what custom_jvp returns. Arrays that `fn` captures are constants: differentiating by one is a
/// ValueError. Throws ShapeError and TypeError when what the rule gives does not fit what `fn` gives. Source:
/// jax.custom_jvp.
template <class F, class Rule> auto custom_jvp(F&& fn, Rule&& rule, Loc made = Loc::current()) {
  return detail::CustomJvp<std::decay_t<F>, std::decay_t<Rule>>(std::forward<F>(fn), std::forward<Rule>(rule), made);
}

/// `fn` with a reverse rule of its own: `fwd(args...) -> pair(result, residuals)`, the residuals any tree, and
/// `bwd(residuals, cotangent) -> tuple of cotangents`, one per argument, where an empty Array is zero.
///
///     auto clip_gradient = custom_vjp([](const Array& x) { return x; }, [](const Array& x) { return std::pair{x,
///     std::tuple{}}; },
///                                     [](std::tuple<>, const Array& g) { return std::tuple{clip(g, -1, 1)}; });
///
/// Forward mode (jvp, jacfwd, linearize) is a TypeError. The rest is as in custom_jvp. Source: jax.custom_vjp.
template <class F, class Forward, class Backward>
auto custom_vjp(F&& fn, Forward&& fwd, Backward&& bwd, Loc made = Loc::current()) {
  return detail::CustomVjp<std::decay_t<F>, std::decay_t<Forward>, std::decay_t<Backward>>(
      std::forward<F>(fn), std::forward<Forward>(fwd), std::forward<Backward>(bwd), made);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
