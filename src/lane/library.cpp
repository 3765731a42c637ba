#include "lane/library.hpp"

#include <cmath>
#include <limits>

#include "lane/gamma_functions.hpp"

namespace tutti::lane {
namespace {

// Inverse of erf in double: a rational start (Giles' form of the problem: a function of log(1 - x^2)) and Newton steps
// on erf or erfc.
double erf_inv(double x) {
  if (!(std::abs(x) < 1))
    return std::abs(x) == 1 ? std::copysign(std::numeric_limits<double>::infinity(), x)
                            : std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return x;
  double a = std::abs(x), log_tail = std::log1p(-a * a);
  double u = 2 / (3.14159265358979323846 * 0.147) + log_tail / 2;
  double y = std::sqrt(std::sqrt(u * u - log_tail / 0.147) - u);  // Winitzki's approximation, 2e-3
  for (int i = 0; i < 4; ++i) {
    double error = a < 0.5 ? std::erf(y) - a : (1 - a) - std::erfc(y);
    y -= error / (1.12837916709551257390 * std::exp(-y * y) + y * error);  // Halley
  }
  return std::copysign(y, x);
}

constexpr double pi = 3.14159265358979323846;

// psi(x): reflection for negative x, recurrence up to 10, then the asymptotic series.
double digamma(double x) {
  if (x != x || x == std::numeric_limits<double>::infinity()) return x;
  if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x < 0) return digamma(1 - x) - pi / std::tan(pi * (x - std::nearbyint(x)));
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  double z = 1 / (x * x);
  double series =
      z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z * (1. / 132 - z * (691. / 32760 - z / 12))))));
  return shift + std::log(x) - 0.5 / x - series;
}

// psi'(x), the same way.
double trigamma(double x) {
  if (x != x || x == -std::numeric_limits<double>::infinity()) return std::numeric_limits<double>::quiet_NaN();
  if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::infinity();
  if (x < 0) {
    double s = std::sin(pi * (x - std::nearbyint(x)));
    return pi * pi / (s * s) - trigamma(1 - x);
  }
  double shift = 0;
  for (; x < 10; ++x) shift += 1 / (x * x);
  double z = 1 / (x * x);
  return shift + 1 / x + z / 2 + z / x * (1. / 6 - z * (1. / 30 - z * (1. / 42 - z * (1. / 30 - z * (5. / 66)))));
}

double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}

template <double (*f)(double)> constexpr Library one(const char* name) {
  return {.name = name, .f32 = [](float x) { return static_cast<float>(f(x)); }, .f64 = [](double x) { return f(x); }};
}
template <double (*f)(double, double)> constexpr Library two(const char* name) {
  return {.name = name,
          .f32_2 = [](float x, float y) { return static_cast<float>(f(x, y)); },
          .f64_2 = [](double x, double y) { return f(x, y); }};
}

}  // namespace

constinit const Library lib_sin = one<std::sin>("sin"), lib_cos = one<std::cos>("cos"), lib_tan = one<std::tan>("tan"),
                        lib_erf_inv = one<erf_inv>("erf_inv"), lib_lgamma = one<lgamma>("lgamma"),
                        lib_digamma = one<digamma>("digamma"), lib_trigamma = one<trigamma>("trigamma"),
                        lib_fmod = two<std::fmod>("fmod");
constinit const Library lib_igamma = two<igamma>("igamma"), lib_igammac = two<igammac>("igammac"),
                        lib_igamma_grad_a = two<igamma_grad_a>("igamma_grad_a"),
                        lib_random_gamma_grad = two<random_gamma_grad>("random_gamma_grad"),
                        lib_zeta = two<zeta>("zeta"), lib_bessel_i0e = one<bessel_i0e>("bessel_i0e"),
                        lib_bessel_i1e = one<bessel_i1e>("bessel_i1e");

const Library* find_library(std::string_view name) {
  static const Library* const all[] = {
      &lib_sin,     &lib_cos,        &lib_tan,       &lib_erf_inv,       &lib_lgamma,
      &lib_digamma, &lib_trigamma,

      &lib_fmod,    &lib_igamma,     &lib_igammac,   &lib_igamma_grad_a, &lib_random_gamma_grad,
      &lib_zeta,    &lib_bessel_i0e, &lib_bessel_i1e};
  for (const Library* f : all)
    if (name == f->name) return f;
  return nullptr;
}

}  // namespace tutti::lane
