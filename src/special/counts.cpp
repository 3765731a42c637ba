// Distributions of whole numbers: elsewhere the probability is 0. Source: jax.scipy.stats.
#include <limits>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/special/distributions.hpp"

namespace tutti::stats {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

struct Counted {
  Array k, p, n;
  // `probability` where k is a whole number of those that there are.
  Array only(const Array& there, const Array& probability, double otherwise = never) const {
    return where(isnan(k), k, where(there & (k == round(k)), probability, otherwise));
  }
};
// NaN where a rate is negative.
Array of_rate(const Array& mu, const Array& y) { return where(mu >= 0, y, std::numeric_limits<double>::quiet_NaN()); }
// NaN where p is no probability.
Array possible(const Array& p, const Array& y) {
  return where((p >= 0) & (p <= 1), y, std::numeric_limits<double>::quiet_NaN());
}
Counted counted(const Operand& k, const Operand& p, const Operand& n, const Operand& loc) {
  const std::vector<Array> v = special::together({k.array, p.array, n.array, loc.array});
  return {v[0] - v[3], v[1], v[2]};
}

}  // namespace

namespace poisson {
Array logpmf(const Operand& k, const Operand& mu, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, mu, 1.f, loc);
  const Array there = c.k >= 0;
  return of_rate(c.p, c.only(there, lax::gamma_log_density(c.p, where(there, c.k, 0) + 1)));
}
Array pmf(const Operand& k, const Operand& mu, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, mu, 1.f, loc);
  const Array there = c.k >= 0;
  return of_rate(c.p, c.only(there, lax::gamma_density(c.p, where(there, c.k, 0) + 1), 0));
}
Array cdf(const Operand& k, const Operand& mu, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, mu, 1.f, loc);
  const Array there = c.k >= 0;
  const Array y = where(there, special::gammaincc(floor(where(there, c.k, 0) + 1), c.p), 0);
  return of_rate(c.p, where(isnan(c.k), c.k, y));
}
}  // namespace poisson

namespace bernoulli {
namespace {

// `failure` of 0, `success` of 1.
Array one_of(const Counted& c, const Array& failure, const Array& success, double otherwise) {
  const Array none = c.k == 0;
  return possible(c.p, c.only(none | (c.k == 1), where(none, failure, success), otherwise));
}

}  // namespace

Array logpmf(const Operand& k, const Operand& p, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, p, 1.f, loc);
  const Array none = c.k == 0;
  return one_of(c, log1p(-where(none, c.p, 0)), log(where(none, 1, c.p)), never);
}
Array pmf(const Operand& k, const Operand& p, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, p, 1.f, loc);
  return one_of(c, 1 - c.p, c.p, 0);
}
Array cdf(const Operand& k, const Operand& p) {
  CallScope scope(k.loc);
  const Counted c = counted(k, p, 1.f, 0.f);
  const Array odd = isnan(c.k) | ~((c.p >= 0) & (c.p <= 1));
  return where(odd, std::numeric_limits<double>::quiet_NaN(), where(c.k < 0, 0, where(c.k < 1, 1 - c.p, 1)));
}
Array ppf(const Operand& q, const Operand& p) {
  CallScope scope(q.loc);
  const Counted c = counted(q, p, 1.f, 0.f);
  const Array known = (c.k >= 0) & (c.k <= 1) & (c.p >= 0) & (c.p <= 1);
  // q <= 1 - p, by the difference that is not rounded.
  const Array failure = where(c.k > 0.5, c.p <= 1 - c.k, c.k <= 1 - c.p);
  return where(known, where(failure, 0, 1), std::numeric_limits<double>::quiet_NaN()).astype(c.k.dtype());
}
}  // namespace bernoulli

namespace binom {
Array logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, p, n, loc);
  const Array there = (c.k >= 0) & (c.k <= c.n), at = where(there, c.k, 0), left = where(there, c.n - c.k, 0);
  const Array none = at == 0, all = left == 0, inside = lax::beta_log_density(c.p, at + 1, left + 1) - log(c.n + 1);
  // Of none or all there is one choice, and the logarithm may be next to 0.
  const Array logarithm =
      where(none, xlog1py(left, -where(none, c.p, 0)), where(all, xlogy(at, where(all, c.p, 1)), inside));
  return possible(c.p, c.only(there, logarithm));
}
Array pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, p, n, loc);
  const Array there = (c.k >= 0) & (c.k <= c.n), at = where(there, c.k, 0), left = where(there, c.n - c.k, 0);
  return possible(c.p, c.only(there, lax::beta_density(c.p, at + 1, left + 1) / (c.n + 1), 0));
}
}  // namespace binom

namespace geom {
Array logpmf(const Operand& k, const Operand& p, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, p, 1.f, loc);
  return possible(c.p, c.only(c.k >= 1, special::xlog1py(c.k - 1, -c.p) + log(c.p)));
}
Array pmf(const Operand& k, const Operand& p, const Operand& loc) {
  CallScope scope(k.loc);
  const Counted c = counted(k, p, 1.f, loc);
  const Array there = c.k >= 1, failures = where(there, c.k - 1, 0), q = 1 - c.p;
  // What q was rounded by changes its power by a factor.
  const Array rest = lax::stop_gradient((1 - q) - c.p),
              factor = where(q > 0, 1 + failures * (rest / where(q > 0, q, 1)), 1);
  return possible(c.p, c.only(there, c.p * power(q, failures) * factor, 0));
}
}  // namespace geom

}  // namespace tutti::stats

// SPDX-License-Identifier: Apache-2.0
