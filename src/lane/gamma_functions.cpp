#include "lane/gamma_functions.hpp"

#include <cmath>
#include <limits>

namespace tutti::lane {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double tiny = 1e-300;
constexpr int most_steps = 10000;

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double psi(double x) {  // x > 0
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  const double z = 1 / (x * x);
  return shift + std::log(x) - 0.5 / x -
         z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z * (1. / 132 - z * 691. / 32760)))));
}

// A number and its derivative by a.
struct Dual {
  double v, d;
};
Dual operator+(Dual x, Dual y) { return {x.v + y.v, x.d + y.d}; }
Dual operator*(Dual x, Dual y) { return {x.v * y.v, x.d * y.v + x.v * y.d}; }
Dual operator/(Dual x, Dual y) { return {x.v / y.v, (x.d - x.v / y.v * y.d) / y.v}; }
Dual number(double v) { return {v, 0}; }

// x^a e^-x / Gamma(a + 1), the factor of the series, by its logarithm.
Dual series_factor(double a, double x) {
  const double log_v = a * std::log(x) - x - log_gamma(a + 1), v = std::exp(log_v);
  return {v, v * (std::log(x) - psi(a + 1))};
}

// sum of x^n / ((a + 1) ... (a + n)): converges quickly for x < a + 1.
Dual lower(double a, double x) {
  Dual term = number(1), sum = term;
  for (int n = 1; n < most_steps; ++n) {
    term = term * number(x) / Dual{a + n, 1};
    sum = sum + term;
    if (std::abs(term.v) <= 1e-17 * std::abs(sum.v) && std::abs(term.d) <= 1e-17 * std::abs(sum.d)) break;
  }
  return series_factor(a, x) * sum;
}

// Legendre's continued fraction, evaluated from the front (Lentz), for x >= a + 1.
Dual upper(double a, double x) {
  Dual b{x + 1 - a, -1}, c = number(1 / tiny), d = number(1) / b, h = d;
  for (int n = 1; n < most_steps; ++n) {
    const Dual an{-n * (n - a), static_cast<double>(n)};
    b = b + number(2);
    d = an * d + b;
    if (std::abs(d.v) < tiny) d.v = tiny;
    c = b + an / c;
    if (std::abs(c.v) < tiny) c.v = tiny;
    d = number(1) / d;
    const Dual step = d * c;
    h = h * step;
    if (std::abs(step.v - 1) < 1e-16 && std::abs(step.d) < 1e-16) break;
  }
  return h * series_factor(a, x) * Dual{a, 1};  // the factor is x^a e^-x / Gamma(a)
}

bool outside(double a, double x) { return !(a > 0) || !(x >= 0); }

// P or 1 - P, and its derivative. Beyond a = 1e6, where neither of them converges in good time, Wilson and Hilferty's
// approximation of P, whose derivative is left out.
Dual regularised(double a, double x, bool complement) {
  if (a > 1e6) {
    const double z = (std::cbrt(x / a) - (1 - 1 / (9 * a))) * 3 * std::sqrt(a);
    return number(0.5 * std::erfc((complement ? z : -z) / std::sqrt(2.0)));
  }
  const bool series = x < a + 1;
  const Dual y = series ? lower(a, x) : upper(a, x);
  return series == complement ? Dual{1 - y.v, -y.d} : y;
}

}  // namespace

double igamma(double a, double x) {
  if (a == 0 && x > 0) return 1;
  if (outside(a, x)) return nan;
  if (x == 0) return 0;
  if (x == infinity) return a == infinity ? nan : 1;
  if (a == infinity) return 0;
  return regularised(a, x, false).v;
}
double igammac(double a, double x) {
  if (a == 0 && x > 0) return 0;
  if (outside(a, x)) return nan;
  if (x == 0) return 1;
  if (x == infinity) return a == infinity ? nan : 0;
  if (a == infinity) return 1;
  return regularised(a, x, true).v;
}
double igamma_grad_a(double a, double x) {
  if (outside(a, x)) return nan;
  if (x == 0 || x == infinity) return 0;
  return regularised(a, x, false).d;
}
double random_gamma_grad(double a, double x) {
  if (outside(a, x)) return nan;
  if (x == 0 || x == infinity) return 0;
  const double density = std::exp((a - 1) * std::log(x) - x - log_gamma(a));
  return -regularised(a, x, false).d / density;
}

double betainc(double a, double b, double x) {
  if (!(a >= 0) || !(b >= 0) || !(x >= 0 && x <= 1)) return nan;
  if ((a == 0 && b == 0) || (a == infinity && b == infinity)) return nan;
  if (a == 0 || b == infinity) return 1;
  if (b == 0 || a == infinity) return 0;
  if (x == 0 || x == 1) return x;
  if (x > (a + 1) / (a + b + 2)) return 1 - betainc(b, a, 1 - x);
  // The continued fraction converges quickly below the mean.
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < tiny ? tiny : d);
  double h = d;
  for (int m = 1; m < most_steps; ++m) {
    auto step = [&](double factor) {
      d = 1 + factor * d;
      d = 1 / (std::abs(d) < tiny ? tiny : d);
      c = 1 + factor / c;
      if (std::abs(c) < tiny) c = tiny;
      h *= d * c;
      return d * c;
    };
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    if (std::abs(step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))) - 1) < 1e-16) break;
  }
  return std::exp(a * std::log(x) + b * std::log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b)) / a * h;
}

double zeta(double x, double q) {
  if (x == 1) return infinity;
  if (!(x > 1) || q != q) return nan;
  if (q <= 0) {
    if (q == std::floor(q)) return infinity;
    if (x != std::floor(x)) return nan;
  }
  if (q == infinity) return 0;
  // Terms up to 12, then Euler and Maclaurin's sum of the rest.
  double sum = 0;
  double at = q;
  int terms = 0;
  for (; terms < 12 || at < 10; ++terms, ++at) {
    const double term = std::pow(at, -x);
    sum += term;
    if (std::abs(term) < 1e-17 * std::abs(sum) && at > 1) return sum;
    if (terms > 100000) return nan;
  }
  sum += std::pow(at, 1 - x) / (x - 1) + 0.5 * std::pow(at, -x);
  // B_2k / (2k)!
  constexpr double bernoulli[] = {1. / 12,           -1. / 720,
                                  1. / 30240,        -1. / 1209600,
                                  1. / 47900160,     -691. / 1307674368000.,
                                  1. / 74724249600., -3617. / 10670622842880000.};
  double factor = x * std::pow(at, -x - 1);
  for (int k = 0; k < 8; ++k) {
    sum += bernoulli[k] * factor;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (at * at);
  }
  return sum;
}

namespace {
// exp(-x) I_order(x), x >= 0: the power series, or the asymptotic one.
double bessel_ie(int order, double x) {
  if (x == infinity) return 0;
  if (x < 30) {
    double term = order ? x / 2 : 1, sum = term;
    for (int k = 1; k < 500 && term > 1e-18 * sum; ++k) {
      term *= x * x / (4.0 * k * (k + order));
      sum += term;
    }
    return std::exp(-x) * sum;
  }
  double term = 1, sum = 1;
  for (int k = 1; k < 40; ++k) {
    const double next = term * -(4.0 * order * order - (2 * k - 1.0) * (2 * k - 1.0)) / (8 * k * x);
    if (std::abs(next) > std::abs(term) || std::abs(next) < 1e-18) break;
    sum += term = next;
  }
  return sum / std::sqrt(2 * 3.14159265358979323846 * x);
}
}  // namespace
double bessel_i0e(double x) { return x != x ? x : bessel_ie(0, std::abs(x)); }
double bessel_i1e(double x) { return x != x ? x : std::copysign(bessel_ie(1, std::abs(x)), x); }

}  // namespace tutti::lane
