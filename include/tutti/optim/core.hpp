// A gradient transformation: init(params) -> state, update(gradients, state, params) -> (updates, state).
// Source of names and meanings: Optax.
//
// A transformation is written for leaves: a function that changes lists of arrays. Transform gives it trees and a state
// that has the type of the parameters.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::detail {
class JitCore;
}

namespace tutti::optim {

/// A number that may change with the step: a constant, an array, or a function of the step count (int32[], from 0).
/// Learning rates and schedules are Rates.
///
///     optim::adam(1e-3)      optim::adam(optim::cosine_decay_schedule(1e-3, 1000))      optim::adam([](const Array&
///     step) { return 1e-3 / (1 + step); })
class Rate {
 public:
  template <Number T> Rate(T value) : constant_(static_cast<double>(value)) {}
  Rate(const Array& value) : array_(value) {}
  template <class F>
  requires(std::is_invocable_r_v<Array, const F&, const Array&> && !std::convertible_to<const F&, Array>)
      Rate(F schedule)
      : function_(std::move(schedule)) {}
  bool is_constant() const { return !function_; }
  /// The value at a step; a constant is a weak float32.
  Array operator()(const Array& count) const {
    return function_ ? function_(count) : array_.has_value() ? array_ : Array(constant_);
  }

 private:
  double constant_ = 0;
  Array array_;
  std::function<Array(const Array&)> function_;
};
using Schedule = Rate;

/// The places for arrays of one update, in tree order; an empty array: nothing to do here.
struct Leaves {
  std::vector<Array> updates;
  std::vector<Array> params;              // as many, or none when update got no parameters
  std::vector<std::vector<Array>> state;  // per tree of the state: as many
  Array count;                            // steps done before this one, int32[]; empty in a state without
  std::function<std::vector<tree::Path>()> paths;
  std::vector<std::pair<const Rate*, Array>> rates;  // values at this step, of what users wrote: asked for before

  /// The value of a rate at this step.
  Array rate(const Rate& rate) const;
  /// The parameters; ValueError, naming `who`, when update got none.
  const std::vector<Array>& needed_params(const char* who) const;
  /// fn(i) for each place with an update.
  template <class F> void each(F fn) {
    for (std::size_t i = 0; i < updates.size(); ++i)
      if (updates[i].has_value()) fn(i);
  }
};

/// Changes updates and state in place; the count is raised afterwards.
class Stage {
 public:
  /// A stage of the user's: it may read values, and depend on captured state. It runs step by step, unrecorded.
  template <class F>
  requires(std::invocable<const F&, Leaves&> && !std::same_as<F, Stage>) Stage(F run) : run_(std::move(run)) {}
  /// A stage that depends on its leaves and on `rates` alone: it is recorded once, and runs as one program.
  static Stage pure(std::function<void(Leaves&)> run, std::vector<std::shared_ptr<const Rate>> rates = {});

  void operator()(Leaves& leaves) const { run_(leaves); }
  bool is_pure() const { return pure_; }
  /// The rates that the stage requests by Leaves::rate.
  const std::vector<std::shared_ptr<const Rate>>& rates() const { return rates_; }

 private:
  std::function<void(Leaves&)> run_;
  std::vector<std::shared_ptr<const Rate>> rates_;
  bool pure_ = false;
};
/// The first value of a slot from its parameter; empty: no array there.
using Start = std::function<Array(const Array& param)>;

namespace detail {
Array step_zero();
Array next_step(const Array& count);  // saturates
/// `start` of floating parameters, empty for others.
Array first_value(const Start& start, const Array& param);
/// The programs of a pure stage; nullptr of others.
std::shared_ptr<tutti::detail::JitCore> programs_of(const Stage& stage);
/// `trees`: updates, state, and parameters when they are given.
void run_stage(const Stage& stage, tutti::detail::JitCore* programs, std::span<const tree::detail::Ref> trees,
               bool params, Array* count);
/// Of the places where all trees have an array; the results replace those of the first tree.
void add_updates(std::span<const tree::detail::Ref> trees);
void mix(std::span<const tree::detail::Ref> trees, double part);
Array norm_of(const std::vector<Array>& leaves);

/// One step of a transformation, with what is known of the loss where it takes that.
template <class T, class Params, class State, class Known>
std::pair<Params, State> step_knowing(const T& inner, const Params& grads, const State& state, const Params* params,
                                      const Known& known) {
  if constexpr (requires { inner.step(grads, state, params, known); })
    return inner.step(grads, state, params, known);
  else
    return params ? inner.update(grads, state, *params) : inner.update(grads, state);
}
}  // namespace detail

/// Gives `Self` its update(), with and without parameters, from `step(grads, state, const Params* or null)`.
template <class Self> class Updates {
 public:
  /// Updates from gradients, and the next state. Both have the types that came in.
  template <class Gradients, class State, class Params>
  requires(!std::same_as<Params, Loc>) std::pair<Gradients, State> update(const Gradients& grads, const State& state,
                                                                          const Params& params,
                                                                          Loc loc = Loc::current())
  const {
    constexpr bool alike = std::same_as<Gradients, Params>;
    static_assert(alike, "tutti: update: gradients and parameters are trees of different types");
    CallScope line(loc);
    if constexpr (alike)
      return static_cast<const Self&>(*this).step(grads, state, &params);
    else
      return {grads, state};
  }
  /// The same with what is known of the loss, a Value or an Objective (linesearch.hpp): for line searches and step
  /// sizes that depend on it. Others do not look at it.
  template <class Gradients, class State, class Params, class Known>
  requires(!std::same_as<Params, Loc> && !std::same_as<Known, Loc>) std::pair<Gradients, State> update(
      const Gradients& grads, const State& state, const Params& params, const Known& known, Loc loc = Loc::current())
  const {
    constexpr bool alike = std::same_as<Gradients, Params>;
    static_assert(alike, "tutti: update: gradients and parameters are trees of different types");
    CallScope line(loc);
    if constexpr (alike)
      return detail::step_knowing(static_cast<const Self&>(*this), grads, state, &params, known);
    else
      return {grads, state};
  }
  /// Without parameters: ValueError where they are needed (weight decay, trust ratios).
  template <class Params, class State>
  std::pair<Params, State> update(const Params& grads, const State& state, Loc loc = Loc::current()) const {
    CallScope line(loc);
    return static_cast<const Self&>(*this).step(grads, state, static_cast<const Params*>(nullptr));
  }
};

/// A transformation of leaves. `State<Params>` is an aggregate: nothing, or `Array count` and then one tree of type
/// Params per slot.
template <template <class> class State> class Transform : public Updates<Transform<State>> {
 public:
  Transform(std::vector<Start> starts, Stage stage)
      : starts_(std::move(starts)), stage_(std::move(stage)), programs_(detail::programs_of(stage_)) {}

  template <class Params> State<Params> init(const Params& params) const {
    State<Params> state{};
    if constexpr (counts<Params>) {
      state.count = detail::step_zero();
      std::size_t k = 0;
      each_tree(state, [&](Params& slot) {
        slot = tree::map([&](const Array& p) { return detail::first_value(starts_[k], p); }, params);
        ++k;
      });
    }
    return state;
  }
  template <class Params>
  std::pair<Params, State<Params>> step(const Params& grads, const State<Params>& state, const Params* params) const {
    std::pair<Params, State<Params>> out{grads, state};
    std::vector<tree::detail::Ref> refs{tree::detail::ref(out.first)};
    Array* count = nullptr;
    if constexpr (counts<Params>) {
      count = &out.second.count;
      each_tree(out.second, [&](Params& slot) { refs.push_back(tree::detail::ref(slot)); });
    }
    if (params) refs.push_back(tree::detail::ref(*params));
    detail::run_stage(stage_, programs_.get(), refs, params != nullptr, count);
    return out;
  }
  const std::vector<Start>& starts() const { return starts_; }
  const Stage& stage() const { return stage_; }

 private:
  template <class Params> static constexpr bool counts = requires(State<Params> s) { s.count; };
  template <class S, class F> static void each_tree(S& state, F fn) {
    std::apply([&](Array&, auto&... trees) { (fn(trees), ...); }, reflect::tie(state));
  }
  std::vector<Start> starts_;
  Stage stage_;
  std::shared_ptr<tutti::detail::JitCore> programs_;  // copies share them
};

/// The state of a transformation that needs none.
template <class Params> using EmptyState = std::tuple<>;
/// Counts the steps.
template <class Params> struct CountState { Array count{}; };
using Stateless = Transform<EmptyState>;

/// params + updates; the dtype of the parameter stays, and where there is no update the parameter. Source:
/// optax.apply_updates, equinox.apply_updates.
template <class Params> Params apply_updates(const Params& params, const Params& updates, Loc loc = Loc::current()) {
  CallScope line(loc);
  Params out = params;
  const tree::detail::Ref trees[] = {tree::detail::ref(out), tree::detail::ref(updates)};
  detail::add_updates(trees);
  return out;
}
/// step_size * new + (1 - step_size) * old: a running average of parameters. Source: optax.incremental_update.
template <class Params>
Params incremental_update(const Params& new_tree, const Params& old_tree, double step_size, Loc loc = Loc::current()) {
  CallScope line(loc);
  Params out = new_tree;
  const tree::detail::Ref trees[] = {tree::detail::ref(out), tree::detail::ref(old_tree)};
  detail::mix(trees, step_size);
  return out;
}
/// The 2-norm over all arrays of a tree. Source: optax.global_norm.
template <class T> Array global_norm(const T& tree, Loc loc = Loc::current()) {
  CallScope line(loc);
  return detail::norm_of(tree::leaves(tree));
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
