// Elementary and gamma functions in more digits than a double has: long double (19) and, of the processor's library,
// numbers of 34 digits. For scalar functions in which digits cancel.
#pragma once

#include <cmath>
#include <numbers>

namespace tutti::lane {

__extension__ typedef __float128 Quad;

template <class T> struct Precision;
template <> struct Precision<long double> { static constexpr long double epsilon = 0x1p-63L; };
template <> struct Precision<Quad> { static constexpr Quad epsilon = 0x1p-112L; };

inline long double magnitude(long double x) { return x < 0 ? -x : x; }
inline Quad magnitude(Quad x) { return x < 0 ? -x : x; }
inline long double nearest(long double x) { return std::round(x); }
inline Quad nearest(Quad x) {
  const long double head = std::round(static_cast<long double>(x));
  const Quad rest = x - static_cast<Quad>(head);
  return static_cast<Quad>(head) + static_cast<Quad>(std::round(static_cast<long double>(rest)));
}
template <class T> bool is_pole(T x) { return x <= 0 && x == nearest(x); }

inline long double exp_of(long double x) { return std::exp(x); }
inline long double log_of(long double x) { return std::log(x); }
Quad exp_of(Quad x);
Quad log_of(Quad x);
/// sin(pi x) and 1 / Gamma(x), which is 0 at the poles.
long double sine_of_half_turns(long double x);
Quad sine_of_half_turns(Quad x);
long double inverse_gamma(long double x);
Quad inverse_gamma(Quad x);

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
