// Continuous distributions. Source: jax.scipy.stats.
#include "tutti/special/distributions.hpp"

#include <cmath>
#include <limits>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"

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
  return log(cdf(x, loc, scale));
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
  return where((s.y < 0) | (s.y > 1), -endless, -log(s.scale));
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
Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Standard s = standardized(x, loc, scale);
  return s.apart(-std::log(M_PI) - log1p(square(s.y)));
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, loc, scale));
}
// By the angle on the side of the tail, whose digits 1/2 would take.
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Array y = standardized(x, loc, scale).y;
  return arctan2(1, -y) / M_PI;
}
Array logcdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log(cdf(x, loc, scale));
}
Array sf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return arctan2(1, standardized(x, loc, scale).y) / M_PI;
}
Array logsf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log(sf(x, loc, scale));
}
Array ppf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.back(tan(M_PI * s.q - M_PI / 2));
}
Array isf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const Inverse s = inverse(q, loc, scale);
  return s.back(tan(M_PI / 2 - M_PI * s.q));
}
}  // namespace cauchy

namespace gamma {
Array logpdf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  const Array inside = s.y >= 0, y = where(inside, s.y, 1);
  return where(inside, special::xlogy(s.a - 1, y) - y - special::gammaln(s.a) - log(s.scale), -endless);
}
Array pdf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, a, loc, scale));
}
Array cdf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  return special::gammainc(s.a, maximum(s.y, 0));
}
Array logcdf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log(cdf(x, a, loc, scale));
}
Array sf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, 1.f, loc, scale);
  return special::gammaincc(s.a, maximum(s.y, 0));
}
Array logsf(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log(sf(x, a, loc, scale));
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
  return exp(logpdf(x, df, loc, scale));
}
Array cdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return gamma::cdf(x, df.array * 0.5, loc, scale.array * 2);
}
Array logcdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log(cdf(x, df, loc, scale));
}
Array sf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return gamma::sf(x, df.array * 0.5, loc, scale.array * 2);
}
Array logsf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log(sf(x, df, loc, scale));
}
}  // namespace chi2

namespace beta {
Array logpdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  const Array inside = (s.y >= 0) & (s.y <= 1), y = where(inside, s.y, 0.5);
  const Array powers = special::xlogy(s.a - 1, y) + special::xlog1py(s.b - 1, -y);
  const Array density = where(inside, powers - special::betaln(s.a, s.b) - log(s.scale), -endless);
  return where((s.a > 0) & (s.b > 0) & (s.scale > 0), density, no_number);
}
Array pdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, a, b, loc, scale));
}
Array cdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  return special::betainc(s.a, s.b, clip(s.y, 0, 1));
}
Array sf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, a, b, loc, scale);
  return special::betainc(s.b, s.a, 1 - clip(s.y, 0, 1));
}
Array logcdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log(cdf(x, a, b, loc, scale));
}
Array logsf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log(sf(x, a, b, loc, scale));
}
}  // namespace beta

namespace t {
Array logpdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Shaped s = shaped(x, df, 1.f, loc, scale);
  const Array half = 0.5 * s.a, size = 0.5 * log(M_PI * s.a) + log(s.scale);
  return special::gammaln(half + 0.5) - special::gammaln(half) - size - (half + 0.5) * log1p(square(s.y) / s.a);
}
Array pdf(const Operand& x, const Operand& df, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, df, loc, scale));
}
}  // namespace t

}  // namespace tutti::stats
