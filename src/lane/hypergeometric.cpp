#include "lane/hypergeometric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lane/extended.hpp"

namespace tutti::lane {
namespace {

constexpr double endless_double = std::numeric_limits<double>::infinity(),
                 not_known = std::numeric_limits<double>::quiet_NaN();
constexpr int most_terms = 400000;

// A value, and the size of what was added to get it: its error is that times the precision.
template <class T> struct Sum { T value, size; };
template <class T> Sum<T> operator*(const T& factor, const Sum<T>& s) {
  return {factor * s.value, magnitude(factor) * s.size};
}
template <class T> Sum<T> operator+(const Sum<T>& a, const Sum<T>& b) { return {a.value + b.value, a.size + b.size}; }
template <class T> double relative_error(const Sum<T>& s) {
  const T error = 4 * Precision<T>::epsilon * s.size;
  if (s.value == 0) return s.size == 0 ? 0 : 1;
  const double share = static_cast<double>(error / magnitude(s.value));
  return std::isfinite(share) ? share : 1;
}

// sum_k (a)_k (b)_k x^k / ((c)_k k!). Ends with a polynomial's last term.
template <class T> Sum<T> gauss_series(T a, T b, T c, T x) {
  Sum<T> s{1, 1};
  T term = 1;
  for (int k = 0; k < most_terms; ++k) {
    if (a + k == 0 || b + k == 0) break;
    term *= (a + k) * (b + k) / ((c + k) * (k + 1)) * x;
    s.value += term;
    s.size += magnitude(term);
    if (magnitude(term) < Precision<T>::epsilon * s.size / 8 && c + k > 0) break;
  }
  return s;
}
template <class T> Sum<T> confluent_series(T a, T b, T x) {
  Sum<T> s{1, 1};
  T term = 1;
  for (int k = 0; k < most_terms; ++k) {
    if (a + k == 0) break;
    term *= (a + k) / ((b + k) * (k + 1)) * x;
    s.value += term;
    s.size += magnitude(term);
    if (magnitude(term) < Precision<T>::epsilon * s.size / 8 && b + k > 0) break;
  }
  return s;
}

// --- the confluent one
// Gamma(b) / Gamma(a) exp(x) x^(a - b) sum (b - a)_k (1 - a)_k / k! x^-k, to its smallest term.
template <class T> Sum<T> confluent_far(T a, T b, T x) {
  T sum = 1, term = 1, last = 1;
  for (int k = 0; k < 200; ++k) {
    term *= (b - a + k) * (1 - a + k) / ((k + 1) * x);
    if (k > 2 && magnitude(term) > magnitude(last)) break;
    sum += term;
    last = term;
    if (magnitude(term) < Precision<T>::epsilon / 8) break;
  }
  const T factor = exp_of(x + (a - b) * log_of(x)) * inverse_gamma(a) / inverse_gamma(b);
  // The exponent's own rounding counts as well.
  const T exponent = 1 + magnitude(x) / 64 + magnitude((a - b) * log_of(x));
  return {factor * sum, magnitude(factor) * (magnitude(last) / Precision<T>::epsilon + exponent)};
}
template <class T> Sum<T> confluent(T a, T b, T x) {
  if (x < 0 && !is_pole(a)) {
    const T top = b - a;
    Sum<T> s = confluent<T>(top, b, -x);
    // Far away the exponentials have to meet before either overflows or vanishes.
    return exp_of(x) * s;
  }
  if (x > 60 && !is_pole(a)) {
    const Sum<T> far = confluent_far(a, b, x);
    if (far.value == far.value && relative_error(far) < 0x1p-50) return far;
  }
  return confluent_series(a, b, x);
}

// --- Gauss's
// x in 1/2 ... 1, from the series around 1.
template <class T> Sum<T> around_one(T a, T b, T c, T x) {
  const T d = c - a - b, y = 1 - x, all = 1 / inverse_gamma(c);
  const T first = all / inverse_gamma(d) * inverse_gamma(c - a) * inverse_gamma(c - b);
  const T second = all / inverse_gamma(-d) * inverse_gamma(a) * inverse_gamma(b) * exp_of(d * log_of(y));
  return first * gauss_series<T>(a, b, 1 - d, y) + second * gauss_series<T>(c - a, c - b, 1 + d, y);
}
// x below -1, from the series around minus infinity in 1 / (1 - x).
template <class T> Sum<T> far_left(T a, T b, T c, T x) {
  const T y = 1 / (1 - x), all = 1 / inverse_gamma(c), log_y = log_of(y);
  const T first = all / inverse_gamma(b - a) * inverse_gamma(b) * inverse_gamma(c - a) * exp_of(a * log_y);
  const T second = all / inverse_gamma(a - b) * inverse_gamma(a) * inverse_gamma(c - b) * exp_of(b * log_y);
  return first * gauss_series<T>(a, c - b, a - b + 1, y) + second * gauss_series<T>(b, c - a, b - a + 1, y);
}
// Both have poles where `whole` is a whole number, which cancel: there the means of two pairs of neighbours, whose
// quadratic parts are taken off.
template <class T, class F> Sum<T> beside_poles(T a, T whole, F f) {
  constexpr bool wide = std::is_same_v<T, Quad>;
  const T step = wide ? static_cast<T>(0x1p-24L) : static_cast<T>(0x1p-16L);
  if (magnitude(whole - nearest(whole)) > step / 16) return f(a);
  const Sum<T> up = f(a + step), down = f(a - step), up2 = f(a + 2 * step), down2 = f(a - 2 * step);
  const T near = (up.value + down.value) / 2, far = (up2.value + down2.value) / 2;
  const T left = magnitude(near - far) * step * step;
  return {(4 * near - far) / 3, up.size + down.size + 4 * left / Precision<T>::epsilon};
}
template <class T> Sum<T> gauss(T a, T b, T c, T x) {
  if (is_pole(a) || is_pole(b)) return gauss_series(a, b, c, x);
  if (x > 0.5) return beside_poles(a, c - a - b, [&](T at) { return around_one<T>(at, b, c, x); });
  if (x >= -0.5) return gauss_series(a, b, c, x);
  if (x >= -1) return exp_of(-a * log_of(1 - x)) * gauss_series<T>(a, c - b, c, x / (x - 1));
  return beside_poles(a, a - b, [&](T at) { return far_left<T>(at, b, c, x); });
}
// At x = 1, where the series converges: Gauss's sum.
double gauss_at_one(long double a, long double b, long double c) {
  const long double d = c - a - b;
  if (!(d > 0)) {
    const long double sign = inverse_gamma(c) * inverse_gamma(a) * inverse_gamma(b);
    return sign < 0 ? -endless_double : endless_double;
  }
  return static_cast<double>(inverse_gamma(c - a) * inverse_gamma(c - b) / (inverse_gamma(c) * inverse_gamma(d)));
}

// The sign that a polynomial of degree n ends with, times infinity, where x is infinite.
double polynomial_at_infinity(double n, double a, double b, double c, double x) {
  if (n > most_terms) return not_known;
  bool minus = x < 0 && std::fmod(n, 2) != 0;
  for (double k = 0; k < n; ++k) minus ^= ((a + k < 0) != (b + k < 0)) != (c + k < 0);
  return minus ? -endless_double : endless_double;
}
// At -infinity it goes as (-x)^-a and (-x)^-b, the smaller of a and b first.
double gauss_at_minus_infinity(long double a, long double b, long double c) {
  for (const auto& [p, q] : {std::pair(std::min(a, b), std::max(a, b)), std::pair(std::max(a, b), std::min(a, b))}) {
    const long double above = p == q ? 1 : inverse_gamma(q - p);
    const long double sign = inverse_gamma(q) * inverse_gamma(c - p) * inverse_gamma(c) * above;
    if (sign == 0) continue;
    return p > 0 ? 0 : sign < 0 ? -endless_double : endless_double;
  }
  return 0;
}

// f in long double where that is enough, else in 34 digits.
template <class F> double wide_enough(double within, F f) {
  const Sum<long double> s = f(0.0L);
  if (relative_error(s) < within && std::isfinite(s.value)) return static_cast<double>(s.value);
  return static_cast<double>(f(Quad(0)).value);
}

// The slope of f around `at`.
template <class F> double slope(double at, F f) {
  const Quad step = static_cast<Quad>(std::max(1.0, std::abs(at)) * 0x1p-30);
  return static_cast<double>((f(at + step) - f(at - step)) / (2 * step));
}

// The degree of a polynomial; infinite for another function.
double degree(double a) { return is_pole<long double>(a) ? -a : endless_double; }

}  // namespace

double hyp1f1(double a, double b, double x, double within) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(x)) return not_known;
  if (is_pole<long double>(b) && !(degree(a) <= degree(b))) return endless_double;
  if (a == 0 || x == 0) return 1;
  if (a == b && !is_pole<long double>(b)) return static_cast<double>(std::exp(static_cast<long double>(x)));
  if (std::isinf(a) || std::isinf(b)) return not_known;
  if (std::isinf(x))
    return x < 0 ? (a > 0 ? 0 : not_known)
           : inverse_gamma(static_cast<long double>(a)) * inverse_gamma(static_cast<long double>(b)) < 0
               ? -endless_double
               : endless_double;
  if (degree(a) > 1e5 && x < 0) {
    // exp(x) M(b - a, b, -x), of which the far form has no exponential left.
    const double up = -x;
    if (up > 5000) {
      const long double top = static_cast<long double>(b) - a;
      if (is_pole(top)) return 0;
      const Sum<long double> s = confluent_far<long double>(top, b, up);
      const long double size = std::exp(-static_cast<long double>(a) * std::log(static_cast<long double>(up))) *
                               inverse_gamma(top) / inverse_gamma(static_cast<long double>(b));
      if (!std::isfinite(s.value)) {
        long double sum = 1, term = 1;
        for (int k = 0; k < 30; ++k)
          sum += term *= (a + k) * (a - b + 1.0L + k) / ((k + 1) * static_cast<long double>(up));
        return static_cast<double>(size * sum);
      }
    }
  } else if (degree(a) > 1e5 && x > 12000) {
    return inverse_gamma(static_cast<long double>(a)) * inverse_gamma(static_cast<long double>(b)) < 0 ? -endless_double
                                                                                                       : endless_double;
  }
  return wide_enough(within, [&]<class T>(T) { return confluent<T>(a, b, x); });
}

double hyp2f1(double a, double b, double c, double x, double within) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c) || std::isnan(x)) return not_known;
  const double n = std::min(degree(a), degree(b));
  if (is_pole<long double>(c) && !(n <= degree(c))) return a == 0 || b == 0 || x == 0 ? 1 : endless_double;
  if (a == 0 || b == 0 || x == 0) return 1;
  if (std::isinf(a) || std::isinf(b) || std::isinf(c)) return not_known;
  if (std::isinf(n)) {
    if (x > 1) return endless_double;
    if (x == 1) return gauss_at_one(a, b, c);
    if (std::isinf(x)) return gauss_at_minus_infinity(a, b, c);
    // A power of 1 - x.
    if (b == c || a == c)
      return static_cast<double>(
          std::exp(-static_cast<long double>(b == c ? a : b) * std::log1p(-static_cast<long double>(x))));
  } else if (std::isinf(x)) {
    return polynomial_at_infinity(n, a, b, c, x);
  }
  return wide_enough(within, [&]<class T>(T) { return gauss<T>(a, b, c, x); });
}

double hyp1f1_slope(int k, double a, double b, double x) {
  if (!std::isfinite(a + b + x) || std::abs(x) > 5000) return not_known;
  return k == 0 ? slope(a, [&](Quad at) { return confluent<Quad>(at, b, x).value; })
                : slope(b, [&](Quad at) { return confluent<Quad>(a, at, x).value; });
}
double hyp2f1_slope(int k, double a, double b, double c, double x) {
  if (!std::isfinite(a + b + c + x)) return not_known;
  if (x >= 1 && std::isinf(k == 0 ? degree(b) : k == 1 ? degree(a) : std::min(degree(a), degree(b)))) return not_known;
  if (k == 0) return slope(a, [&](Quad at) { return gauss<Quad>(at, b, c, x).value; });
  if (k == 1) return slope(b, [&](Quad at) { return gauss<Quad>(a, at, c, x).value; });
  return slope(c, [&](Quad at) { return gauss<Quad>(a, b, at, x).value; });
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
