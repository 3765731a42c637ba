#include "lane/lane_functions.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numbers>

#include "lane/gamma_functions.hpp"
#include "lane/side_by_side.hpp"
#include "lane/square16.hpp"  // the intrinsics

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tutti::lane {
namespace {

namespace plain {
#define TUTTI_VECTOR 16
#include "lane/kernels/special.inc"
#undef TUTTI_VECTOR
}  // namespace plain

#if TUTTI_X86
namespace avx2 {
#include "lane/begin_avx2.inc"
#define TUTTI_VECTOR 32
#include "lane/kernels/special.inc"
#undef TUTTI_VECTOR
#include "lane/end_target.inc"
}  // namespace avx2

namespace avx512 {
#include "lane/begin_avx512.inc"
#define TUTTI_VECTOR 64
#include "lane/kernels/special.inc"
#undef TUTTI_VECTOR
#include "lane/end_target.inc"
}  // namespace avx512
#else
namespace avx2 = plain;
namespace avx512 = plain;
#endif

constexpr LaneFunction function(const char* name, int k) {
  return {name,
          {plain::kernels[k].f32, avx2::kernels[k].f32, avx512::kernels[k].f32},
          {plain::kernels[k].f64, avx2::kernels[k].f64, avx512::kernels[k].f64}};
}

template <class T> T of_first_lane(const OfLanes<T> (&f)[3], T x, T y, T z) {
  T in[3][16], out[16];
  std::fill_n(in[0], 16, x);
  std::fill_n(in[1], 16, y);
  std::fill_n(in[2], 16, z);
  f[vector_kind()](in[0], in[1], in[2], out);
  return out[0];
}

}  // namespace

constinit const LaneFunction lanes_lgamma = function("lgamma", 0), lanes_digamma = function("digamma", 1),
                             lanes_trigamma = function("trigamma", 2), lanes_zeta = function("zeta", 3),
                             lanes_bessel_i0e = function("bessel_i0e", 4), lanes_bessel_i1e = function("bessel_i1e", 5),
                             lanes_igamma = function("igamma", 6), lanes_igammac = function("igammac", 7),
                             lanes_igamma_grad_a = function("igamma_grad_a", 8),
                             lanes_random_gamma_grad = function("random_gamma_grad", 9),
                             lanes_betainc = function("betainc", 10), lanes_log_ndtr = function("log_ndtr", 11),
                             lanes_ndtr_slope = function("ndtr_slope", 12), lanes_ndtri = function("ndtri", 13),
                             lanes_erf_inv = function("erf_inv", 14), lanes_gamma = function("gamma", 15),
                             lanes_polygamma = function("polygamma", 16), lanes_beta = function("beta", 17),
                             lanes_log_beta = function("log_beta", 18), lanes_poch = function("poch", 19),
                             lanes_binomial = function("binomial", 20), lanes_owens_t = function("owens_t", 21),
                             lanes_kl_div = function("kl_div", 22), lanes_ndtr = function("ndtr", 23),
                             lanes_gamma_density = function("gamma_density", 24),
                             lanes_gamma_log_density = function("gamma_log_density", 25),
                             lanes_beta_density = function("beta_density", 26),
                             lanes_beta_log_density = function("beta_log_density", 27),
                             lanes_betaincc = function("betaincc", 28), lanes_log_igamma = function("log_igamma", 29),
                             lanes_log_igammac = function("log_igammac", 30),
                             lanes_igamma_log_grad_a = function("igamma_log_grad_a", 31),
                             lanes_log_betainc = function("log_betainc", 32),
                             lanes_log_betaincc = function("log_betaincc", 33),
                             lanes_t_density = function("t_density", 34),
                             lanes_t_log_density = function("t_log_density", 35),
                             lanes_bessel_j = function("bessel_j", 36),
                             lanes_faddeeva_real = function("faddeeva_real", 37),
                             lanes_faddeeva_imag = function("faddeeva_imag", 38),
                             lanes_sphere_legendre = function("sphere_legendre", 39);

const LaneFunction* find_lane_function(std::string_view name) {
  static const LaneFunction* const all[] = {&lanes_lgamma,        &lanes_digamma,
                                            &lanes_trigamma,      &lanes_zeta,
                                            &lanes_bessel_i0e,    &lanes_bessel_i1e,
                                            &lanes_igamma,        &lanes_igammac,
                                            &lanes_igamma_grad_a, &lanes_random_gamma_grad,
                                            &lanes_betainc,       &lanes_log_ndtr,
                                            &lanes_ndtr_slope,    &lanes_ndtri,
                                            &lanes_erf_inv,       &lanes_gamma,
                                            &lanes_polygamma,     &lanes_beta,
                                            &lanes_log_beta,      &lanes_poch,
                                            &lanes_binomial,      &lanes_owens_t,
                                            &lanes_kl_div,        &lanes_ndtr,
                                            &lanes_gamma_density, &lanes_gamma_log_density,
                                            &lanes_beta_density,  &lanes_beta_log_density,
                                            &lanes_betaincc,      &lanes_log_igamma,
                                            &lanes_log_igammac,   &lanes_igamma_log_grad_a,
                                            &lanes_log_betainc,   &lanes_log_betaincc,
                                            &lanes_t_density,     &lanes_t_log_density,
                                            &lanes_bessel_j,      &lanes_faddeeva_real,
                                            &lanes_faddeeva_imag, &lanes_sphere_legendre};
  for (const LaneFunction* f : all)
    if (name == f->name) return f;
  return nullptr;
}

float detail::of_one(const LaneFunction& f, float x, float y, float z) { return of_first_lane(f.f32, x, y, z); }
double detail::of_one(const LaneFunction& f, double x, double y, double z) { return of_first_lane(f.f64, x, y, z); }

}  // namespace tutti::lane
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
