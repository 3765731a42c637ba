// Functions made of the gamma function, and powers. Source: jax.scipy.special.
#include <cmath>
#include <limits>
#include <utility>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 endless_value = std::numeric_limits<double>::infinity();

// (x^lambda - 1) / lambda for x = base + rest, of which log_x is the logarithm; that where lambda is 0 or the exponent
// tiny. Large powers are taken in two factors, so that the quotient may be taken before the second overflows.
Array power_less_1(const Array& base, const Array& rest, const Array& log_x, const Array& lambda) {
  const Array exponent = lambda * log_x, tiny = (lambda == 0) | (abs(exponent) < 1e-20), safe = where(tiny, 1, lambda);
  const Array large = exponent > 2, part = power(where(large, base, 1), 0.5 * where(large, lambda, 0));
  const Array known = large & (rest != 0) & isfinite(base);
  const Array factor = where(known, 1 + lambda * (where(known, rest, 0) / where(known, base, 1)), 1);
  const Array of_large = part / safe * part * factor - 1 / safe;
  const Array endless = large & (base == 0);  // 0 to a negative power
  return where(tiny, log_x,
               where(endless, -endless_value, where(large, of_large, expm1(where(large, 0, safe * log_x)) / safe)));
}

}  // namespace

Array gammasgn(const In& x) {
  CallScope scope(x.loc);
  const Array v = floating(x.array), whole = floor(v), half = whole * 0.5;
  const Array odd = (v < 0) & (half != floor(half)), pole = (v < 0) & (v == whole);
  const Array sign = where(odd | ((v == 0) & signbit(v)), -1, 1);
  return where(pole | isnan(v), nan, sign).astype(v.dtype());
}
Array gamma(const In& x) {
  CallScope scope(x.loc);
  return lax::gamma(floating(x.array));
}
Array loggamma(const In& x) {
  CallScope scope(x.loc);
  const Array v = floating(x.array);
  return where(v >= 0, gammaln(v), nan);
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
  return lax::poch(both[0], both[1]);
}
Array comb(const Operand& n, const Operand& k, bool repetition) {
  CallScope scope(n.loc);
  const std::vector<Array> both = together({n.array, k.array});
  const Array &things = both[0], &taken = both[1];
  if (repetition) return where((taken == 0) & (things >= 0), 1, comb(things + taken - 1, taken));
  return lax::binomial(things, taken);
}
Array boxcox(const Operand& x, const Operand& lambda) {
  CallScope scope(x.loc);
  const std::vector<Array> both = together({x.array, lambda.array});
  const Array &v = both[0], &l = both[1];
  return power_less_1(v, zeros_like(v), log(v), l);
}
Array boxcox1p(const Operand& x, const Operand& lambda) {
  CallScope scope(x.loc);
  const std::vector<Array> both = together({x.array, lambda.array});
  const Array &v = both[0], &l = both[1];
  const Array base = 1 + v;
  return power_less_1(base, lax::stop_gradient(v - (base - 1)), log1p(v), l);
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
