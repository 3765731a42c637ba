// Densities and distribution functions of what tutti/random draws, elementwise with promotion: floats stay, integers
// become float32; arguments broadcast. `loc` moves a distribution, `scale` widens it. Outside its range a density is 0
// and its logarithm -inf. Not part of tutti.hpp: include this file. The normal one is in tutti/special/special.hpp.
// Source: jax.scipy.stats.
//
//     Array loss = -mean(stats::gamma::logpdf(x, a));
//
// pdf and pmf: the density, and the probability of a whole number; cdf: the probability of at most x, sf: of more; log
// before a name: its logarithm; ppf: the inverse of cdf, NaN outside of 0 to 1; isf: that of sf.
//
// -- Errors
// Units in the last place of the result, beyond what half a unit of the arguments changes; regions with bounds of their
// own, and why, are listed by `./dev sweep special`.
//   4 in float32, 4 in float64: norm_logpdf norm_pdf expon_logpdf expon_pdf expon_cdf expon_sf expon_logcdf expon_logsf
//     expon_ppf uniform_logpdf uniform_pdf uniform_cdf uniform_ppf laplace_logpdf laplace_pdf laplace_cdf
//     logistic_logpdf logistic_pdf logistic_cdf logistic_sf logistic_ppf logistic_isf cauchy_logpdf cauchy_pdf
//     cauchy_cdf cauchy_sf cauchy_logcdf cauchy_logsf cauchy_ppf cauchy_isf
//   4 in float32, 8 in float64: norm_cdf norm_sf norm_ppf norm_isf
//   4 in float32, 12 in float64: norm_logcdf norm_logsf
//   4 in float32, 16 in float64: beta_pdf t_logpdf t_pdf poisson_logpmf poisson_pmf bernoulli_logpmf bernoulli_pmf
//     bernoulli_cdf bernoulli_ppf binom_pmf geom_logpmf geom_pmf
//   4 in float32, 32 in float64: gamma_logpdf gamma_pdf chi2_logpdf chi2_pdf beta_logpdf
//   4 in float32, 64 in float64: gamma_cdf gamma_sf gamma_logcdf gamma_logsf chi2_cdf chi2_sf chi2_logcdf chi2_logsf
//     beta_cdf beta_sf beta_logcdf beta_logsf poisson_cdf
//   8 in float32, 16 in float64: binom_logpmf
// --
#pragma once

#include "tutti/array/array.hpp"
#include "tutti/special/special.hpp"
#include "tutti/special/univariate.hpp"

namespace tutti::stats {

namespace norm {  // the rest of it is in special.hpp
Array sf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array isf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace norm

/// exp(-x), x >= 0.
namespace expon {
Array logpdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array ppf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace expon

/// 1 from 0 to 1.
namespace uniform {
Array logpdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array ppf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace uniform

/// exp(-|x|) / 2.
namespace laplace {
Array logpdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace laplace

/// exp(-x) / (1 + exp(-x))^2.
namespace logistic {
Array logpdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array ppf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array isf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace logistic

/// 1 / (pi (1 + x^2)).
namespace cauchy {
Array logpdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array ppf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array isf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace cauchy

/// x^(a - 1) exp(-x) / Gamma(a), x >= 0.
namespace gamma {
Array logpdf(const Operand& x, const Operand& a, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& a, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& a, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& a, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& a, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& a, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace gamma

/// The sum of df squares of normal numbers.
namespace chi2 {
Array logpdf(const Operand& x, const Operand& df, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& df, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& df, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& df, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& df, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& df, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace chi2

/// x^(a - 1) (1 - x)^(b - 1) / B(a, b), 0 <= x <= 1; NaN where a, b or scale are not positive.
namespace beta {
Array logpdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f,
             const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f,
             const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace beta

/// Student's, of df degrees of freedom.
namespace t {
Array logpdf(const Operand& x, const Operand& df, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& df, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace t

/// mu^k exp(-mu) / k!.
namespace poisson {
Array logpmf(const Operand& k, const Operand& mu, const Operand& loc = 0.f);
Array pmf(const Operand& k, const Operand& mu, const Operand& loc = 0.f);
Array cdf(const Operand& k, const Operand& mu, const Operand& loc = 0.f);
}  // namespace poisson

/// p for 1, 1 - p for 0.
namespace bernoulli {
Array logpmf(const Operand& k, const Operand& p, const Operand& loc = 0.f);
Array pmf(const Operand& k, const Operand& p, const Operand& loc = 0.f);
Array cdf(const Operand& k, const Operand& p);
Array ppf(const Operand& q, const Operand& p);
}  // namespace bernoulli

/// p^k (1 - p)^(n - k) of as many choices of k things of n.
namespace binom {
Array logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0.f);
Array pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0.f);
}  // namespace binom

/// p (1 - p)^(k - 1), k from 1.
namespace geom {
Array logpmf(const Operand& k, const Operand& p, const Operand& loc = 0.f);
Array pmf(const Operand& k, const Operand& p, const Operand& loc = 0.f);
}  // namespace geom

}  // namespace tutti::stats

// SPDX-License-Identifier: Apache-2.0
