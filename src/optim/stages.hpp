// What the parts and the optimisers share.
#pragma once

#include "tutti/numpy/numpy.hpp"
#include "tutti/optim/parts.hpp"

namespace tutti::optim {

/// A stage that changes each update alone.
template <class F> std::function<void(Leaves&)> each_update(F fn) {
  return [fn](Leaves& l) { l.each([&](std::size_t i) { l.updates[i] = fn(l.updates[i]); }); };
}
/// The same with its parameter.
template <class F> std::function<void(Leaves&)> each_with_param(const char* who, F fn) {
  return [who, fn](Leaves& l) {
    const std::vector<Array>& params = l.needed_params(who);
    l.each([&](std::size_t i) { l.updates[i] = fn(l.updates[i], params[i]); });
  };
}
/// Whether the mask holds, per place.
std::vector<bool> masked_places(const Mask& mask, const Leaves& leaves);

/// A stage that is pure when `pure` says so.
Stage like(bool pure, std::vector<std::shared_ptr<const Rate>> rates, std::function<void(Leaves&)> run);
/// One after the other.
Stage in_order(std::vector<Stage> stages);
/// A stage that sees only these slots, in this order.
Stage on_slots(Stage stage, std::vector<std::size_t> which);
/// A pure stage that computes with float16 leaves as float32, where the squares of small gradients and usual epsilons
/// are not 0, nor those of large ones infinite; updates and state keep their dtypes. Optax computes in float16.
Stage in_float32(std::function<void(Leaves&)> run);
/// Times the rate, in each update's dtype, or times minus the rate.
Stage times_rate(Rate rate, bool minus);

/// (1 - decay) x + decay m.
Array moment(const Array& x, const Array& m, double decay);
/// 1 - decay^count as float32[].
Array correction(double decay, const Array& count);
/// m over the correction, in m's dtype.
inline Array corrected(const Array& m, const Array& by) { return m / by.astype(m.dtype()); }
inline Array cast(const Array& x, std::optional<DType> dtype) { return dtype ? x.astype(*dtype) : x; }
/// The 2-norm of one array; `min_norm`, without a gradient, where it is not above that.
Array norm_at_least(const Array& x, double min_norm);

inline Array zeros_start(const Array& p) { return tutti::zeros_like(p); }
/// Of running means of gradients and of their squares, which float16 does not hold.
inline DType dtype_of_moments(const Array& p) { return p.dtype() == float16 ? DType(float32) : p.dtype(); }
inline Start moments_start(double value = 0) {
  return [value](const Array& p) { return tutti::full_like(p, value, dtype_of_moments(p)); };
}
inline Start zeros_in(std::optional<DType> dtype) {
  return [dtype](const Array& p) { return tutti::zeros_like(p, dtype.value_or(dtype_of_moments(p))); };
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
