#include "lane/library.hpp"

#include <cmath>
#include <limits>

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

double logistic(double x) {
  const double small = std::exp(-std::abs(x));  // the smaller tail, so that neither loses digits
  return (x < 0 ? small : 1) / (small + 1);
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

constinit const Library lib_exp = one<std::exp>("exp"), lib_exp2 = one<std::exp2>("exp2"),
                        lib_expm1 = one<std::expm1>("expm1"), lib_log = one<std::log>("log"),
                        lib_log1p = one<std::log1p>("log1p"), lib_sin = one<std::sin>("sin"),
                        lib_cos = one<std::cos>("cos"), lib_tan = one<std::tan>("tan"),
                        lib_asin = one<std::asin>("asin"), lib_acos = one<std::acos>("acos"),
                        lib_atan = one<std::atan>("atan"), lib_sinh = one<std::sinh>("sinh"),
                        lib_cosh = one<std::cosh>("cosh"), lib_tanh = one<std::tanh>("tanh"),
                        lib_asinh = one<std::asinh>("asinh"), lib_acosh = one<std::acosh>("acosh"),
                        lib_atanh = one<std::atanh>("atanh"), lib_erf = one<std::erf>("erf"),
                        lib_erfc = one<std::erfc>("erfc"), lib_erf_inv = one<erf_inv>("erf_inv"),
                        lib_cbrt = one<std::cbrt>("cbrt"), lib_logistic = one<logistic>("logistic"),
                        lib_pow = two<std::pow>("pow"), lib_atan2 = two<std::atan2>("atan2"),
                        // The next number depends on the precision, so the float form is not the rounded double one.
    lib_nextafter = {.name = "nextafter",
                     .f32_2 = [](float x, float y) { return std::nextafterf(x, y); },
                     .f64_2 = [](double x, double y) { return std::nextafter(x, y); }};

const Library* find_library(std::string_view name) {
  static const Library* const all[] = {
      &lib_exp,  &lib_exp2,    &lib_expm1, &lib_log,  &lib_log1p, &lib_sin,       &lib_cos,     &lib_tan,   &lib_asin,
      &lib_acos, &lib_atan,    &lib_sinh,  &lib_cosh, &lib_tanh,  &lib_asinh,     &lib_acosh,   &lib_atanh, &lib_erf,
      &lib_erfc, &lib_erf_inv, &lib_cbrt,  &lib_pow,  &lib_atan2, &lib_nextafter, &lib_logistic};
  for (const Library* f : all)
    if (name == f->name) return f;
  return nullptr;
}

}  // namespace tutti::lane
