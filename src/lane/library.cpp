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
                        lib_erf_inv = one<erf_inv>("erf_inv"), lib_fmod = two<std::fmod>("fmod");

const Library* find_library(std::string_view name) {
  static const Library* const all[] = {&lib_sin, &lib_cos, &lib_tan, &lib_erf_inv, &lib_fmod};
  for (const Library* f : all)
    if (name == f->name) return f;
  return nullptr;
}

}  // namespace tutti::lane
