// Line searches and step sizes that depend on the loss: transformations whose update takes the loss besides gradients,
// state and parameters. Names, meanings and defaults: Optax. Not part of tutti.hpp: include this file, or lbfgs.hpp.
//
//     auto opt = optim::chain(optim::sgd(1.), optim::scale_by_zoom_linesearch(20));
//     auto state = opt.init(params);
//     auto value_and_grad = optim::value_and_grad_from_state(loss);
//     auto step = jit([&](const Params& params, const State& state) {
//       auto [value, grads] = value_and_grad(params, state);
//       auto [updates, next] = opt.update(grads, state, params, optim::Objective{value, grads, loss});
//       return std::pair{optim::apply_updates(params, updates), next};
//     });
//
// The parameters are any tree of arrays; those that are not floating, and those without an update, stay as they are.
// The loss is a function of the parameters with a real scalar for a result (else ShapeError, TypeError): what else it
// depends on it captures. Values and step sizes have the real dtype of the first floating parameter.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/base/choice.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/optim/core.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti::optim {

/// The loss at the parameters: what update takes where more is not needed.
struct Value {
  Array value{};
};
/// The loss at the parameters, its gradient there, and the function itself.
template <class Params, class F> struct Objective {
  Array value{};
  Params grad{};
  F value_fn;
};
template <class Params, class F> Objective(Array, Params, F) -> Objective<Params, F>;

namespace detail {

using ArrayVector = std::vector<Array>;
/// Value and gradient of the loss at other arrays.
using ValueAndGrad = std::function<std::pair<Array, ArrayVector>(const ArrayVector&)>;
using ValueOf = std::function<Array(const ArrayVector&)>;

/// The places of a search along a line: parameters, updates and gradients where all three are.
struct Line {
  ArrayVector params, updates, grads;
  std::vector<std::size_t> places;  // among all
  ArrayVector all;                  // the parameters, at all places
  Line(const char* who, ArrayVector params, const ArrayVector& updates, const ArrayVector& grads);
  /// All places, with others in those of the line.
  ArrayVector with(const ArrayVector& some) const;
};
template <class T> ArrayVector all_places(const T& tree) { return tree::detail::places_of(tree::detail::ref(tree)); }
template <class T> T with_all_places(const T& like, const ArrayVector& places) {
  T out = like;
  std::size_t at = 0;
  for (Array* slot : tree::detail::slots_of(tree::detail::ref(out))) *slot = places[at++];
  return out;
}
/// The real dtype of the first floating array: float32 of none.
DType value_dtype(const ArrayVector& params);
Array scaled(const Array& update, const Array& by);
[[noreturn]] void refuse_without_params(const char* who);
[[noreturn]] void refuse_without_gradient();
void check_value(const char* who, const Array& value);

template <class F, class Params> ValueOf value_of(const F& value_fn, const Params& params, const Line& line) {
  return [&](const ArrayVector& some) { return Array(value_fn(with_all_places(params, line.with(some)))); };
}
template <class F, class Params> ValueAndGrad grad_of(const F& value_fn, const Params& params, const Line& line) {
  return [&](const ArrayVector& some) {
    auto [value, grads] = value_and_grad(value_fn)(with_all_places(params, line.with(some)));
    const ArrayVector all = all_places(grads);
    ArrayVector out;
    for (std::size_t i : line.places) out.push_back(all[i]);
    return std::pair<Array, ArrayVector>{value, out};
  };
}

}  // namespace detail

/// How a search ended. `decrease_error`: by how much the loss at the step size that it found is above what was asked
/// for, 0 where it is not; `curvature_error`: the same of the slope.
struct LinesearchInfo {
  Array num_linesearch_steps{}, decrease_error{}, curvature_error{};
};

// --- backtracking

struct BacktrackingOptions {
  double slope_rtol = 1e-4, decrease_factor = 0.8, increase_factor = 1.5, max_learning_rate = 1, atol = 0, rtol = 0;
  bool store_grad = false;  // the gradient at the step that was found, for value_and_grad_from_state
};
template <class Params> struct BacktrackingLinesearchState {
  Array learning_rate{}, value{};
  Params grad{};  // without arrays unless store_grad
  LinesearchInfo info{};
};
namespace detail {
struct Backtracked {
  Array learning_rate, value, error, steps;
};
Backtracked backtrack(const Line& line, const ValueOf& value_of, const Array& value, const Array& rate, int max_steps,
                      const BacktrackingOptions& options);
}  // namespace detail

/// Makes the update shorter until the loss is at most (1 + rtol) value + slope_rtol * rate * slope + atol, slope being
/// the product of update and gradient: at most max_backtracking_steps times by `decrease_factor`, from
/// `increase_factor` times the last rate. Where no rate gives a finite loss, updates are zero.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class ScaleByBacktrackingLinesearch : public Updates<ScaleByBacktrackingLinesearch> {
 public:
  ScaleByBacktrackingLinesearch(int max_backtracking_steps, const BacktrackingOptions& options)
      : steps_(max_backtracking_steps), options_(options) {}
  template <class Params> BacktrackingLinesearchState<Params> init(const Params& params) const {
    const DType dtype = detail::value_dtype(tree::leaves(params));
    return {ones({}, dtype),
            full({}, std::numeric_limits<double>::infinity(), dtype),
            tree::map(
                [&](const Array& p) { return options_.store_grad && p.dtype().is_inexact() ? zeros_like(p) : Array(); },
                params),
            {detail::step_zero(), full({}, std::numeric_limits<double>::infinity(), dtype), Array()}};
  }
  /// ValueError without an Objective.
  template <class Params, class State> std::pair<Params, State> step(const Params&, const State&, const Params*) const {
    detail::refuse_without_params("optim::scale_by_backtracking_linesearch");
  }
  template <class Params, class State, class F>
  std::pair<Params, State> step(const Params& updates, const State& state, const Params* params,
                                const Objective<Params, F>& known) const {
    constexpr const char* who = "optim::scale_by_backtracking_linesearch";
    if (!params) detail::refuse_without_params(who);
    detail::check_value(who, known.value);
    const detail::Line line(who, detail::all_places(*params), detail::all_places(updates),
                            detail::all_places(known.grad));
    const detail::Backtracked found = detail::backtrack(line, detail::value_of(known.value_fn, *params, line),
                                                        known.value, state.learning_rate, steps_, options_);
    std::pair<Params, State> out{
        tree::map([&](const Array& u) { return detail::scaled(u, found.learning_rate); }, updates), state};
    out.second.learning_rate = found.learning_rate;
    out.second.value = found.value;
    out.second.info = {found.steps, found.error, Array()};
    if (options_.store_grad) {
      detail::ArrayVector at = line.params;
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = at[i] + detail::scaled(line.updates[i], found.learning_rate);
      const auto [value, grads] = detail::grad_of(known.value_fn, *params, line)(at);
      detail::ArrayVector all = detail::all_places(state.grad);
      for (std::size_t i = 0; i < line.places.size(); ++i) all[line.places[i]] = grads[i];
      out.second.grad = detail::with_all_places(state.grad, all);
    }
    return out;
  }

 private:
  int steps_;
  BacktrackingOptions options_;
};
inline ScaleByBacktrackingLinesearch scale_by_backtracking_linesearch(int max_backtracking_steps,
                                                                      const BacktrackingOptions& options = {}) {
  return {max_backtracking_steps, options};
}

// --- zoom

/// The step size that a search begins with: the last one, or 1 (right for directions of Newton's kind).
enum class InitialGuess { keep, one };
constexpr Choices choices_of(InitialGuess) {
  return {"scale_by_zoom_linesearch", "initial_guess_strategy", "keep one"};
}
struct ZoomOptions {
  std::optional<double> max_learning_rate = {};
  double tol = 0, increase_factor = 2, slope_rtol = 1e-4, curv_rtol = 0.9;
  std::optional<double> approx_dec_rtol = 1e-6;
  double stepsize_precision = 1e-5;
  OneOf<InitialGuess> initial_guess_strategy = InitialGuess::keep;
};
template <class Params> struct ZoomLinesearchState {
  Array learning_rate{}, value{};
  Params grad{};
  LinesearchInfo info{};
};
namespace detail {
struct Zoomed {
  Array learning_rate, value;
  ArrayVector grads;
  LinesearchInfo info;
};
Zoomed zoom(const Line& line, const ValueAndGrad& f, const Array& value, const Array& rate, int max_steps,
            const ZoomOptions& options);
}  // namespace detail

/// Scales the update by a step size that decreases the loss enough, f(w + a u) <= f(w) + slope_rtol a slope(0), and at
/// which it is flat enough, |slope(a)| <= curv_rtol |slope(0)|, both up to `tol`. The step size grows by
/// `increase_factor` until such a one must be below it, then the interval shrinks by cubic and quadratic interpolation.
/// Close to a minimum, where f changes by less than approx_dec_rtol |f|, the decrease is judged by slopes. Where at
/// most max_linesearch_steps find no such step size, the best one that decreases the loss is taken, if there was one.
/// Sources: Nocedal and Wright 1999, algorithms 3.5 and 3.6; Hager and Zhang 2006.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class ScaleByZoomLinesearch : public Updates<ScaleByZoomLinesearch> {
 public:
  ScaleByZoomLinesearch(int max_linesearch_steps, const ZoomOptions& options)
      : steps_(max_linesearch_steps), options_(options) {}
  template <class Params> ZoomLinesearchState<Params> init(const Params& params) const {
    const DType dtype = detail::value_dtype(tree::leaves(params));
    const Array endless = full({}, std::numeric_limits<double>::infinity(), dtype);
    return {ones({}, dtype),
            endless,
            tree::map([](const Array& p) { return p.dtype().is_inexact() ? zeros_like(p) : Array(); }, params),
            {detail::step_zero(), endless, endless}};
  }
  /// ValueError without an Objective.
  template <class Params, class State> std::pair<Params, State> step(const Params&, const State&, const Params*) const {
    detail::refuse_without_params("optim::scale_by_zoom_linesearch");
  }
  template <class Params, class State, class F>
  std::pair<Params, State> step(const Params& updates, const State& state, const Params* params,
                                const Objective<Params, F>& known) const {
    constexpr const char* who = "optim::scale_by_zoom_linesearch";
    if (!params) detail::refuse_without_params(who);
    detail::check_value(who, known.value);
    const detail::Line line(who, detail::all_places(*params), detail::all_places(updates),
                            detail::all_places(known.grad));
    const detail::Zoomed found = detail::zoom(line, detail::grad_of(known.value_fn, *params, line), known.value,
                                              state.learning_rate, steps_, options_);
    detail::ArrayVector all = detail::all_places(state.grad);
    for (std::size_t i = 0; i < line.places.size(); ++i) all[line.places[i]] = found.grads[i];
    return {tree::map([&](const Array& u) { return detail::scaled(u, found.learning_rate); }, updates),
            State{found.learning_rate, found.value, detail::with_all_places(state.grad, all), found.info}};
  }

 private:
  int steps_;
  ZoomOptions options_;
};
inline ScaleByZoomLinesearch scale_by_zoom_linesearch(int max_linesearch_steps, const ZoomOptions& options = {}) {
  return {max_linesearch_steps, options};
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
