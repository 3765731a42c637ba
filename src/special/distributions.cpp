// Continuous distributions. Source: jax.scipy.stats.
#include "tutti/special/distributions.hpp"

#include <cmath>
#include <limits>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/gamma.hpp"

namespace tutti::stats {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity(),
                 no_number = std::numeric_limits<double>::quiet_NaN();

// What every function begins with: one dtype, and x as the standard distribution has it.
struct Standard {
  Array y, scale;
  Array apart(const Array& density) const { return density - log(scale); }
};
Standard standardized(const Operand& x, const Operand& loc, const Operand& scale) {
  const std::vector<Array> v = special::together({x.array, loc.array, scale.array});
  return {(v[0] - v[1]) / v[2], v[2]};
}
// For ppf, where x is a probability.
struct Inverse {
  Array q, loc, scale;
  Array back(const Array& y) const { return loc + scale * y; }
  Array probability(const Array& y) const { return where((q >= 0) & (q <= 1), back(y), no_number); }
};
Inverse inverse(const Operand& q, const Operand& loc, const Operand& scale) {
  const std::vector<Array> v = special::together({q.array, loc.array, scale.array});
  return {v[0], v[1], v[2]};
}
// log(p) of a probability p and 1 - p, by the smaller of the two.
Array log_probability(const Array& p, const Array& other) {
  const Array low = p <= 0.5;
  return where(low, log(where(low, p, 1)), log1p(where(low, 0, -other)));
}
// log(1 + x^2), also where x^2 overflows.
Array log_of_square_and_1(const Array& x) {
  const Array size = abs(x), far = size > 1, tail = where(far, size, 1);
  return where(far, 2 * log(tail) + log1p(square(1 / tail)), log1p(square(where(far, 0, x))));
}
// With parameters of the shape.
struct Shaped {
  Array y, scale, a, b;
};
Shaped shaped(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  const std::vector<Array> v = special::together({x.array, a.array, b.array, loc.array, scale.array});
  return {(v[0] - v[3]) / v[4], v[4], v[1], v[2]};
}

}  // namespace

namespace norm {
Array sf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return special::ndtr(-standardized(x, loc, scale).y);
}
Array logsf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return special::log_ndtr(-standardized(x, loc, scale).y);
}
Array isf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.back(-special::ndtri(s.q));
}
}  // namespace norm

namespace expon {
Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Standard s = standardized(x, loc, scale);
  return where(s.y < 0, -endless, s.apart(-s.y));
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, loc, scale));
}
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Array y = standardized(x, loc, scale).y;
  return where(y < 0, 0, -expm1(-y));
}
Array logcdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log_probability(cdf(x, loc, scale), sf(x, loc, scale));
}
Array logsf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Array y = standardized(x, loc, scale).y;
  return where(y < 0, 0, -y);
}
Array sf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logsf(x, loc, scale));
}
Array ppf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.probability(-log1p(-s.q));
}
}  // namespace expon

namespace uniform {
Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Standard s = standardized(x, loc, scale);
  return where(isnan(s.y), no_number, where((s.y < 0) | (s.y > 1), -endless, -log(s.scale)));
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, loc, scale));
}
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return clip(standardized(x, loc, scale).y, 0, 1);
}
Array ppf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.probability(s.q);
}
}  // namespace uniform

namespace laplace {
Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Standard s = standardized(x, loc, scale);
  return s.apart(-abs(s.y) - std::log(2.));
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, loc, scale));
}
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Array y = standardized(x, loc, scale).y, tail = 0.5 * exp(-abs(y));
  return where(y <= 0, tail, 1 - tail);
}
}  // namespace laplace

namespace logistic {
Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Standard s = standardized(x, loc, scale);
  return s.apart(-2 * logaddexp(0.5 * s.y, -0.5 * s.y));
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, loc, scale));
}
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return special::expit(standardized(x, loc, scale).y);
}
Array sf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return special::expit(-standardized(x, loc, scale).y);
}
Array ppf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.back(special::logit(s.q));
}
Array isf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.back(-special::logit(s.q));
}
}  // namespace logistic

namespace cauchy {
namespace {

// tan(pi (q - 1/2)), by the distance from the nearer of 0, 1/2 and 1.
Array quantile(const Array& q) {
  const Array low = q<0.25, high = q> 0.75, distance = where(low, q, where(high, 1 - q, q - 0.5));
  const Array slope = tan(M_PI * distance), inverse = 1 / where(slope == 0, 1, slope);
  const Array end = where(distance == 0, endless, inverse);
  return where((q >= 0) & (q <= 1), where(low, -end, where(high, end, slope)), no_number);
}

}  // namespace

Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Standard s = standardized(x, loc, scale);
  return s.apart(-std::log(M_PI) - log_of_square_and_1(s.y));
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Standard s = standardized(x, loc, scale);
  return 1 / (M_PI * s.scale * (1 + square(s.y)));
}
// By the angle on the side of the tail, whose digits 1/2 would take.
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Array y = standardized(x, loc, scale).y;
  return arctan2(1, -y) / M_PI;
}
Array sf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return arctan2(1, standardized(x, loc, scale).y) / M_PI;
}
Array logcdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log_probability(cdf(x, loc, scale), sf(x, loc, scale));
}
Array logsf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log_probability(sf(x, loc, scale), cdf(x, loc, scale));
}
Array ppf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.back(quantile(s.q));
}
Array isf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.back(-quantile(s.q));
}
}  // namespace cauchy

namespace gamma {
Array logpdf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  return lax::gamma_log_density(s.y, s.a) - log(s.scale);
}
Array pdf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  return lax::gamma_density(s.y, s.a) / s.scale;
}
Array cdf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  return where(s.a > 0, special::gammainc(s.a, maximum(s.y, 0)), no_number);
}
Array logcdf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  return where(s.a > 0, lax::log_igamma(s.a, maximum(s.y, 0)), no_number);
}
Array sf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  return where(s.a > 0, special::gammaincc(s.a, maximum(s.y, 0)), no_number);
}
Array logsf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  return where(s.a > 0, lax::log_igammac(s.a, maximum(s.y, 0)), no_number);
}
}  // namespace gamma

// The gamma distribution of df / 2, twice as wide.
namespace chi2 {
Array logpdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return gamma::logpdf(x, df.array * 0.5, loc, scale.array * 2);
}
Array pdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return gamma::pdf(x, df.array * 0.5, loc, scale.array * 2);
}
Array cdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return gamma::cdf(x, df.array * 0.5, loc, scale.array * 2);
}
Array logcdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return gamma::logcdf(x, df.array * 0.5, loc, scale.array * 2);
}
Array sf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return gamma::sf(x, df.array * 0.5, loc, scale.array * 2);
}
Array logsf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return gamma::logsf(x, df.array * 0.5, loc, scale.array * 2);
}
}  // namespace chi2

namespace beta {
Array logpdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  return where(s.scale > 0, lax::beta_log_density(s.y, s.a, s.b) - log(s.scale), no_number);
}
Array pdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  return where(s.scale > 0, lax::beta_density(s.y, s.a, s.b) / s.scale, no_number);
}
Array cdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  return where((s.a > 0) & (s.b > 0), special::betainc(s.a, s.b, clip(s.y, 0, 1)), no_number);
}
Array sf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  return where((s.a > 0) & (s.b > 0), lax::betaincc(s.a, s.b, clip(s.y, 0, 1)), no_number);
}
Array logcdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  return where((s.a > 0) & (s.b > 0), lax::log_betainc(s.a, s.b, clip(s.y, 0, 1)), no_number);
}
Array logsf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  return where((s.a > 0) & (s.b > 0), lax::log_betaincc(s.a, s.b, clip(s.y, 0, 1)), no_number);
}
}  // namespace beta

namespace t {
Array logpdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, df, 1.f, loc, scale);
  return lax::t_log_density(s.y, s.a) - log(s.scale);
}
Array pdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, df, 1.f, loc, scale);
  return lax::t_density(s.y, s.a) / s.scale;
}
}  // namespace t

}  // namespace tutti::stats

// SPDX-License-Identifier: Apache-2.0
