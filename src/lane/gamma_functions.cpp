#include "lane/gamma_functions.hpp"

#include <cmath>
#include <limits>

#include "lane/extended.hpp"

namespace tutti::lane {
namespace {

using Real = long double;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
bool outside(double a, double x) { return !(a > 0) || !(x >= 0); }

// For a > 1e6 by Temme's uniform expansion, DLMF 8.12: h^2 / 2 = m - log(1 + m), m = (x - a) / a. What is beyond
// |m| = 0.06 is 0 or 1.
struct Temme {
  Real h, exponent;  // exponent = a h^2 / 2
};
Temme temme(Real a, Real x) {
  const Real m = (x - a) / a;
  Real sum = 0;  // of (-m)^k / (k + 2)
  for (int k = 24; k >= 0; --k) sum = sum * -m + 1 / static_cast<Real>(k + 2);
  return {m * std::sqrt(2 * sum), a * m * m * sum};
}
bool saturated(Real a, Real x) { return std::abs(x - a) > 0.06L * a; }
Real of_large(Real a, Real x, bool complement) {
  if (saturated(a, x)) return (x > a) == complement ? 0 : 1;
  const auto [h, exponent] = temme(a, x);
  static constexpr Real c0[] = {-1.0L / 3,        1.0L / 12,    -2.0L / 135,         1.0L / 864,         1.0L / 2835,
                                -139.0L / 777600, 1.0L / 25515, -571.0L / 261273600, -281.0L / 151559100};
  static constexpr Real c1[] = {-1.0L / 540, -1.0L / 288, 1.0L / 378, -77.0L / 77760};
  static constexpr Real c2 = 25.0L / 6048;
  Real first = 0, second = 0;
  for (int k = 8; k >= 0; --k) first = first * h + c0[k];
  for (int k = 3; k >= 0; --k) second = second * h + c1[k];
  constexpr Real two_pi = 2 * 3.14159265358979323846264338327950288L;
  const Real rest = std::exp(-exponent) / std::sqrt(two_pi * a) * (first + (second + c2 / a) / a);
  const Real side = std::copysign(std::sqrt(exponent), h);
  return complement ? 0.5L * std::erfc(side) + rest : 0.5L * std::erfc(-side) - rest;
}
// By differences of fourth order, in steps of a share of the distribution's width.
Real slope_of_large(Real a, Real x) {
  if (saturated(a, x)) return 0;
  const Real step = 0x1p-12L * std::sqrt(a) / (1 + std::sqrt(temme(a, x).exponent));
  const bool upper = x > a;
  auto difference = [&](Real h) { return of_large(a + h, x, upper) - of_large(a - h, x, upper); };
  const Real slope = (8 * difference(step) - difference(2 * step)) / (12 * step);
  return upper ? -slope : slope;
}

}  // namespace

double igamma(double a, double x) {
  if (a == 0 && x > 0) return 1;
  if (outside(a, x)) return nan;
  if (x == 0) return 0;
  if (x == infinity) return a == infinity ? nan : 1;
  if (a == infinity) return 0;
  return a > 1e6 ? static_cast<double>(of_large(a, x, false)) : 1;
}
double igammac(double a, double x) {
  if (a == 0 && x > 0) return 0;
  if (outside(a, x)) return nan;
  if (x == 0) return 1;
  if (x == infinity) return a == infinity ? nan : 0;
  if (a == infinity) return 1;
  return a > 1e6 ? static_cast<double>(of_large(a, x, true)) : 0;
}
double igamma_grad_a(double a, double x) {
  if (outside(a, x)) return nan;
  return a > 1e6 && a < infinity && x < infinity ? static_cast<double>(slope_of_large(a, x)) : 0;
}
double random_gamma_grad(double a, double x) {
  if (outside(a, x)) return nan;
  if (!(a > 1e6 && a < infinity && x < infinity)) return 0;
  if (saturated(a, x)) return nan;
  constexpr Real two_pi = 2 * 3.14159265358979323846264338327950288L;
  const Real real_a = a, density = std::sqrt(real_a / two_pi) / x * std::exp(-temme(a, x).exponent - 1 / (12 * real_a));
  return static_cast<double>(-slope_of_large(a, x) / density);
}

double betainc(double a, double b, double x) {
  if (!(a >= 0) || !(b >= 0) || !(x >= 0 && x <= 1)) return nan;
  if ((a == 0 && b == 0) || (a == infinity && b == infinity)) return nan;
  if (x == 0 || x == 1) return x;
  constexpr double tiny = 1e-290;
  if (a <= tiny && b <= tiny) return b / (a + b);
  if (a <= tiny || b == infinity) return 1;
  if (b <= tiny || a == infinity) return 0;
  return x > a / (a + b) ? 1 : 0;  // of which one is so large that the distribution is a step
}

namespace {

// The sum of (q + n)^-x: terms up to 16, then Euler and Maclaurin's sum of the rest.
Real zeta_sum(Real x, Real q) {
  Real sum = 0, at = q;
  for (int terms = 0; terms < 16 || at < 16; ++terms, ++at) {
    const Real term = std::pow(at, -x);
    sum += term;
    if (std::abs(term) < 1e-21L * std::abs(sum) && at > 1 && x > 1) return sum;
    if (terms > 100000) return std::numeric_limits<Real>::quiet_NaN();
  }
  sum += std::pow(at, 1 - x) / (x - 1) + 0.5L * std::pow(at, -x);
  // B_2k / (2k)!
  constexpr Real bernoulli[] = {1.0L / 12,
                                -1.0L / 720,
                                1.0L / 30240,
                                -1.0L / 1209600,
                                1.0L / 47900160,
                                -691.0L / 1307674368000.0L,
                                1.0L / 74724249600.0L,
                                -3617.0L / 10670622842880000.0L,
                                43867.0L / 5109094217170944000.0L,
                                -174611.0L / 802857662698291200000.0L};
  Real factor = x * std::pow(at, -x - 1);
  for (int k = 0; k < 10; ++k) {
    sum += bernoulli[k] * factor;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (at * at);
  }
  return sum;
}

}  // namespace

double zeta(double x, double q) {
  if (x == 1) return infinity;
  if (x != x || q != q) return nan;
  if (x < 1) return nan;  // as JAX
  if (q <= 0) {
    if (q == std::floor(q)) return infinity;
    if (x != std::floor(x)) return nan;
  }
  if (q == infinity) return 0;
  if (x == infinity) return q > 1 ? 0 : q == 1 ? 1 : infinity;  // below 1 a power of a number below 1
  return static_cast<double>(zeta_sum(x, q));
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
