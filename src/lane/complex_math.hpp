// Arithmetic and elementary functions of complex numbers, on the host. Where C leaves a choice (signs of zero, what is
// not finite) they answer as XLA does on a CPU: a zero imaginary part counts as +0 where a function has a cut. Source:
// the functions of jax.lax on complex64 and complex128.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace tutti::lane {

/// Functions of std::complex<T>, T float or double.
template <class T> struct ComplexMath {
  using C = std::complex<T>;
  static constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T half_pi = std::numbers::pi_v<T> / 2;

  static bool any_nan(C z) { return z.real() != z.real() || z.imag() != z.imag(); }
  static C nans() { return {nan, nan}; }
  // With 0 for a part that is -0.
  static C plus_zero_imag(C z) { return {z.real(), z.imag() == 0 ? T(0) : z.imag()}; }
  static C plus_zero_real(C z) { return {z.real() == 0 ? T(0) : z.real(), z.imag()}; }

  static C mul(C x, C y) {
    const T a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    return {a * c - b * d, a * d + b * c};
  }
  /// Defined in lane/complex_quotient.hpp.
  static C div(C x, C y);

  static T abs(C z) { return any_nan(z) ? nan : std::hypot(z.real(), z.imag()); }
  static T arg(C z) { return std::atan2(z.imag(), z.real()); }
  static C sign(C z) {
    if (z == C(0) || any_nan(z)) return any_nan(z) ? nans() : z;
    const T size = abs(z);
    return {z.real() / size, z.imag() / size};
  }

  // --- exponentials and logarithms
  static C exp(C z) {
    const T x = z.real(), y = z.imag(), size = std::exp(x);
    // In two steps where exp(x) overflows and its product with a small sine does not.
    const T first = size == infinity ? std::exp(x / 2) : size, second = size == infinity ? first : T(1);
    return {first * std::cos(y) * second, y == 0 ? T(0) : first * std::sin(y) * second};
  }
  static C exp2(C z) { return exp(mul(z, C(std::numbers::ln2_v<T>))); }
  static C expm1(C z) {
    const T x = z.real(), y = z.imag(), s = std::sin(y / 2);
    return {std::expm1(x) * std::cos(y) - 2 * s * s + T(0), y == 0 ? T(0) : std::exp(x) * std::sin(y)};
  }
  static C log(C z) {
    const T x = std::abs(z.real()), y = std::abs(z.imag()), high = std::max(x, y), low = std::min(x, y);
    const bool near_one = high > T(0.5) && high < 2 && !any_nan(z);  // |z|^2 - 1 without cancellation
    return {near_one ? std::log1p((high - 1) * (high + 1) + low * low) / 2 : std::log(abs(z)), arg(z)};
  }
  static C log1p(C z) {
    const T x = z.real(), y = z.imag();
    if (std::abs(x) < T(0.5) && std::abs(y) < 1) {
      const double a = x, b = y;
      return {static_cast<T>(std::log1p(std::fma(b, b, a * (2 + a))) / 2), std::atan2(y, x + 1)};
    }
    return {std::log(abs(C(x + 1, y))), std::atan2(y, x + 1)};
  }
  static C logistic(C z) { return div(C(1), C(1) + exp(-z)); }

  // --- powers
  static C sqrt(C z) { return any_nan(z) ? nans() : std::sqrt(plus_zero_imag(z)); }
  static C rsqrt(C z) {
    if (z == C(0)) return {infinity, nan};
    const T size = 1 / std::sqrt(abs(z)), turn = -arg(z) / 2;
    return {size * std::cos(turn), size * std::sin(turn)};
  }
  static C pow(C x, C y) {
    const T c = y.real(), d = y.imag();
    if (c == 0 && d == 0) return {1, 0};
    if (x == C(0) && d == 0) return c > 0 ? C(0) : nans();
    if (x.real() == infinity && x.imag() == 0 && d == 0) return c > 0 ? C(infinity) : c < 0 ? C(0) : nans();
    const T size = abs(x), turn = arg(x), scale = std::pow(size, c) * std::exp(-d * turn);
    const T angle = d * std::log(size) + c * turn;
    return {scale * std::cos(angle), scale * std::sin(angle)};
  }

  // --- circular and hyperbolic functions
  static C sin(C z) {
    const T x = z.real(), y = z.imag();
    return {x == 0 ? T(0) : std::sin(x) * std::cosh(y), std::cos(x) * std::sinh(y)};
  }
  static C cos(C z) {
    const T x = z.real(), y = z.imag();
    return {std::cos(x) * std::cosh(y), x == 0 ? T(0) : -std::sin(x) * std::sinh(y)};
  }
  static C tan(C z) {
    if (!std::isfinite(z.real()) && !std::isinf(z.imag())) return nans();
    const C t = std::tan(z);
    return {z.real() == 0 || std::isinf(z.real()) ? t.real() + T(0) : t.real(), t.imag()};
  }
  static C sinh(C z) {
    const T x = z.real(), y = z.imag();
    return {x == 0 ? T(0) : std::sinh(x) * std::cos(y), y == 0 ? T(0) : std::cosh(x) * std::sin(y)};
  }
  static C cosh(C z) {
    const T x = z.real(), y = z.imag();
    return {std::cosh(x) * std::cos(y), x == 0 || y == 0 ? T(0) : std::sinh(x) * std::sin(y)};
  }
  static C tanh(C z) {
    if (!std::isfinite(z.imag()) && !std::isinf(z.real())) return nans();
    return std::tanh(plus_zero_imag(z));
  }
  static C asin(C z) { return any_nan(z) && !std::isinf(z.real()) ? nans() : std::asin(plus_zero_imag(z)); }
  static C acos(C z) {
    if (!any_nan(z)) return std::acos(plus_zero_imag(z));
    return {nan, any_infinite(z) ? (z.imag() == -infinity ? infinity : -infinity) : nan};
  }
  static C atan(C z) {
    const C t = atanh(C(-z.imag(), z.real()));
    return {t.imag(), -t.real()};
  }
  static C asinh(C z) {
    if (!any_nan(z)) return std::asinh(plus_zero_real(z));
    return {any_infinite(z) ? (z.real() == -infinity ? -infinity : infinity) : nan, nan};
  }
  static C acosh(C z) {
    if (!any_nan(z)) return std::acosh(plus_zero_imag(z));
    return {any_infinite(z) ? infinity : nan, nan};
  }
  static C atanh(C z) {
    if (z.imag() != z.imag()) return {std::isinf(z.real()) ? T(0) : nan, -half_pi};
    return std::atanh(plus_zero_real(z));
  }

 private:
  static bool any_infinite(C z) { return std::isinf(z.real()) || std::isinf(z.imag()); }
};

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
