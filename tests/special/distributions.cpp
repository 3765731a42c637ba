// Distributions.
#include "tutti/special/distributions.hpp"
#include <cfloat>
#include <cmath>

#include "special/functions.hpp"

namespace tutti::sweep {

namespace {

bool subnormal(double x, bool single) { return x != 0 && std::abs(x) < 2 * (single ? FLT_MIN : DBL_MIN); }

}  // namespace

std::vector<Function> distributions() {
  constexpr double any = INFINITY;
  const Exception no_limit{"parameters beyond 1e30 have no limit of their own",
                           [](const double* x, bool) { return x[1] > 1e30; }, any, any};
  const Exception half_is_0{
      "half of a subnormal number has fewer digits, or none",
      [](const double* x, bool single) { return subnormal(x[0], single) || subnormal(x[1], single); }, any, any};
  const Exception tiny{"a parameter below 1e-290 counts as 0",
                       [](const double* x, bool) { return x[1] < 1e-290 || x[2] < 1e-290; }, any, any};
  return {
      {"norm_logpdf", first<1>(stats::norm::logpdf), 4, 4},
      {"norm_pdf", first<1>(stats::norm::pdf), 4, 4},
      {"norm_cdf", first<1>(stats::norm::cdf), 4, 8},
      {"norm_sf", first<1>(stats::norm::sf), 4, 8},
      {"norm_logcdf", first<1>(stats::norm::logcdf), 4, 12},
      {"norm_logsf", first<1>(stats::norm::logsf), 4, 12},
      {"norm_ppf", first<1>(stats::norm::ppf), 4, 8},
      {"norm_isf", first<1>(stats::norm::isf), 4, 8},
      {"expon_logpdf", first<1>(stats::expon::logpdf), 4, 4},
      {"expon_pdf", first<1>(stats::expon::pdf), 4, 4},
      {"expon_cdf", first<1>(stats::expon::cdf), 4, 4},
      {"expon_sf", first<1>(stats::expon::sf), 4, 4},
      {"expon_logcdf", first<1>(stats::expon::logcdf), 4, 4},
      {"expon_logsf", first<1>(stats::expon::logsf), 4, 4},
      {"expon_ppf", first<1>(stats::expon::ppf), 4, 4},
      {"uniform_logpdf", first<1>(stats::uniform::logpdf), 4, 4},
      {"uniform_pdf", first<1>(stats::uniform::pdf), 4, 4},
      {"uniform_cdf", first<1>(stats::uniform::cdf), 4, 4},
      {"uniform_ppf", first<1>(stats::uniform::ppf), 4, 4},
      {"laplace_logpdf", first<1>(stats::laplace::logpdf), 4, 4},
      {"laplace_pdf", first<1>(stats::laplace::pdf), 4, 4},
      {"laplace_cdf", first<1>(stats::laplace::cdf), 4, 4},
      {"logistic_logpdf", first<1>(stats::logistic::logpdf), 4, 4},
      {"logistic_pdf", first<1>(stats::logistic::pdf), 4, 4},
      {"logistic_cdf", first<1>(stats::logistic::cdf), 4, 4},
      {"logistic_sf", first<1>(stats::logistic::sf), 4, 4},
      {"logistic_ppf", first<1>(stats::logistic::ppf), 4, 4},
      {"logistic_isf", first<1>(stats::logistic::isf), 4, 4},
      {"cauchy_logpdf", first<1>(stats::cauchy::logpdf), 4, 4},
      {"cauchy_pdf", first<1>(stats::cauchy::pdf), 4, 4},
      {"cauchy_cdf", first<1>(stats::cauchy::cdf), 4, 4},
      {"cauchy_sf", first<1>(stats::cauchy::sf), 4, 4},
      {"cauchy_logcdf", first<1>(stats::cauchy::logcdf), 4, 4},
      {"cauchy_logsf", first<1>(stats::cauchy::logsf), 4, 4},
      {"cauchy_ppf", first<1>(stats::cauchy::ppf), 4, 4},
      {"cauchy_isf", first<1>(stats::cauchy::isf), 4, 4},
      {"gamma_logpdf", first<2>(stats::gamma::logpdf), 4, 32, {no_limit}},
      {"gamma_pdf", first<2>(stats::gamma::pdf), 4, 32, {no_limit}},
      {"gamma_cdf", first<2>(stats::gamma::cdf), 4, 64, {no_limit}},
      {"gamma_sf", first<2>(stats::gamma::sf), 4, 64, {no_limit}},
      {"gamma_logcdf", first<2>(stats::gamma::logcdf), 4, 64, {no_limit}},
      {"gamma_logsf", first<2>(stats::gamma::logsf), 4, 64, {no_limit}},
      {"chi2_logpdf", first<2>(stats::chi2::logpdf), 4, 32, {no_limit, half_is_0}},
      {"chi2_pdf", first<2>(stats::chi2::pdf), 4, 32, {no_limit, half_is_0}},
      {"chi2_cdf", first<2>(stats::chi2::cdf), 4, 64, {no_limit, half_is_0}},
      {"chi2_sf", first<2>(stats::chi2::sf), 4, 64, {no_limit, half_is_0}},
      {"chi2_logcdf", first<2>(stats::chi2::logcdf), 4, 64, {no_limit, half_is_0}},
      {"chi2_logsf", first<2>(stats::chi2::logsf), 4, 64, {no_limit, half_is_0}},
      {"beta_logpdf", first<3>(stats::beta::logpdf), 4, 32},
      {"beta_pdf", first<3>(stats::beta::pdf), 4, 16},
      {"beta_cdf", first<3>(stats::beta::cdf), 4, 64, {tiny}},
      {"beta_sf", first<3>(stats::beta::sf), 4, 64, {tiny}},
      {"beta_logcdf", first<3>(stats::beta::logcdf), 4, 64, {tiny}},
      {"beta_logsf", first<3>(stats::beta::logsf), 4, 64, {tiny}},
      {"t_logpdf", first<2>(stats::t::logpdf), 4, 16},
      {"t_pdf", first<2>(stats::t::pdf), 4, 16},
      {"poisson_logpmf", first<2>(stats::poisson::logpmf), 4, 16, {no_limit}},
      {"poisson_pmf", first<2>(stats::poisson::pmf), 4, 16, {no_limit}},
      {"poisson_cdf", first<2>(stats::poisson::cdf), 4, 64, {no_limit}},
      {"bernoulli_logpmf", first<2>(stats::bernoulli::logpmf), 4, 16},
      {"bernoulli_pmf", first<2>(stats::bernoulli::pmf), 4, 16},
      {"bernoulli_cdf", first<2>(stats::bernoulli::cdf), 4, 16},
      {"bernoulli_ppf", first<2>(stats::bernoulli::ppf), 4, 16},
      {"binom_logpmf", first<3>(stats::binom::logpmf), 8, 16},
      {"binom_pmf", first<3>(stats::binom::pmf), 4, 16},
      {"geom_logpmf", first<2>(stats::geom::logpmf), 4, 16},
      {"geom_pmf", first<2>(stats::geom::pmf), 4, 16},
  };
}

}  // namespace tutti::sweep

// SPDX-License-Identifier: Apache-2.0
