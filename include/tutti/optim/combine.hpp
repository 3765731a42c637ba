// Transformations of transformations: chains, masks, groups, accumulation. Each has init and update as its parts have;
// states are structs of the parts' states. Source: optax.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/optim/core.hpp"
#include "tutti/optim/parts.hpp"

namespace tutti::optim {
namespace detail {

template <class T, class Params>
using state_of = std::decay_t<decltype(std::declval<const T&>().init(std::declval<const Params&>()))>;

template <class T, class Params, class State>
std::pair<Params, State> step(const T& inner, const Params& grads, const State& state, const Params* params) {
  return params ? inner.update(grads, state, *params) : inner.update(grads, state);
}
/// `yes` where the bool scalar holds.
Array choose(const Array& condition, const Array& yes, const Array& no);
template <class T> T choose_tree(const Array& condition, const T& yes, const T& no) {
  return tree::map([&](const Array& a, const Array& b) { return choose(condition, a, b); }, yes, no);
}
Array all_finite(const std::vector<Array>& leaves);
Array count_bad(const Array& finite, const Array& count, const Array& at_finite);
Array still_or(const Array& finite, const Array& count, int limit);
Array accumulated(const Array& update, const Array& sum, const Array& steps, bool mean);
Array kept_sum(const Array& due, const Array& sum);
Array emitted(const Array& due, const Array& update);
struct MiniStep {
  Array due, mini_step, gradient_step;
};
Array stepped(const Array& mini_step, const Array& gradient_step);
MiniStep mini_step(const Array& mini_step, const Array& gradient_step, const Array& every);
Array float_zeros(const Array& param);

}  // namespace detail

/// One transformation after the other; the state is the tuple of their states.
///
///     auto opt = optim::chain(optim::clip_by_global_norm(1.0), optim::adam(1e-3));
///     auto state = opt.init(params);      // std::get<1>(state).mu
///
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class... T> class Chain : public Updates<Chain<T...>> {
 public:
  explicit Chain(T... parts) : parts_(std::move(parts)...) {}
  template <class Params> std::tuple<detail::state_of<T, Params>...> init(const Params& params) const {
    return std::apply(
        [&](const T&... part) { return std::tuple<detail::state_of<T, Params>...>{part.init(params)...}; }, parts_);
  }
  template <class Params, class... S>
  std::pair<Params, std::tuple<S...>> step(const Params& grads, const std::tuple<S...>& state,
                                           const Params* params) const {
    return in_order(grads, state, [&](const auto& part, const Params& g, const auto& own) {
      return detail::step(part, g, own, params);
    });
  }
  template <class Params, class... S, class Known>
  std::pair<Params, std::tuple<S...>> step(const Params& grads, const std::tuple<S...>& state, const Params* params,
                                           const Known& known) const {
    return in_order(grads, state, [&](const auto& part, const Params& g, const auto& own) {
      return detail::step_knowing(part, g, own, params, known);
    });
  }

 private:
  template <class Params, class... S, class Step>
  std::pair<Params, std::tuple<S...>> in_order(const Params& grads, const std::tuple<S...>& state,
                                               const Step& step) const {
    static_assert(sizeof...(S) == sizeof...(T), "tutti: chain: the state is not that of this chain; make it by init");
    std::pair<Params, std::tuple<S...>> out{grads, state};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((std::tie(out.first, std::get<I>(out.second)) = step(std::get<I>(parts_), out.first, std::get<I>(state))), ...);
    }
    (std::index_sequence_for<T...>{});
    return out;
  }
  std::tuple<T...> parts_;
};
template <class... T> Chain<T...> chain(T... parts) { return Chain<T...>(std::move(parts)...); }

template <class Inner> struct MaskedState { Inner inner_state{}; };
/// `inner` where the mask holds; other updates pass unchanged.
///
///     optim::masked(optim::add_decayed_weights(.1), {{"**.bias", false}, {"**", true}})
///
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class Masked : public Updates<Masked<T>> {
 public:
  Masked(T inner, Mask mask) : inner_(std::move(inner)), mask_(std::move(mask)) {}
  template <class Params> MaskedState<detail::state_of<T, Params>> init(const Params& params) const {
    return {inner_.init(split(params).first)};
  }
  template <class Params, class S>
  std::pair<Params, MaskedState<S>> step(const Params& grads, const MaskedState<S>& state, const Params* params) const {
    auto [mine, others] = split(grads);
    const Params some = params ? split(*params).first : grads;
    auto [updates, next] = detail::step(inner_, mine, state.inner_state, params ? &some : nullptr);
    return {tree::combine(updates, others), MaskedState<S>{std::move(next)}};
  }

 private:
  template <class Params> std::pair<Params, Params> split(const Params& tree) const {
    mask_.check(tree::detail::paths_of(tree::detail::ref(tree)));
    return tree::partition(tree, [&](const tree::Path& path, const Array& x) { return mask_.holds(path, x); });
  }
  T inner_;
  Mask mask_;
};
template <class T> Masked<T> masked(T inner, Mask mask) { return {std::move(inner), std::move(mask)}; }

/// A label per parameter: path patterns, the first match counts, or a function (path, array) -> std::string.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Labels {
 public:
  Labels(std::initializer_list<Rule<std::string>> rules) : Labels(std::vector(rules)) {}
  Labels(std::vector<Rule<std::string>> rules) : rules_(std::move(rules)) {}
  template <class F>
  requires std::is_invocable_r_v<std::string, const F&, const tree::Path&, const Array&> Labels(F fn)
      : function_(std::move(fn)) {}
  /// Throws ValueError, naming path and groups, when the label is none of `groups`.
  std::string at(const tree::Path& path, const Array& leaf, const std::vector<std::string>& groups) const;
  /// ValueError when a pattern matches none of the paths.
  void check(const std::vector<tree::Path>& paths) const;

 private:
  tutti::detail::Rules<std::string> rules_;
  std::function<std::string(const tree::Path&, const Array&)> function_;
};

template <class... S> struct PartitionState { std::tuple<MaskedState<S>...> inner_states{}; };
/// A transformation per group of parameters.
///
///     optim::multi_transform({{"**.bias", "plain"}, {"**", "adaptive"}}, std::pair{"plain", optim::sgd(.1)},
///     std::pair{"adaptive", optim::adam(1e-2)})
///
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class... T> class MultiTransform : public Updates<MultiTransform<T...>> {
 public:
  MultiTransform(Labels labels, std::pair<std::string, T>... groups)
      : labels_(std::move(labels)), names_{groups.first...}, groups_(std::move(groups.second)...) {}
  template <class Params> PartitionState<detail::state_of<T, Params>...> init(const Params& params) const {
    labels_.check(tree::detail::paths_of(tree::detail::ref(params)));
    PartitionState<detail::state_of<T, Params>...> out;
    each([&]<std::size_t I>(const auto& inner) {
      std::get<I>(out.inner_states).inner_state = inner.init(mine(params, I));
    });
    return out;
  }
  template <class Params, class... S>
  std::pair<Params, PartitionState<S...>> step(const Params& grads, const PartitionState<S...>& state,
                                               const Params* params) const {
    std::pair<Params, PartitionState<S...>> out{grads, state};
    each([&]<std::size_t I>(const auto& inner) {
      const Params some = params ? mine(*params, I) : grads;
      auto& own = std::get<I>(out.second.inner_states).inner_state;
      auto [updates, next] = detail::step(inner, mine(grads, I), own, params ? &some : nullptr);
      own = std::move(next);
      out.first = tree::combine(updates, out.first);
    });
    return out;
  }

 private:
  template <class F> void each(F fn) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (fn.template operator()<I>(std::get<I>(groups_)), ...); }
    (std::index_sequence_for<T...>{});
  }
  template <class Params> Params mine(const Params& tree, std::size_t group) const {
    return tree::filter(
        tree, [&](const tree::Path& path, const Array& x) { return labels_.at(path, x, names_) == names_[group]; });
  }
  Labels labels_;
  std::vector<std::string> names_;
  std::tuple<T...> groups_;
};
template <class... Name, class... T> MultiTransform<T...> multi_transform(Labels labels, std::pair<Name, T>... groups) {
  return MultiTransform<T...>(std::move(labels), std::pair<std::string, T>(groups.first, std::move(groups.second))...);
}

template <class Params, class Inner> struct MultiStepsState {
  Array mini_step{}, gradient_step{};
  Inner inner_opt_state{};
  Params acc_grads{};
};
/// Averages (or sums) gradients over `every` calls, and steps in the last of them; the other updates are zero. `every`
/// is a number or a function of the steps done. The sums are float32.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class MultiSteps : public Updates<MultiSteps<T>> {
 public:
  MultiSteps(T inner, int every, bool use_grad_mean = true)
      : MultiSteps(
            std::move(inner), [every](const Array&) { return Array(every); }, use_grad_mean) {}
  MultiSteps(T inner, std::function<Array(const Array&)> every, bool use_grad_mean = true)
      : inner_(std::move(inner)), every_(std::move(every)), mean_(use_grad_mean) {}
  template <class Params> MultiStepsState<Params, detail::state_of<T, Params>> init(const Params& params) const {
    return {detail::step_zero(), detail::step_zero(), inner_.init(params),
            tree::map([](const Array& p) { return detail::float_zeros(p); }, params)};
  }
  template <class Params, class S>
  std::pair<Params, MultiStepsState<Params, S>> step(const Params& grads, const MultiStepsState<Params, S>& state,
                                                     const Params* params) const {
    detail::MiniStep at = detail::mini_step(state.mini_step, state.gradient_step, every_(state.gradient_step));
    Params sums =
        tree::map([&](const Array& a, const Array& g) { return detail::accumulated(g, a, state.mini_step, mean_); },
                  state.acc_grads, grads);
    Params total = tree::map([](const Array& g, const Array& a) { return a.astype(g.dtype()); }, grads, sums);
    auto [updates, next] = detail::step(inner_, total, state.inner_opt_state, params);
    MultiStepsState<Params, S> out{at.mini_step, at.gradient_step,
                                   detail::choose_tree(at.due, next, state.inner_opt_state),
                                   tree::map([&](const Array& a) { return detail::kept_sum(at.due, a); }, sums)};
    return {tree::map([&](const Array& u) { return detail::emitted(at.due, u); }, updates), std::move(out)};
  }
  /// True if the last update stepped: bool[].
  template <class State> Array has_updated(const State& state) const {
    return detail::stepped(state.mini_step, state.gradient_step);
  }

 private:
  T inner_;
  std::function<Array(const Array&)> every_;
  bool mean_;
};
template <class T, class Every> MultiSteps<T> multi_steps(T inner, Every every, bool use_grad_mean = true) {
  return {std::move(inner), std::move(every), use_grad_mean};
}

template <class Inner> struct ApplyIfFiniteState {
  Array notfinite_count{}, last_finite{}, total_notfinite{};
  Inner inner_state{};
};
/// `inner`, unless an update holds an infinity or NaN: then updates are zero and the state stays, at most
/// `max_consecutive_errors` times in a row.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class ApplyIfFinite : public Updates<ApplyIfFinite<T>> {
 public:
  ApplyIfFinite(T inner, int max_consecutive_errors) : inner_(std::move(inner)), limit_(max_consecutive_errors) {}
  template <class Params> ApplyIfFiniteState<detail::state_of<T, Params>> init(const Params& params) const {
    return {detail::step_zero(), array(true), detail::step_zero(), inner_.init(params)};
  }
  template <class Params, class S>
  std::pair<Params, ApplyIfFiniteState<S>> step(const Params& grads, const ApplyIfFiniteState<S>& state,
                                                const Params* params) const {
    Array finite = detail::all_finite(tree::leaves(grads));
    Array bad = detail::count_bad(finite, state.notfinite_count, detail::step_zero());
    Array go = detail::still_or(finite, bad, limit_);
    auto [updates, next] = detail::step(inner_, grads, state.inner_state, params);
    return {tree::map([&](const Array& u) { return detail::emitted(go, u); }, updates),
            ApplyIfFiniteState<S>{bad, finite, detail::count_bad(finite, state.total_notfinite, state.total_notfinite),
                                  detail::choose_tree(go, next, state.inner_state)}};
  }

 private:
  T inner_;
  int limit_;
};
template <class T> ApplyIfFinite<T> apply_if_finite(T inner, int max_consecutive_errors) {
  return {std::move(inner), max_consecutive_errors};
}

template <class Inner> struct ConditionalState {
  Inner inner_state{};
  Array step{};
};
/// `inner` in the steps for which `condition(step)`, bool[], holds; in others updates pass unchanged, or (`mask`) are
/// zero.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class T> class Conditionally : public Updates<Conditionally<T>> {
 public:
  Conditionally(T inner, std::function<Array(const Array&)> condition, bool mask)
      : inner_(std::move(inner)), condition_(std::move(condition)), mask_(mask) {}
  template <class Params> ConditionalState<detail::state_of<T, Params>> init(const Params& params) const {
    return {inner_.init(params), detail::step_zero()};
  }
  template <class Params, class S>
  std::pair<Params, ConditionalState<S>> step(const Params& grads, const ConditionalState<S>& state,
                                              const Params* params) const {
    Array go = condition_(state.step);
    auto [updates, next] = detail::step(inner_, grads, state.inner_state, params);
    Params out = mask_ ? tree::map([&](const Array& u) { return detail::emitted(go, u); }, updates)
                       : detail::choose_tree(go, updates, grads);
    return {std::move(out),
            ConditionalState<S>{detail::choose_tree(go, next, state.inner_state), detail::next_step(state.step)}};
  }

 private:
  T inner_;
  std::function<Array(const Array&)> condition_;
  bool mask_;
};
template <class T> Conditionally<T> conditionally_transform(T inner, std::function<Array(const Array&)> condition) {
  return {std::move(inner), std::move(condition), false};
}
template <class T> Conditionally<T> conditionally_mask(T inner, std::function<Array(const Array&)> condition) {
  return {std::move(inner), std::move(condition), true};
}

template <class Hyper, class Inner> struct InjectState {
  Array count{};
  Hyper hyperparams{};
  Inner inner_state{};
};
/// An optimiser whose rates lie in the state, where the caller may change them between steps without compiling again.
/// `make` builds the optimiser from them, `start` (any tree) are the first values.
///
///     struct Hyper { Array learning_rate; };
///     auto opt = optim::inject_hyperparams([](const Hyper& h) { return optim::adam(h.learning_rate); }, Hyper{1e-3});
///     state.hyperparams.learning_rate = state.hyperparams.learning_rate / 2;
///
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
template <class F, class Hyper> class InjectHyperparams : public Updates<InjectHyperparams<F, Hyper>> {
  using Inner = std::invoke_result_t<const F&, const Hyper&>;

 public:
  InjectHyperparams(F make, Hyper start) : make_(std::move(make)), start_(std::move(start)) {}
  template <class Params> InjectState<Hyper, detail::state_of<Inner, Params>> init(const Params& params) const {
    return {detail::step_zero(), start_, make_(start_).init(params)};
  }
  template <class Params, class S>
  std::pair<Params, InjectState<Hyper, S>> step(const Params& grads, const InjectState<Hyper, S>& state,
                                                const Params* params) const {
    auto [updates, next] = detail::step(make_(state.hyperparams), grads, state.inner_state, params);
    return {std::move(updates),
            InjectState<Hyper, S>{detail::next_step(state.count), state.hyperparams, std::move(next)}};
  }

 private:
  F make_;
  Hyper start_;
};
template <class F, class Hyper> InjectHyperparams<F, Hyper> inject_hyperparams(F make, Hyper start) {
  return {std::move(make), std::move(start)};
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
