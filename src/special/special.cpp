#include "tutti/special/special.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "special/approximation.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/special.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::special {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_known = std::numeric_limits<double>::quiet_NaN();

double smallest(const Array& x) { return x.dtype() == float64 ? 0x1p-1022 : 0x1p-126; }

// exp(|x|) y in two factors, of which neither overflows before the product does.
Array unscaled(const Array& x, const Array& y) {
  const Array half = exp(abs(x) * 0.5);
  return half * y * half;
}
Array unscaled_i0(const Array& x) { return unscaled(x, lax::bessel_i0e(x)); }
Array unscaled_i1(const Array& x) { return unscaled(x, lax::bessel_i1e(x)); }

}  // namespace

Array erf(const In& x) {
  CallScope scope(x.loc);
  return lax::erf(floating(x.array));
}
Array erfc(const In& x) {
  CallScope scope(x.loc);
  return lax::erfc(floating(x.array));
}
Array erfinv(const In& x) {
  CallScope scope(x.loc);
  return lax::erf_inv(floating(x.array));
}
Array logit(const In& p) {
  CallScope scope(p.loc);
  const Array v = floating(p.array);
  return log(v) - log1p(-v);
}
Array expit(const In& x) {
  CallScope scope(x.loc);
  return lax::logistic(floating(x.array));
}
Array ndtr(const In& x) {
  CallScope scope(x.loc);
  return lax::ndtr(floating(x.array));
}
Array log_ndtr(const In& x) {
  CallScope scope(x.loc);
  return lax::log_ndtr(floating(x.array));
}
Array ndtri(const In& p) {
  CallScope scope(p.loc);
  return lax::ndtri(floating(p.array));
}
Array gammaln(const In& x) {
  CallScope scope(x.loc);
  return lax::lgamma(floating(x.array));
}
Array digamma(const In& x) {
  CallScope scope(x.loc);
  // At 0 by digamma(1) - 1 / x, whose sign is that of the zero; lax::digamma, as JAX's, is NaN there.
  auto body = [](const Array& a) {
    const Array zero = a == 0, one = ones_like(a);
    return lax::digamma(where(zero, one, a)) - where(zero, 1 / where(zero, a, one), 0);
  };
  return composite("digamma", body, floating(x.array));
}
Array polygamma(const Operand& m, const Operand& x) {
  CallScope scope(m.loc);
  const std::vector<Array> v = together({m.array, x.array});
  // digamma(+-0) as above.
  const Array zero = (v[0] == 0) & (v[1] == 0), y = lax::polygamma(v[0], where(zero, 1, v[1]));
  return where(zero, where(signbit(v[1]), infinity, -infinity), y);
}
Array gammainc(const Operand& a, const Operand& x) {
  CallScope scope(a.loc);
  const std::vector<Array> v = together({a.array, x.array});
  return lax::igamma(v[0], v[1]);
}
Array gammaincc(const Operand& a, const Operand& x) {
  CallScope scope(a.loc);
  const std::vector<Array> v = together({a.array, x.array});
  return lax::igammac(v[0], v[1]);
}
Array betaln(const Operand& a, const Operand& b) {
  CallScope scope(a.loc);
  const std::vector<Array> v = together({a.array, b.array});
  return lax::log_beta(v[0], v[1]);
}
Array beta(const Operand& a, const Operand& b) {
  CallScope scope(a.loc);
  const std::vector<Array> v = together({a.array, b.array});
  return lax::beta(v[0], v[1]);
}
Array betainc(const Operand& a, const Operand& b, const Operand& x) {
  CallScope scope(a.loc);
  const std::vector<Array> v = together({a.array, b.array, x.array});
  return lax::betainc(v[0], v[1], v[2]);
}
Array zeta(const Operand& x, const Operand& q) {
  CallScope scope(x.loc);
  const std::vector<Array> v = together({x.array, q.array});
  return lax::zeta(v[0], v[1]);
}
Array i0e(const In& x) {
  CallScope scope(x.loc);
  return lax::bessel_i0e(floating(x.array));
}
Array i0(const In& x) {
  CallScope scope(x.loc);
  return smooth(
      "i0", [](const Array& v) { return unscaled_i0(v); }, [](const Array& v, const Array&) { return i1(v); }, x.array);
}
Array i1e(const In& x) {
  CallScope scope(x.loc);
  return lax::bessel_i1e(floating(x.array));
}
Array i1(const In& x) {
  CallScope scope(x.loc);
  return smooth(
      "i1", [](const Array& v) { return unscaled_i1(v); },
      [](const Array& v, const Array& y) {
        const Array zero = v == 0;
        return where(zero, 0.5, i0(v) - y / where(zero, 1, v));
      },
      x.array);
}
Array entr(const In& x) {
  CallScope scope(x.loc);
  const Array v = floating(x.array);
  return where(v < 0, -infinity, -xlogy(v, v));
}
// Of neighbours log(x / y) is what their difference makes of it.
Array rel_entr(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  const std::vector<Array> v = together({x.array, y.array});
  const Array both = (v[0] > 0) & (v[1] > 0), none = (v[0] == 0) & (v[1] >= 0), odd = isnan(v[0]) | isnan(v[1]);
  const Array p = where(both, v[0], 1), q = where(both, v[1], 1), ratio = p / q;
  const Array close = (ratio > 0.5) & (ratio < 2), usual = (ratio >= smallest(p)) & isfinite(ratio);
  const Array logarithm = where(close, log1p((p - q) / q), where(usual, log(where(usual, ratio, 1)), log(p) - log(q)));
  return where(both, p * logarithm, where(none, 0, where(odd, not_known, infinity)));
}
Array kl_div(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  const std::vector<Array> v = together({x.array, y.array});
  return lax::kl_div(v[0], v[1]);
}
Array factorial(const In& n) {
  CallScope scope(n.loc);
  const Array v = floating(n.array);
  return where(v < 0, 0, lax::poch(ones_like(v), where(v < 0, 0, v)));
}

}  // namespace tutti::special

namespace tutti::stats::norm {
namespace {
Array standard(const Operand& x, const Operand& loc, const Operand& scale) {
  return (special::floating(x.array) - loc.array) / scale.array;
}
}  // namespace

Array logpdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  const Array y = standard(x, loc, scale);
  return -0.5 * std::log(2 * M_PI) - log(scale.array * 1.f) - 0.5 * y * y;
}
Array pdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return exp(logpdf(x, loc, scale));
}
Array logcdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return special::log_ndtr(standard(x, loc, scale));
}
Array cdf(const Operand& x, const Operand& loc, const Operand& scale) {
  CallScope scope(x.loc);
  return special::ndtr(standard(x, loc, scale));
}
Array ppf(const Operand& q, const Operand& loc, const Operand& scale) {
  CallScope scope(q.loc);
  return special::ndtri(q.array) * scale.array + loc.array;
}

}  // namespace tutti::stats::norm

// SPDX-License-Identifier: Apache-2.0
