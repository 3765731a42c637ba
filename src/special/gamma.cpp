// Functions made of the gamma function, and powers. Source: jax.scipy.special.
#include <cmath>
#include <limits>
#include <utility>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// (exp(lambda log_x) - 1) / lambda, and log_x where lambda is 0.
Array power_of_log(const Array& log_x, const Array& lambda) {
  const Array zero = lambda == 0, safe = where(zero, 1, lambda);
  return where(zero, log_x, expm1(safe * log_x) / safe);
}

}  // namespace

Array gammasgn(const In& x) {
  CallScope scope(x.loc);
  const Array v = floating(x.array), whole = floor(v);
  const Array odd = (v < 0) & (whole % 2 != 0), pole = (v < 0) & (v == whole);
  const Array sign = where(odd | ((v == 0) & signbit(v)), -1, 1);
  return where(pole | isnan(v), nan, sign).astype(v.dtype());
}
Array gamma(const In& x) {
  CallScope scope(x.loc);
  const Array v = floating(x.array);
  return gammasgn(v) * exp(gammaln(v));
}
Array loggamma(const In& x) {
  CallScope scope(x.loc);
  const Array v = floating(x.array);
  return where(v > 0, gammaln(v), nan);
}
Array multigammaln(const In& a, int d) {
  CallScope scope(a.loc);
  if (d < 1) raise<ValueError>("multigammaln", "the dimension is " + std::to_string(d), "Give 1 or more.");
  const Array v = floating(a.array);
  const Array halves = lax::iota(v.dtype(), Shape{d}, 0) / 2;
  return sum(gammaln(expand_dims(v, -1) - halves), -1) + 0.25 * d * (d - 1) * std::log(M_PI);
}
Array poch(const Operand& z, const Operand& m) {
  CallScope scope(z.loc);
  const std::vector<Array> both = together({z.array, m.array});
  const Array &a = both[0], &b = both[1];
  return where(b == 0, 1, gamma(a + b) / gamma(a));
}
Array comb(const Operand& n, const Operand& k, bool repetition) {
  CallScope scope(n.loc);
  const std::vector<Array> both = together({n.array, k.array});
  const Array &things = both[0], &taken = both[1];
  if (repetition) return where((taken == 0) & (things >= 0), 1, comb(things + taken - 1, taken));
  const Array possible = (taken <= things) & (things >= 0) & (taken >= 0);
  const Array of = where(possible, things, 0), some = where(possible, taken, 0);
  return where(possible, exp(gammaln(of + 1) - gammaln(some + 1) - gammaln(of + 1 - some)), 0);
}
Array boxcox(const Operand& x, const Operand& lambda) {
  CallScope scope(x.loc);
  const std::vector<Array> both = together({x.array, lambda.array});
  const Array &v = both[0], &l = both[1];
  return power_of_log(log(v), l);
}
Array boxcox1p(const Operand& x, const Operand& lambda) {
  CallScope scope(x.loc);
  const std::vector<Array> both = together({x.array, lambda.array});
  const Array &v = both[0], &l = both[1];
  return power_of_log(log1p(v), l);
}

}  // namespace tutti::special
