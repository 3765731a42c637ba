// More distributions of a number, in the manner of distributions.hpp, which includes this file: elementwise with
// promotion and broadcasting; outside its range a density is 0 and its logarithm -inf, and NaN where a parameter makes
// no sense. Source: jax.scipy.stats.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::stats {

/// The normal distribution cut to (loc + a scale, loc + b scale).
namespace truncnorm {
Array logpdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f,
             const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f,
             const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace truncnorm

/// exp(kappa cos(x)) / (2 pi I_0(kappa)), kappa > 0: of an angle.
namespace vonmises {
Array logpdf(const Operand& x, const Operand& kappa);
Array pdf(const Operand& x, const Operand& kappa);
}  // namespace vonmises

/// (1 - c^2) / (2 pi (1 + c^2 - 2 c cos(x))), 0 <= x <= 2 pi, 0 < c < 1.
namespace wrapcauchy {
Array logpdf(const Operand& x, const Operand& c);
Array pdf(const Operand& x, const Operand& c);
}  // namespace wrapcauchy

/// beta / (2 Gamma(1 / beta)) exp(-|x|^beta).
namespace gennorm {
Array logpdf(const Operand& x, const Operand& beta);
Array pdf(const Operand& x, const Operand& beta);
Array cdf(const Operand& x, const Operand& beta);
}  // namespace gennorm

/// b / x^(b + 1), x >= 1.
namespace pareto {
Array logpdf(const Operand& x, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array ppf(const Operand& q, const Operand& b, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace pareto

/// exp(-(x + exp(-x))): of the largest of many numbers.
namespace gumbel_r {
Array logpdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array ppf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace gumbel_r

/// exp(x - exp(x)): of the least of many.
namespace gumbel_l {
Array logpdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logsf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array sf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array ppf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);
}  // namespace gumbel_l

/// Gamma(k + n) / (k! Gamma(n)) p^n (1 - p)^k: of failures before the nth success.
namespace nbinom {
Array logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0.f);
Array pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0.f);
}  // namespace nbinom

/// binom whose p is distributed as beta.
namespace betabinom {
Array logpmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc = 0.f);
Array pmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc = 0.f);
}  // namespace betabinom

}  // namespace tutti::stats

// SPDX-License-Identifier: Apache-2.0
