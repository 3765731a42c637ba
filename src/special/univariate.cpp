// Continuous distributions of a number, continued. Source: jax.scipy.stats.
#include "tutti/special/univariate.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/special/special.hpp"

namespace tutti::stats {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity(),
                 undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kLog2Pi = 1.8378770664093454836;  // log(2 pi): known before static objects are made

// log(1 - exp(-x)) of x >= 0.
Array log_of_rest(const Array& x) {
  const Array small = x < std::numbers::ln2;
  return where(small, log(-expm1(-where(small, x, 1))), log1p(-exp(-where(small, 1, x))));
}
// log(exp(x) - exp(y)) of x >= y.
Array log_difference(const Array& x, const Array& y) {
  const Array nothing = x == -unbounded, some = where(nothing, 0, x);
  return where(nothing, -unbounded, some + log_of_rest(some - where(nothing, -1, y)));
}
// The logarithm of the normal distribution's mass between a and b, in the tail where it is exact.
Array log_mass(const Array& a, const Array& b) {
  const Array right = a > 0, tail = (b <= 0) | right;
  const Array low = where(right, -b, a), high = where(right, -a, b);
  const Array in_tail =
      log_difference(special::log_ndtr(where(tail, high, -1)), special::log_ndtr(where(tail, low, -2)));
  const Array middle = log1p(-special::ndtr(where(tail, -1, a)) - special::ndtr(where(tail, -1, -b)));
  return where(tail, in_tail, middle);
}

struct Cut {
  Array y, scale, a, b;
};
Cut cut(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  const std::vector<Array> v = special::together({x.array, a.array, b.array, loc.array, scale.array});
  return {(v[0] - v[3]) / v[4], v[4], v[1], v[2]};
}
Array log_below(const Array& y, const Array& a, const Array& b) {
  const Array in = (y > a) & (y < b), at = where(in, y, (a + b) / 2), whole = log_mass(a, b);
  const Array below = log_mass(a, at) - whole, above = log_mass(at, b) - whole;
  const Array near_1 = below > -0.1, rest = log_of_rest(-where(near_1, above, -1));
  const Array value = where(near_1, rest, below);
  return where(a >= b, undefined, where(y >= b, 0, where(y <= a, -unbounded, where(isnan(y), y, value))));
}

struct Scaled {
  Array y, scale, b;
};
Scaled scaled(const Operand& x, const Operand& b, const Operand& loc, const Operand& scale) {
  const std::vector<Array> v = special::together({x.array, b.array, loc.array, scale.array});
  return {(v[0] - v[2]) / v[3], v[3], v[1]};
}
Array if_scale(const Scaled& s, const Array& value) { return where(s.scale > 0, value, undefined); }

}  // namespace

namespace truncnorm {
Array logpdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Cut s = cut(x, a, b, loc, scale);
  const Array value = -0.5 * (square(s.y) + kLog2Pi) - log(s.scale) - log_mass(s.a, s.b);
  return where(s.a >= s.b, undefined, where((s.y < s.a) | (s.y > s.b), -unbounded, value));
}
Array pdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, a, b, loc, scale));
}
Array logcdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Cut s = cut(x, a, b, loc, scale);
  return log_below(s.y, s.a, s.b);
}
Array cdf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logcdf(x, a, b, loc, scale));
}
Array logsf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Cut s = cut(x, a, b, loc, scale);
  return log_below(-s.y, -s.b, -s.a);
}
Array sf(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logsf(x, a, b, loc, scale));
}
}  // namespace truncnorm

namespace vonmises {
Array logpdf(const Operand& x, const Operand& kappa) {
  CallScope scope(x.loc);
  const std::vector<Array> v = special::together({x.array, kappa.array});
  const Array right = v[1] > 0, k = where(right, v[1], 1);
  return where(right, -2 * k * square(sin(v[0] / 2)) - kLog2Pi - log(special::i0e(k)), undefined);
}
Array pdf(const Operand& x, const Operand& kappa) {
  CallScope scope(x.loc);
  return exp(logpdf(x, kappa));
}
}  // namespace vonmises

namespace wrapcauchy {
Array logpdf(const Operand& x, const Operand& c) {
  CallScope scope(x.loc);
  const std::vector<Array> v = special::together({x.array, c.array});
  const Array right = (v[1] > 0) & (v[1] < 1), r = where(right, v[1], 0.5);
  // 1 + c^2 - 2 c cos(x), without a difference of large numbers.
  const Array divisor = square(1 - r) + 4 * r * square(sin(v[0] / 2));
  const Array value = log1p(-r) + log1p(r) - kLog2Pi - log(divisor);
  return where(right, where((v[0] >= 0) & (v[0] <= 2 * std::numbers::pi), value, -unbounded), undefined);
}
Array pdf(const Operand& x, const Operand& c) {
  CallScope scope(x.loc);
  return exp(logpdf(x, c));
}
}  // namespace wrapcauchy

namespace gennorm {
Array logpdf(const Operand& x, const Operand& beta) {
  CallScope scope(x.loc);
  const std::vector<Array> v = special::together({x.array, beta.array});
  return log(0.5 * v[1]) - special::gammaln(1 / v[1]) - power(abs(v[0]), v[1]);
}
Array pdf(const Operand& x, const Operand& beta) {
  CallScope scope(x.loc);
  return exp(logpdf(x, beta));
}
Array cdf(const Operand& x, const Operand& beta) {
  CallScope scope(x.loc);
  const std::vector<Array> v = special::together({x.array, beta.array});
  const Array size = power(abs(v[0]), v[1]), a = 1 / v[1];
  return where(v[0] > 0, 1 - 0.5 * special::gammaincc(a, size), 0.5 * special::gammaincc(a, size));
}
}  // namespace gennorm

namespace pareto {
Array logpdf(const Operand& x, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Scaled s = scaled(x, b, loc, scale);
  const Array out = s.y < 1;
  return where(out, -unbounded, log(s.b) - log(s.scale) - (s.b + 1) * log(where(out, 1, s.y)));
}
Array pdf(const Operand& x, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, b, loc, scale));
}
Array logsf(const Operand& x, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Scaled s = scaled(x, b, loc, scale);
  const Array out = s.y < 1;
  return where(out, 0, -s.b * log(where(out, 1, s.y)));
}
Array sf(const Operand& x, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logsf(x, b, loc, scale));
}
Array logcdf(const Operand& x, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log_of_rest(-logsf(x, b, loc, scale));
}
Array cdf(const Operand& x, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return -expm1(logsf(x, b, loc, scale));
}
Array ppf(const Operand& q, const Operand& b, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const std::vector<Array> v = special::together({q.array, b.array, loc.array, scale.array});
  return where((v[0] >= 0) & (v[0] <= 1), v[2] + v[3] * exp(-log1p(-v[0]) / v[1]), undefined);
}
}  // namespace pareto

namespace gumbel_r {
Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Scaled s = scaled(x, 0.f, loc, scale);
  return if_scale(s, -(s.y + exp(-s.y)) - log(s.scale));
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, loc, scale));
}
Array logcdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Scaled s = scaled(x, 0.f, loc, scale);
  return if_scale(s, -exp(-s.y));
}
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logcdf(x, loc, scale));
}
Array logsf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log_of_rest(-logcdf(x, loc, scale));
}
Array sf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return -expm1(logcdf(x, loc, scale));
}
Array ppf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const std::vector<Array> v = special::together({q.array, loc.array, scale.array});
  return where((v[0] > 0) & (v[0] < 1), v[1] - v[2] * log(-log(v[0])), undefined);
}
}  // namespace gumbel_r

namespace gumbel_l {
Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Scaled s = scaled(x, 0.f, loc, scale);
  return if_scale(s, s.y - exp(s.y) - log(s.scale));
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, loc, scale));
}
Array logsf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Scaled s = scaled(x, 0.f, loc, scale);
  return if_scale(s, -exp(s.y));
}
Array sf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logsf(x, loc, scale));
}
Array logcdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return log_of_rest(-logsf(x, loc, scale));
}
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return -expm1(logsf(x, loc, scale));
}
Array ppf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  const std::vector<Array> v = special::together({q.array, loc.array, scale.array});
  return where((v[0] > 0) & (v[0] < 1), v[1] + v[2] * log(-log1p(-v[0])), undefined);
}
}  // namespace gumbel_l

namespace nbinom {
Array logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc) {
  CallScope scope(k.loc);
  const std::vector<Array> v = special::together({k.array, n.array, p.array, loc.array});
  const Array y = v[0] - v[3], out = y < 0, at = where(out, 0, y);
  // Gamma(y + n) / (y! Gamma(n)) = 1 / ((y + n) B(n, y + 1)).
  const Array ways = -log(at + v[1]) - special::betaln(v[1], at + 1);
  return where(out, -unbounded, ways + xlogy(v[1], v[2]) + xlog1py(at, -v[2]));
}
Array pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc) {
  CallScope scope(k.loc);
  return exp(logpmf(k, n, p, loc));
}
}  // namespace nbinom

namespace betabinom {
Array logpmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc) {
  CallScope scope(k.loc);
  const std::vector<Array> v = special::together({k.array, n.array, a.array, b.array, loc.array});
  const Array y = floor(v[0]) - v[4], out = (y < 0) | (y > v[1]), at = where(out, 0, y), rest = v[1] - at;
  const Array value = -log1p(v[1]) - special::betaln(rest + 1, at + 1) + special::betaln(at + v[2], rest + v[3]) -
                      special::betaln(v[2], v[3]);
  return where((v[1] < 0) | (v[2] <= 0) | (v[3] <= 0), undefined, where(out, -unbounded, value));
}
Array pmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc) {
  CallScope scope(k.loc);
  return exp(logpmf(k, n, a, b, loc));
}
}  // namespace betabinom

}  // namespace tutti::stats

// SPDX-License-Identifier: Apache-2.0
