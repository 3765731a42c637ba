// Quotients of gamma functions in long double: large parts cancel in Stirling's formula (DLMF 5.11), small arguments
// are moved up by factors, negative ones are reflected.
#include <cmath>
#include <limits>

#include "lane/extended.hpp"
#include "lane/gamma_functions.hpp"

namespace tutti::lane {
namespace {

using Real = long double;
constexpr Real endless_real = std::numeric_limits<Real>::infinity(), no_real = std::numeric_limits<Real>::quiet_NaN();
constexpr Real pi_real = 3.14159265358979323846264338327950288L;
constexpr Real largest_of_gamma = 1750;  // whose gamma function is finite

// log Gamma(x) - (x - 1/2) log(x) + x - log(2 pi) / 2, for x from 20 on, as a function of z = 1 / x, and its
// difference at y and z over y - z.
constexpr Real stirling_terms[] = {1.0L / 12,         -1.0L / 360,        1.0L / 1260, -1.0L / 1680,
                                   1.0L / 1188,       -691.0L / 360360,   1.0L / 156,  -3617.0L / 122400,
                                   43867.0L / 244188, -174611.0L / 125400};
Real rest_of_stirling(Real x) {
  const Real z = 1 / x, w = z * z;
  Real y = 0;
  for (int k = 9; k >= 0; --k) y = y * w + stirling_terms[k];
  return y * z;
}
Real rest_difference(Real y, Real z) {
  Real value = 0, difference = 0;
  for (int power = 19; power >= 0; --power) {
    difference = difference * y + value;
    value = value * z + (power % 2 ? stirling_terms[power / 2] : 0);
  }
  return difference;
}

// Gamma(x + m) / Gamma(x) = factor exp(exponent), for x > 0 and x + m > 0.
struct Ratio {
  Real factor, exponent;
  Real value() const { return factor * std::exp(exponent); }
};
Real exponent_of_ratio(Real x, Real m) {
  const Real top = x + m, rest = -m / (x * top) * rest_difference(1 / top, 1 / x);
  return (x - 0.5L) * std::log1p(m / x) + m * (std::log(top) - 1) + rest;
}
// Both are moved up alike, as long as that is not far.
Ratio ratio(Real x, Real m) {
  Real factor = 1, top = x + m;
  if (std::abs(m) <= 40) {
    for (; x < 20 || x + m < 20; x += 1) factor *= x / (x + m);
    return {factor, exponent_of_ratio(x, m)};
  }
  for (; top < 20; top += 1) factor /= top;
  for (; x < 20; x += 1) factor *= x;
  return {factor, exponent_of_ratio(x, top - x)};
}
// Its logarithm, also where m is tiny.
Real log_ratio(Real x, Real m) {
  if (std::abs(m) > 40) {
    const Ratio r = ratio(x, m);
    return std::log(r.factor) + r.exponent;
  }
  Real sum = 0;
  for (; x < 20 || x + m < 20; x += 1) sum -= std::log1p(m / x);
  return sum + exponent_of_ratio(x, m);
}
bool whole(Real x) { return x == std::floor(x); }
bool odd(Real x) { return std::fmod(x, 2) != 0; }
// sin(pi (a + b)) and 1 / Gamma(a + b), with the digits next to a pole that the sum would lose.
Real sine_of_sum(Real a, Real b) {
  const Real of_a = std::rint(a), of_b = std::rint(b), sine = sine_of_half_turns((a - of_a) + (b - of_b));
  return odd(of_a) != odd(of_b) ? -sine : sine;
}
Real inverse_gamma_of_sum(Real a, Real b) {
  const Real sum = a + b;
  return sum > 0 ? inverse_gamma(sum) : sine_of_sum(a, b) / (pi_real * inverse_gamma(1 - sum));
}

Real poch_real(Real z, Real m) {
  if (m == 0) return 1;
  const Real top = z + m;
  const bool ends_at_pole = is_pole(top) && sine_of_sum(z, m) == 0;
  if (ends_at_pole && !is_pole(z)) return endless_real;
  if (whole(m) && std::abs(m) <= 32) {
    Real product = 1;
    for (Real k = 0; k < m; k += 1) product *= z + k;
    for (Real k = -1; k >= m; k -= 1) product /= z + k;
    return product;
  }
  if (is_pole(z) && ends_at_pole && whole(m)) {
    const Real size = ratio(1 - top, m).value();  // Gamma(1 - z) / Gamma(1 - z - m)
    return odd(m) ? -size : size;
  }
  if (is_pole(z)) return 0;
  if (z > 0 && top > 0) return ratio(z, m).value();
  if (z < 0 && top < 0) return ratio(1 - top, m).value() * sine_of_half_turns(z) / sine_of_sum(z, m);
  if (top > largest_of_gamma) return endless_real * std::copysign(1.0L, inverse_gamma(z));
  return z > largest_of_gamma ? 0 : inverse_gamma(z) / inverse_gamma_of_sum(z, m);
}

// Of positive a and b.
Real log_beta_positive(Real a, Real b) {
  const Real small = std::fmin(a, b), large = std::fmax(a, b), sum = small + large;
  if (small <= 20) {
    return std::log(std::tgamma(small)) - log_ratio(large, small);
  }
  constexpr Real half_log_two_pi = 0.918938533204672741780329736406L;
  return half_log_two_pi - 0.5L * std::log(small) - small * std::log1p(large / small) -
         (large - 0.5L) * std::log1p(small / large) + rest_of_stirling(small) +
         (rest_of_stirling(large) - rest_of_stirling(sum));
}
Real beta_real(Real a, Real b);
// Of a = 0, -1, -2, ...: finite where the poles cancel.
Real beta_at_pole(Real a, Real b) {
  if (!whole(b) || 1 - a - b <= 0) return endless_real;
  const Real y = beta_real(1 - a - b, b);
  return odd(b) && !std::isinf(y) ? -y : y;
}
Real beta_real(Real a, Real b) {
  if (std::isnan(a) || std::isnan(b)) return no_real;
  if (std::isinf(a) || std::isinf(b)) return a > 0 && b > 0 ? 0 : no_real;
  if (is_pole(a)) return beta_at_pole(a, b);
  if (is_pole(b)) return beta_at_pole(b, a);
  const Real small = std::fmin(a, b), large = std::fmax(a, b);
  if (small > 0) {
    if (small > 20) return std::exp(log_beta_positive(a, b));
    const Ratio r = ratio(large, small);
    return std::tgamma(small) / r.factor * std::exp(-r.exponent);
  }
  const Real sum = small + large, sine = sine_of_half_turns(small), sine_of_both = sine_of_sum(small, large);
  if (sum <= 0 && sine_of_both == 0) return 0;
  // Reflected: by beta functions of positive numbers.
  if (large < 0)
    return pi_real * sine_of_both / (sine * sine_of_half_turns(large) * (1 - sum) * beta_real(1 - small, 1 - large));
  if (sum < 0) return beta_real(large, 1 - sum) * sine_of_both / sine;
  return pi_real / (sine * large * beta_real(sum, 1 - small));
}

}  // namespace

double beta(double a, double b) { return static_cast<double>(beta_real(a, b)); }
double log_beta(double a, double b) {
  if (std::isinf(a) || std::isinf(b))
    return a > 0 && b > 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (a > 0 && b > 0) return static_cast<double>(log_beta_positive(a, b));
  return static_cast<double>(std::log(std::abs(beta_real(a, b))));
}
double poch(double z, double m) {
  if (z > 0 && z + m == std::numeric_limits<double>::infinity() && std::isinf(m)) return m;
  if (!std::isfinite(z) || !std::isfinite(m)) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(poch_real(z, m));
}
double binomial(double n, double k) {
  if (std::isnan(n) || std::isnan(k)) return std::numeric_limits<double>::quiet_NaN();
  if (!(k >= 0 && k <= n)) return 0;
  if (std::isinf(n)) return std::isinf(k) ? std::numeric_limits<double>::quiet_NaN() : k == 0 ? 1 : n;
  const Real least = std::fmin(static_cast<Real>(k), static_cast<Real>(n) - k);
  if (least == 0) return 1;
  if (least > 20) return static_cast<double>(std::exp(-log_beta_positive(least, n - least + 1.0L)) / least);
  return static_cast<double>(ratio(n - least + 1.0L, least).value() / std::tgamma(least + 1));
}

namespace {

double density(Real log_density, bool logarithm) {
  return static_cast<double>(logarithm ? log_density : std::exp(log_density));
}
// At an end of the range, where it is x^(power) times `factor`.
double density_at_end(Real power, Real factor, bool logarithm) {
  const Real y = power < 0 ? endless_real : power > 0 ? 0 : factor;
  return static_cast<double>(logarithm ? std::log(y) : y);
}
// log(r) - e for r = 1 + e.
Real log_less(Real r, Real e) {
  if (r < 0.5L) return std::log(r) - e;
  if (std::abs(e) > 0.1L) return std::log1p(e) - e;
  Real sum = 0;
  for (int k = 24; k >= 0; --k) sum = sum * -e + 1 / static_cast<Real>(k + 2);
  return -e * e * sum;
}
constexpr Real log_two_pi = 1.8378770664093454835606594728112L;

// log(x^a exp(-x) / Gamma(a + 1)) and log(x^a (1 - x)^b / B(a, b)). The large parts cancel in Stirling's formula.
Real log_gamma_factor(Real a, Real x) {
  if (a < 20) return a * std::log(x) - x - std::log(std::tgamma(a + 1));
  return a * log_less(x / a, (x - a) / a) - 0.5L * (std::log(a) + log_two_pi) - rest_of_stirling(a);
}
Real log_beta_factor(Real a, Real b, Real x) {
  if (std::fmin(a, b) <= 20) return a * std::log(x) + b * std::log1p(-x) - log_beta_positive(a, b);
  const Real sum = a + b, y = 1 - x, excess = x * b - y * a;
  const Real powers = a * log_less(x * sum / a, excess / a) + b * log_less(y * sum / b, -excess / b);
  const Real rest = rest_of_stirling(sum) - rest_of_stirling(a) - rest_of_stirling(b);
  return powers + 0.5L * (std::log(a / sum) + std::log(b) - log_two_pi) + rest;
}

}  // namespace

double gamma_factor(double a, double x, bool logarithm) { return density(log_gamma_factor(a, x), logarithm); }
double beta_factor(double a, double b, double x, bool logarithm) {
  return density(log_beta_factor(a, b, x), logarithm);
}
double t_density(double x, double df, bool logarithm) {
  if (std::isnan(x) || !(df > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return density(-endless_real, logarithm);
  const Real at = x, k = df, square = at * at;
  if (std::isinf(df)) return density(-0.5L * (square + log_two_pi), logarithm);
  const Real share = square / k;
  const Real powers = std::isinf(share) ? 2 * std::log(std::abs(at)) - std::log(k) : std::log1p(share);
  return density(-log_beta_positive(0.5L * k, 0.5L) - 0.5L * std::log(k) - (0.5L * k + 0.5L) * powers, logarithm);
}

double gamma_density(double x, double a, bool logarithm) {
  if (std::isnan(x) || !(a > 0) || std::isinf(a)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return density_at_end(a - 1.0L, 1, logarithm);
  if (x < 0 || std::isinf(x)) return density(-endless_real, logarithm);
  const Real at = x, of = a;
  if (a < 20) return density((of - 1) * std::log(at) - at - std::log(std::tgamma(of)), logarithm);
  return density(log_gamma_factor(of, at) + std::log(of / at), logarithm);
}
double beta_density(double x, double a, double b, bool logarithm) {
  if (std::isnan(x) || !(a > 0) || !(b > 0) || std::isinf(a) || std::isinf(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (x < 0 || x > 1) return density(-endless_real, logarithm);
  if (x == 0) return density_at_end(a - 1.0L, b, logarithm);
  if (x == 1) return density_at_end(b - 1.0L, a, logarithm);
  const Real at = x;
  if (std::fmin(a, b) > 20) return density(log_beta_factor(a, b, at) - std::log(at) - std::log1p(-at), logarithm);
  const Real powers = (a - 1.0L) * std::log(at) + (b - 1.0L) * std::log1p(-at);
  return density(powers - log_beta_positive(a, b), logarithm);
}

double betainc_of_small(double a, double b, double y) {
  // y^b / (b B(a, b)) (1 + b sum (1 - a)_n y^n / (n! (b + n))), whose two factors are both next to 1.
  const Real rb = b, ra = a, ry = y;
  const Real size = std::expm1(rb * std::log(ry) + log_ratio(ra, rb) - log_ratio(1, rb));
  Real sum = 0, term = 1;
  for (int n = 1; n < 400; ++n) {
    term *= (n - ra) * ry / n;
    sum += term / (rb + n);
    if (std::abs(term) < 1e-21L * std::abs(sum)) break;
  }
  return static_cast<double>(-size - (1 + size) * rb * sum);
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
