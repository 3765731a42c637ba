#include "lane/extended.hpp"

#include <limits>

namespace tutti::lane {
namespace {

#if LDBL_MANT_DIG != 113
// pi and ln 2 as sums of two long doubles.
constexpr long double pi_high = 0xc.90fdaa22168c235p-2L, pi_low = -0xe.ce675d1fc8f8cbbp-68L;
constexpr long double ln2_high = 0xb.17217f7d1cf79acp-4L, ln2_low = -0xd.871319ff0342543p-70L;
const Quad pi = static_cast<Quad>(pi_high) + static_cast<Quad>(pi_low);
const Quad ln2 = static_cast<Quad>(ln2_high) + static_cast<Quad>(ln2_low);
constexpr long double endless_wide = std::numeric_limits<long double>::infinity();
#else
constexpr long double pi_high = std::numbers::pi_v<long double>;
#endif

}  // namespace

long double sine_of_half_turns(long double x) {
  const long double n = std::round(x), s = std::sin(pi_high * (x - n));
  return std::fmod(n, 2.0L) != 0 ? -s : s;
}

long double inverse_gamma(long double x) {
  if (is_pole(x)) return 0;
  return x > -1700 ? 1 / std::tgamma(x) : sine_of_half_turns(x) * std::tgamma(1 - x) / pi_high;
}

#if LDBL_MANT_DIG != 113
Quad exp_of(Quad x) {
  if (!(x < 11356)) return x == x ? static_cast<Quad>(endless_wide) : x;
  if (x < -11400) return 0;
  const long double n = std::round(static_cast<long double>(x) / ln2_high);
  const Quad r = (x - static_cast<Quad>(n) * ln2) / 256;
  Quad p = 0;  // exp(r) - 1, so that doubling loses nothing
  for (int k = 15; k >= 1; --k) p = (p + 1) * r / k;
  for (int k = 0; k < 8; ++k) p = p * (p + 2);
  const int half = static_cast<int>(n) / 2;
  return (p + 1) * static_cast<Quad>(std::ldexp(1.0L, half)) *
         static_cast<Quad>(std::ldexp(1.0L, static_cast<int>(n) - half));
}

// By one step of Halley's, which triples the digits.
Quad log_of(Quad x) {
  if (!(x > 0)) return static_cast<Quad>(x == 0 ? -endless_wide : std::numeric_limits<long double>::quiet_NaN());
  const long double first = std::log(static_cast<long double>(x));
  if (!std::isfinite(first)) return static_cast<Quad>(first);
  const Quad y = static_cast<Quad>(first), e = exp_of(y);
  return y + 2 * (x - e) / (x + e);
}

Quad sine_of_half_turns(Quad x) {
  const Quad n = nearest(x), r = (x - n) * pi, square = r * r;
  Quad sum = 0;
  for (int k = 33; k >= 3; k -= 2) sum = (1 + sum) * -square / (k * (k - 1));
  const Quad s = r * (1 + sum), half = nearest(n / 2);
  return 2 * half == n ? s : -s;
}

Quad inverse_gamma(Quad x) {
  if (is_pole(x)) return 0;
  if (x < 0.5) return sine_of_half_turns(x) / (pi * inverse_gamma(1 - x));
  // B_2k / (2k (2k - 1)): Stirling's, from 40 on.
  static constexpr long double over[] = {1,     -1,    1,       -1,    1,          -691,   1,
                                         -3617, 43867, -174611, 77683, -236364091, 657931, -3392780147.0L};
  static constexpr long double under[] = {12,     360,    1260,   1680, 1188,    360360, 156,
                                          122400, 244188, 125400, 5796, 1506960, 300,    93960};
  Quad product = 1;
  for (; x < 40; x += 1) product *= x;
  const Quad z = 1 / x, w = z * z;
  Quad rest = 0;
  for (int k = 13; k >= 0; --k) rest = rest * w + static_cast<Quad>(over[k]) / static_cast<Quad>(under[k]);
  static const Quad half_log_two_pi = log_of(2 * pi) / 2;
  const Quad log_gamma = (x - static_cast<Quad>(0.5L)) * log_of(x) - x + half_log_two_pi + rest * z;
  return product * exp_of(-log_gamma);
}

#endif

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
