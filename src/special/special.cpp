#include "tutti/special/special.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/special.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::special {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// log Gamma(x) - Stirling's (x - 1/2) log(x) - x + log(2 pi) / 2, for x from 10 on.
Array stirling_rest(const Array& x) {
  const Array z = 1 / x, w = square(z);
  return z * (1. / 12 - w * (1. / 360 - w * (1. / 1260 - w * (1. / 1680 - w / 1188))));
}
// Of the three logarithms of Gamma(a) Gamma(b) / Gamma(a + b) the large parts cancel where b is large: by Stirling's
// formula what is left of them is written out.
Array log_beta(const Array& x, const Array& y) {
  const Array large = maximum(x, y), small = minimum(x, y);
  const Array far = (large >= 10) & (large + small >= 10) & isfinite(large);
  // Each branch sees numbers of its own range alone, so that no other one's derivative is NaN.
  const Array b = where(far, large, 10), a = where(far, small, 1), sum = a + b;
  const Array quotient = (0.5 - b) * log1p(a / b) + stirling_rest(b) - stirling_rest(sum);
  const Array both = a >= 10, c = where(both, a, 10);
  const Array of_two = 0.5 * std::log(2 * M_PI) - 0.5 * log(c) + stirling_rest(c) - c * log1p(b / c);
  const Array of_one = lax::lgamma(where(both, 1, a)) + a - a * log(sum);
  const Array near =
      lax::lgamma(where(far, 1, x)) + lax::lgamma(where(far, 1, y)) - lax::lgamma(where(far, 1, x) + where(far, 1, y));
  return where(far, quotient + where(both, of_two, of_one), near);
}

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
  return composite(
      "ndtr", [](const Array& v) { return 0.5 * lax::erfc(-v * std::sqrt(0.5)); }, floating(x.array));
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
  return lax::digamma(floating(x.array));
}
Array polygamma(const Operand& m, const Operand& x) {
  CallScope scope(m.loc);
  const std::vector<Array> v = together({m.array, x.array});
  return lax::polygamma(v[0], v[1]);
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
  return composite(
      "betaln", [](const Array& x, const Array& y) { return log_beta(x, y); }, v[0], v[1]);
}
Array beta(const Operand& a, const Operand& b) {
  CallScope scope(a.loc);
  const std::vector<Array> v = together({a.array, b.array});
  return gammasgn(v[0]) * gammasgn(v[1]) * gammasgn(v[0] + v[1]) * exp(betaln(v[0], v[1]));
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
  const Array v = floating(x.array);
  return exp(abs(v)) * lax::bessel_i0e(v);
}
Array i1e(const In& x) {
  CallScope scope(x.loc);
  return lax::bessel_i1e(floating(x.array));
}
Array i1(const In& x) {
  CallScope scope(x.loc);
  const Array v = floating(x.array);
  return exp(abs(v)) * lax::bessel_i1e(v);
}
Array entr(const In& x) {
  CallScope scope(x.loc);
  const Array v = floating(x.array);
  return where(v < 0, -infinity, -xlogy(v, v));
}
Array rel_entr(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  const std::vector<Array> v = together({x.array, y.array});
  const Array both = (v[0] > 0) & (v[1] > 0), none = (v[0] == 0) & (v[1] >= 0);
  const Array safe_x = where(both, v[0], 1), safe_y = where(both, v[1], 1);
  return where(both, safe_x * (log(safe_x) - log(safe_y)), where(none, 0, infinity));
}
Array kl_div(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return rel_entr(x, y) - x.array + y.array;
}
Array factorial(const In& n) {
  CallScope scope(n.loc);
  const Array v = floating(n.array);
  return where(v < 0, 0, exp(lax::lgamma(where(v < 0, 0, v) + 1)));
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
  return -0.5 * (std::log(2 * M_PI) + 2 * log(scale.array * 1.f) + square(standard(x, loc, scale)));
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
