// Optimisers as gradient transformations: init(params) -> state, update(gradients, state, params) -> (updates, state). Formulas are Optax's.
#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "tutti/array.hpp"
#include "tutti/call_scope.hpp"
#include "tutti/tree.hpp"

namespace tutti::optim {

/// A learning rate: a number, or a function of the step count (int32[] array).
class Rate {
 public:
  template <Number T>
  Rate(T rate) : value_(rate) {}
  template <class F>
    requires std::is_invocable_r_v<Array, const F&, const Array&>
  Rate(F schedule) : schedule_(std::move(schedule)) {}
  bool is_constant() const { return !schedule_; }
  Array at(const Array& count) const { return schedule_ ? schedule_(count) : Array(value_); }

 private:
  double value_ = 0;
  std::function<Array(const Array&)> schedule_;
};

namespace detail {
/// Zeros in the places of floating arrays; other arrays become empty.
Array zeros_for(const Array& param);
Array step_zero();
Array next_step(const Array& count);                       // saturates
Array moment(const Array& gradient, const Array& moment, double decay, int order);
Array corrected(const Array& moment, double decay, const Array& count);
Array adam_direction(const Array& mean, const Array& square, double eps, double eps_root);
Array add_update(const Array& param, const Array& update);

template <class Tree>
Tree zeros_of_tree(const Tree& params) {
  return tree::map([](const Array& p) { return zeros_for(p); }, params);
}
}  // namespace detail

template <class Params>
struct AdamState {
  Array count{};
  Params mu{}, nu{};
};

/// Adam (Kingma and Ba 2015) with bias correction; `weight_decay` adds the decoupled decay of AdamW. Source: optax.adam, optax.adamw.
struct Adam {
  Rate learning_rate = 1e-3;
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0, weight_decay = 0;

  template <class Params>
  AdamState<Params> init(const Params& params) const {
    return {detail::step_zero(), detail::zeros_of_tree(params), detail::zeros_of_tree(params)};
  }
  template <class Params>
  std::pair<Params, AdamState<Params>> update(const Params& grads, const AdamState<Params>& state, const Params& params, Loc loc = Loc::current()) const {
    CallScope line(loc);
    AdamState<Params> next{detail::next_step(state.count), {}, {}};
    next.mu = tree::map([&](const Array& m, const Array& g) { return detail::moment(g, m, b1, 1); }, state.mu, grads);
    next.nu = tree::map([&](const Array& v, const Array& g) { return detail::moment(g, v, b2, 2); }, state.nu, grads);
    Array rate = learning_rate.at(state.count);
    Params updates = tree::map(
        [&](const Array& m, const Array& v, const Array& p) {
          Array direction = detail::adam_direction(detail::corrected(m, b1, next.count), detail::corrected(v, b2, next.count), eps, eps_root);
          return scaled(direction, p, rate);
        },
        next.mu, next.nu, params);
    return {std::move(updates), std::move(next)};
  }
  /// Without parameters: only where there is no weight decay.
  template <class Params>
  std::pair<Params, AdamState<Params>> update(const Params& grads, const AdamState<Params>& state, Loc loc = Loc::current()) const {
    if (weight_decay != 0) throw ValueError("adamw: update needs the parameters: update(grads, state, params)");
    return update(grads, state, grads, loc);
  }

 private:
  Array scaled(const Array& direction, const Array& param, const Array& rate) const;
};
inline Adam adam(Rate learning_rate, double b1 = 0.9, double b2 = 0.999, double eps = 1e-8, double eps_root = 0) {
  return {std::move(learning_rate), b1, b2, eps, eps_root, 0};
}
inline Adam adamw(Rate learning_rate, double b1 = 0.9, double b2 = 0.999, double eps = 1e-8, double eps_root = 0, double weight_decay = 1e-4) {
  return {std::move(learning_rate), b1, b2, eps, eps_root, weight_decay};
}

template <class Params>
struct SgdState {
  Array count{};
  Params trace{};
};

/// Gradient descent, with momentum when it is not 0. Source: optax.sgd.
struct Sgd {
  Rate learning_rate = 1e-2;
  double momentum = 0;
  bool nesterov = false;

  template <class Params>
  SgdState<Params> init(const Params& params) const {
    SgdState<Params> s{detail::step_zero(), params};
    s.trace = tree::map([&](const Array& p) { return momentum != 0 ? detail::zeros_for(p) : Array(); }, params);
    return s;
  }
  template <class Params>
  std::pair<Params, SgdState<Params>> update(const Params& grads, const SgdState<Params>& state, const Params& = {}, Loc loc = Loc::current()) const {
    CallScope line(loc);
    SgdState<Params> next{detail::next_step(state.count), state.trace};
    Array rate = learning_rate.at(state.count);
    Params direction = grads;
    if (momentum != 0) {
      next.trace = tree::map([&](const Array& t, const Array& g) { return heavy_ball(g, t); }, state.trace, grads);
      direction = nesterov ? tree::map([&](const Array& g, const Array& t) { return heavy_ball(g, t); }, grads, next.trace) : next.trace;
    }
    return {tree::map([&](const Array& d) { return negative_step(d, rate); }, direction), std::move(next)};
  }

 private:
  Array heavy_ball(const Array& gradient, const Array& trace) const;
  static Array negative_step(const Array& direction, const Array& rate);
};
inline Sgd sgd(Rate learning_rate, double momentum = 0, bool nesterov = false) { return {std::move(learning_rate), momentum, nesterov}; }

/// params + updates; the dtype of the parameter stays, empty updates keep it. Source: optax.apply_updates.
template <class Params>
Params apply_updates(const Params& params, const Params& updates, Loc loc = Loc::current()) {
  CallScope line(loc);
  return tree::map([](const Array& p, const Array& u) { return detail::add_update(p, u); }, params, updates);
}

}  // namespace tutti::optim
