// The state of a training loop, and its copies for pmap. Source: flax.training.train_state, flax.jax_utils.
#pragma once

#include <utility>
#include <vector>

#include "tutti/array/placement.hpp"
#include "tutti/linen/linen.hpp"
#include "tutti/optim/core.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::linen {

/// A tree: step, parameters and optimiser state are arrays, model and optimiser are static. Copies made from one
/// TrainState compare equal in jit's cache.
template <class Model, class Params, class Optimiser, class OptState> struct TrainStateOf {
  Array step{};
  Params params{};
  OptState opt_state{};
  Static<Model> model;
  Static<Optimiser> tx;

  /// The model with these parameters.
  template <class... Args> auto apply(const Params& with, const Args&... args) const {
    return linen::apply(*model, with, args...);
  }
  /// A new state, one step further.
  TrainStateOf apply_gradients(const Params& grads, Loc loc = Loc::current()) const {
    CallScope line(loc);
    TrainStateOf next = *this;
    auto [updates, opt] = tx->update(grads, opt_state, params);
    next.params = optim::apply_updates(params, updates);
    next.opt_state = std::move(opt);
    next.step = optim::detail::next_step(step);
    return next;
  }
};

/// Makes TrainStateOf<...>: `auto state = linen::TrainState::create(model, linen::init(model, key, x),
/// optim::adam(1e-3));`
struct TrainState {
  template <class Model, class Params, class Optimiser>
  static auto create(const Model& model, const Params& params, const Optimiser& tx) {
    using State = std::decay_t<decltype(tx.init(params))>;
    return TrainStateOf<Model, Params, Optimiser, State>{Array(0), params, tx.init(params), Static<Model>(model),
                                                         Static<Optimiser>(tx)};
  }
};

namespace detail {
Array replicated(const Array& x, const std::vector<Device>& devices, Loc loc);
}

/// Every array n times along a new dim 0, one copy on each device (all local ones when left out): what pmap takes.
template <Tree T> T replicate(const T& tree, const std::vector<Device>& devices = {}, Loc loc = Loc::current()) {
  return tutti::detail::place_leaves(
      tree, [&](const tree::Path&, const Array& x) { return detail::replicated(x, devices, loc); });
}
/// Element 0 of every array.
template <Tree T> T unreplicate(const T& tree, Loc loc = Loc::current()) {
  CallScope line(loc);
  return tutti::detail::place_leaves(tree, [&](const tree::Path&, const Array& x) { return x[0]; });
}

}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
