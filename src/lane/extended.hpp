// Elementary and gamma functions in more digits than a double has: long double (19 on x86-64) and numbers of 34 digits,
// which on other processors are long double. For scalar functions in which digits cancel.
#pragma once

#include <cfloat>
#include <cmath>
#include <numbers>

namespace tutti::lane {

template <class T> struct Precision;
template <> struct Precision<long double> { static constexpr long double epsilon = LDBL_EPSILON; };
inline long double magnitude(long double x) { return x < 0 ? -x : x; }
inline long double nearest(long double x) { return std::round(x); }
inline long double exp_of(long double x) { return std::exp(x); }
inline long double log_of(long double x) { return std::log(x); }
/// sin(pi x) and 1 / Gamma(x), which is 0 at the poles.
long double sine_of_half_turns(long double x);
long double inverse_gamma(long double x);

#if LDBL_MANT_DIG == 113
using Quad = long double;
#else
__extension__ typedef __float128 Quad;
template <> struct Precision<Quad> { static constexpr Quad epsilon = 0x1p-112L; };
inline Quad magnitude(Quad x) { return x < 0 ? -x : x; }
inline Quad nearest(Quad x) {
  const long double head = std::round(static_cast<long double>(x));
  const Quad rest = x - static_cast<Quad>(head);
  return static_cast<Quad>(head) + static_cast<Quad>(std::round(static_cast<long double>(rest)));
}
Quad exp_of(Quad x);
Quad log_of(Quad x);
Quad sine_of_half_turns(Quad x);
Quad inverse_gamma(Quad x);
#endif

template <class T> bool is_pole(T x) { return x <= 0 && x == nearest(x); }

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
