// L-BFGS, by itself and with a line search. Not part of tutti.hpp: include this file.
//
//     auto opt = optim::lbfgs();
//     auto state = opt.init(params);
//     auto value_and_grad = optim::value_and_grad_from_state(loss);
//     auto step = jit([&](const Params& params, const decltype(state)& state) {
//       auto [value, grads] = value_and_grad(params, state);
//       auto [updates, next] = opt.update(grads, state, params, optim::Objective{value, grads, loss});
//       return std::pair{optim::apply_updates(params, updates), next};
//     });
//
// Source: optax.lbfgs, optax.scale_by_lbfgs.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tutti/optim/combine.hpp"
#include "tutti/optim/from_state.hpp"
#include "tutti/optim/linesearch.hpp"
#include "tutti/optim/parts.hpp"
#include "tutti/optim/polyak.hpp"

namespace tutti::optim {

template <class Params> struct LbfgsState {
  Array count{};
  Params params{}, updates{};                          // of the last step
  Params diff_params_memory{}, diff_updates_memory{};  // [memory_size, ...] for each floating parameter
  Array weights_memory{};                              // [memory_size]
};
namespace detail {
struct Lbfgs {
  Array count;
  ArrayVector params, updates, diff_params_memory, diff_updates_memory;
  Array weights_memory;
};
/// The direction at the places where there is a gradient, and the next state.
ArrayVector lbfgs_direction(const ArrayVector& grads, const ArrayVector& params, Lbfgs& state, bool scale_first);
void check_memory(int memory_size);
Array memory_of(const Array& param, int memory_size);
}  // namespace detail

/// The gradient times an approximation of the inverse of the Hessian, made of the last `memory_size` changes of
/// parameters and gradients; `scale_init_precond`: it begins with a multiple of the identity that fits the last change
/// (in the first step 1 / |gradient|, at most 1), else with the identity. ValueError for a memory_size below 1, and
/// without parameters. Source: Nocedal and Wright 1999, algorithm 7.4.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class ScaleByLbfgs : public Updates<ScaleByLbfgs> {
 public:
  explicit ScaleByLbfgs(int memory_size, bool scale_init_precond) : size_(memory_size), scale_(scale_init_precond) {
    detail::check_memory(memory_size);
  }
  template <class Params> LbfgsState<Params> init(const Params& params) const {
    const Params zero =
        tree::map([](const Array& p) { return p.dtype().is_inexact() ? zeros_like(p) : Array(); }, params);
    const Params memory = tree::map([&](const Array& p) { return detail::memory_of(p, size_); }, params);
    return {detail::step_zero(), zero, zero, memory, memory, zeros({size_}, detail::value_dtype(tree::leaves(params)))};
  }
  template <class Params, class State>
  std::pair<Params, State> step(const Params& grads, const State& state, const Params* params) const {
    if (!params)
      raise<ValueError>("optim::scale_by_lbfgs", "update needs the parameters", "Call update(grads, state, params).");
    const detail::Line line("optim::scale_by_lbfgs", detail::all_places(*params), detail::all_places(grads),
                            detail::all_places(state.params));
    auto some = [&](const Params& tree) {
      const detail::ArrayVector all = detail::all_places(tree);
      detail::ArrayVector out;
      for (std::size_t i : line.places) out.push_back(all[i]);
      return out;
    };
    auto put = [&](const Params& tree, const detail::ArrayVector& arrays) {
      detail::ArrayVector all = detail::all_places(tree);
      for (std::size_t i = 0; i < line.places.size(); ++i) all[line.places[i]] = arrays[i];
      return detail::with_all_places(tree, all);
    };
    detail::Lbfgs s{state.count,
                    some(state.params),
                    some(state.updates),
                    some(state.diff_params_memory),
                    some(state.diff_updates_memory),
                    state.weights_memory};
    const detail::ArrayVector direction = detail::lbfgs_direction(line.updates, line.params, s, scale_);
    return {put(grads, direction), State{s.count, put(state.params, s.params), put(state.updates, s.updates),
                                         put(state.diff_params_memory, s.diff_params_memory),
                                         put(state.diff_updates_memory, s.diff_updates_memory), s.weights_memory}};
  }

 private:
  int size_;
  bool scale_;
};
inline ScaleByLbfgs scale_by_lbfgs(int memory_size = 10, bool scale_init_precond = true) {
  return ScaleByLbfgs(memory_size, scale_init_precond);
}

struct LbfgsOptions {
  Rate learning_rate = 1.;
  int memory_size = 10;
  bool scale_init_precond = true;
};
/// scale_by_lbfgs, times -learning_rate, and then a line search: zoom, another one, or `none`.
template <class Search> auto lbfgs(const LbfgsOptions& options, const Search& linesearch) {
  if constexpr (std::is_same_v<Search, none_t>)
    return chain(scale_by_lbfgs(options.memory_size, options.scale_init_precond),
                 scale_by_learning_rate(options.learning_rate));
  else
    return chain(scale_by_lbfgs(options.memory_size, options.scale_init_precond),
                 scale_by_learning_rate(options.learning_rate), linesearch);
}
inline auto lbfgs(const LbfgsOptions& options = {}) {
  return lbfgs(options, scale_by_zoom_linesearch(20, {.initial_guess_strategy = InitialGuess::one}));
}

/// sgd with Polyak's step size: update takes a Value or an Objective. Source: optax.polyak_sgd.
inline auto polyak_sgd(const PolyakOptions& options = {}, Rate scaling = 1.) {
  return chain(scale_by_learning_rate(std::move(scaling)), scale_by_polyak(options));
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
