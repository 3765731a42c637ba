// Polyak's step size. Part of lbfgs.hpp.
#pragma once

#include <tuple>
#include <utility>

#include "tutti/optim/linesearch.hpp"

namespace tutti::optim {

enum class PolyakVariant { sps, sps_plus };
constexpr Choices choices_of(PolyakVariant) { return {"scale_by_polyak", "variant", "sps sps+"}; }
struct PolyakOptions {
  double f_min = 0, max_learning_rate = 1, eps = 0;
  OneOf<PolyakVariant> variant = PolyakVariant::sps;
};
namespace detail {
Array polyak_rate(const ArrayVector& updates, const Array& value, const PolyakOptions& options);
}
/// Scales the update by (value - f_min) / (|update|^2 + eps), at most max_learning_rate; "sps+": never below 0. update
/// takes a Value or an Objective.
class ScaleByPolyak : public Updates<ScaleByPolyak> {
 public:
  explicit ScaleByPolyak(const PolyakOptions& options) : options_(options) {}
  template <class Params> std::tuple<> init(const Params&) const { return {}; }
  /// ValueError without a value.
  template <class Params, class State> std::pair<Params, State> step(const Params&, const State&, const Params*) const {
    detail::refuse_without_params("optim::scale_by_polyak");
  }
  template <class Params, class State, class Known>
  requires requires(const Known& k) { k.value; }
  std::pair<Params, State> step(const Params& updates, const State& state, const Params*, const Known& known) const {
    detail::check_value("optim::scale_by_polyak", known.value);
    const Array rate = detail::polyak_rate(tree::leaves(updates), known.value, options_);
    return {tree::map([&](const Array& u) { return detail::scaled(u, rate); }, updates), state};
  }

 private:
  PolyakOptions options_;
};
inline ScaleByPolyak scale_by_polyak(const PolyakOptions& options = {}) { return ScaleByPolyak(options); }

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
