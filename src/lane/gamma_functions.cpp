#include "lane/gamma_functions.hpp"

#include <cmath>
#include <limits>

namespace tutti::lane {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
bool outside(double a, double x) { return !(a > 0) || !(x >= 0); }

// P or 1 - P for large a: Wilson and Hilferty's approximation.
double of_large(double a, double x, bool complement) {
  const double z = (std::cbrt(x / a) - (1 - 1 / (9 * a))) * 3 * std::sqrt(a);
  return 0.5 * std::erfc((complement ? z : -z) / std::sqrt(2.0));
}

}  // namespace

double igamma(double a, double x) {
  if (a == 0 && x > 0) return 1;
  if (outside(a, x)) return nan;
  if (x == 0) return 0;
  if (x == infinity) return a == infinity ? nan : 1;
  if (a == infinity) return 0;
  return of_large(a, x, false);
}
double igammac(double a, double x) {
  if (a == 0 && x > 0) return 0;
  if (outside(a, x)) return nan;
  if (x == 0) return 1;
  if (x == infinity) return a == infinity ? nan : 0;
  if (a == infinity) return 1;
  return of_large(a, x, true);
}
double igamma_grad_a(double a, double x) { return outside(a, x) ? nan : 0; }

double betainc(double a, double b, double x) {
  if (!(a >= 0) || !(b >= 0) || !(x >= 0 && x <= 1)) return nan;
  if ((a == 0 && b == 0) || (a == infinity && b == infinity)) return nan;
  if (a == 0 || b == infinity) return 1;
  if (b == 0 || a == infinity) return 0;
  return x == 0 || x == 1 ? x : nan;
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

}  // namespace tutti::lane
