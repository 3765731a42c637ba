// Special functions, and functions of complex numbers, of 2^20 of them.
#include "case.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/special/distributions.hpp"

namespace bench {
namespace {

auto between(double least, double most) {
  return [=](const Setup& s) {
    return device_put(random::uniform(random::key(0), {1 << 20}, least, most), s.at(P(axes("x", "y"))));
  };
}
auto complex_numbers() {
  return [](const Setup& s) {
    const Shape n{1 << 20};
    return device_put(lax::complex(random::normal(random::key(0), n), random::normal(random::key(1), n)),
                      s.at(P(axes("x", "y"))));
  };
}

}  // namespace

std::vector<Case> special_cases() {
  return {
      compiled(
          "special_i0e_1M", [](const Array& x) { return special::i0e(x); }, between(-20, 20)),
      compiled(
          "special_ndtri_1M", [](const Array& p) { return special::ndtri(p); }, between(0.001, 0.999)),
      compiled(
          "special_log_ndtr_1M", [](const Array& x) { return special::log_ndtr(x); }, between(-20, 5)),
      compiled(
          "special_gammaln_1M", [](const Array& x) { return special::gammaln(x); }, between(-20, 20)),
      compiled(
          "special_digamma_1M", [](const Array& x) { return special::digamma(x); }, between(0.1, 20)),
      compiled(
          "special_polygamma_1M", [](const Array& x) { return special::polygamma(1.f, x); }, between(0.1, 20)),
      compiled(
          "special_gammainc_1M", [](const Array& a, const Array& x) { return special::gammainc(a, x); },
          between(0.1, 30), between(0.1, 30)),
      compiled(
          "special_betainc_1M",
          [](const Array& a, const Array& b, const Array& x) { return special::betainc(a, b, x); }, between(0.1, 30),
          between(0.1, 30), between(0.01, 0.99)),
      compiled(
          "special_erfcx_1M", [](const Array& x) { return special::erfcx(x); }, between(-5, 20)),
      compiled(
          "special_dawsn_1M", [](const Array& x) { return special::dawsn(x); }, between(-20, 20)),
      compiled(
          "special_expi_1M", [](const Array& x) { return special::expi(x); }, between(0.1, 20)),
      compiled(
          "special_fresnel_1M", [](const Array& x) { return special::fresnel(x).s; }, between(-20, 20)),
      compiled(
          "special_sici_1M", [](const Array& x) { return special::sici(x).si; }, between(-20, 20)),
      compiled(
          "special_spence_1M", [](const Array& x) { return special::spence(x); }, between(0.1, 20)),
      compiled(
          "special_owens_t_1M", [](const Array& x) { return special::owens_t(x, x); }, between(-5, 5)),
      compiled(
          "stats_gamma_logpdf_1M", [](const Array& x) { return stats::gamma::logpdf(x, 2.5f); }, between(0.1, 20)),
      compiled(
          "stats_t_logpdf_1M", [](const Array& x) { return stats::t::logpdf(x, 4.f); }, between(-20, 20)),
      compiled(
          "complex_sqrt_1M", [](const Array& z) { return sqrt(z); }, complex_numbers()),
      compiled(
          "complex_log_1M", [](const Array& z) { return log(z); }, complex_numbers()),
      compiled(
          "complex_tanh_1M", [](const Array& z) { return tanh(z); }, complex_numbers()),
      compiled(
          "complex_asin_1M", [](const Array& z) { return arcsin(z); }, complex_numbers()),
      compiled(
          "complex_power_1M", [](const Array& z) { return power(z, z); }, complex_numbers()),
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
