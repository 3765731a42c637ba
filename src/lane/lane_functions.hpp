// Special functions of 16 lanes at a time: calls for the engine, which would compile them for long, and for eval.
#pragma once

#include <string_view>

#include "lane/lane.hpp"

namespace tutti::lane {

/// out[l] = f(x[l], y[l], z[l]) for 16 numbers; operands that a function does not have are not read.
template <class T> using OfLanes = void (*)(const T* x, const T* y, const T* z, T* out);

/// A function of float32 (computed in double and rounded once) and of float64, for processors of three kinds: with
/// vectors of 16 bytes, with AVX2 and with AVX-512. The bits are the same for all of them.
struct LaneFunction {
  const char* name;
  OfLanes<float> f32[3];
  OfLanes<double> f64[3];
};

extern const LaneFunction lanes_lgamma, lanes_digamma, lanes_trigamma, lanes_zeta, lanes_bessel_i0e, lanes_bessel_i1e,
    lanes_igamma, lanes_igammac, lanes_igamma_grad_a, lanes_random_gamma_grad, lanes_betainc, lanes_log_ndtr,
    lanes_ndtr_slope, lanes_ndtri, lanes_erf_inv, lanes_gamma, lanes_polygamma, lanes_beta, lanes_log_beta, lanes_poch,
    lanes_binomial, lanes_owens_t, lanes_kl_div, lanes_ndtr, lanes_gamma_density, lanes_gamma_log_density,
    lanes_beta_density, lanes_beta_log_density, lanes_betaincc, lanes_log_igamma, lanes_log_igammac,
    lanes_igamma_log_grad_a, lanes_log_betainc, lanes_log_betaincc, lanes_t_density, lanes_t_log_density,
    lanes_bessel_j, lanes_faddeeva_real, lanes_faddeeva_imag, lanes_sphere_legendre;

/// The function of this name, or nullptr.
const LaneFunction* find_lane_function(std::string_view name);

namespace detail {
float of_one(const LaneFunction& f, float x, float y, float z);
double of_one(const LaneFunction& f, double x, double y, double z);
}  // namespace detail

template <class T> Host<T> call(const LaneFunction& f, Host<T> x, Host<T> y = {}, Host<T> z = {}) {
  return {detail::of_one(f, x.v, y.v, z.v)};
}
inline Lane call(const LaneFunction& f, Lane x) { return {x.ir, x.ir->library(f.name, x.reg)}; }
inline Lane call(const LaneFunction& f, Lane x, Lane y) { return {x.ir, x.ir->library(f.name, x.reg, y.reg)}; }
inline Lane call(const LaneFunction& f, Lane x, Lane y, Lane z) {
  return {x.ir, x.ir->library(f.name, x.reg, y.reg, z.reg)};
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
