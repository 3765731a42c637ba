// x^y of float32 and float64 lanes. The logarithm of x has to be known to more bits than x has, as y multiplies its
// error: of floats it is a double, of doubles the sum of two.
#pragma once

#include <limits>

#include "lane/exponential.hpp"

namespace tutti::lane {

/// |x|^y for finite |x| > 0, by 2^(y log2 |x|); within 2 units in the last place.
template <AnyLane L> L power_of_magnitude(L a, L y) {
  // The series of 2 atanh(s) / ln 2 with s = (m - 1) / (m + 1), |s| < 0.172, and of 2^r, |r| <= 1/2.
  static constexpr double log_terms[] = {2.8853900817779268, 0.9617966939259756, 0.5770780163555853, 0.4121985831111324,
                                         0.3205988979753252, 0.2623081892525388, 0.22195308321368667};
  static constexpr double exp_terms[] = {1.0,
                                         0.6931471805599453,
                                         0.2402265069591007,
                                         0.055504108664821576,
                                         0.009618129107628477,
                                         0.0013333558146428441,
                                         0.00015403530393381606,
                                         1.5252733804059838e-05,
                                         1.3215486790144305e-06};
  constexpr double whole = 6755399441055744;  // 1.5 2^52: what is added to it is rounded to whole numbers
  auto subnormal = a < 0x1p-126;
  auto [exponent, m] = split(select(subnormal, a * 0x1p25, a));
  auto e = convert<double>(select(subnormal, exponent - 25, exponent));
  auto wide = convert<double>(m);
  auto s = (wide - 1) / (wide + 1);
  auto t = convert<double>(y) * fma(s, polynomial(s * s, log_terms), e);
  t = min(max(t, constant(t, -200)), constant(t, 200));
  auto n = t + whole - whole;
  auto power = polynomial(t - n, exp_terms);
  return scale(convert<float>(power), convert<float>(n));
}

/// |x|^y of doubles; within 2 units in the last place.
template <AnyLane L> L power_of_magnitude_in_double(L a, L y) {
  // log2 a = e + 2 / ln 2 atanh(s), s = f / d with f = m - 1 and d = m + 1. `..._rest`: what the number before lacks.
  static constexpr double log_terms[] = {0.20000000000001128,  0.14285714285049012, 0.11111111260137312,
                                         0.090908921658161418, 0.0769337956480316,  0.066283864321203423,
                                         0.065983841383607758};
  constexpr double third = 1. / 3, third_rest = 1.8503717077085941e-17;
  constexpr double two_over_ln2 = 2.8853900817779268, two_over_ln2_rest = 4.0710547481862066e-17;
  auto subnormal = a < 0x1p-1022;
  auto [exponent, m] = split(select(subnormal, a * 0x1p54, a));
  L e = select(subnormal, exponent - 54, exponent);
  L f = m - 1, d = m + 1, d_rest = m - (d - 1), inverse = 1 / d;
  L s = f * inverse, s_rest = (fma(-s, d, f) - s * d_rest) * inverse;
  L z = s * s, z_rest = fma(s + s, s_rest, fma(s, s, -z));
  // w = z / 3 + z^2 (1/5 + ...), p = s w, h = s + p.
  L w = z * third;
  L w_rest = fma(z, third, -w) + fma(z, third_rest, fma(z_rest, third, z * z * polynomial(z, log_terms)));
  L p = s * w, p_rest = fma(s, w, -p) + fma(s, w_rest, s_rest * w);
  L h = s + p, h_rest = (s - h) + p + (s_rest + p_rest);
  L g = h * two_over_ln2, g_rest = fma(h, two_over_ln2, -g) + fma(h, two_over_ln2_rest, h_rest * two_over_ln2);
  L high = e + g, low = (e - high) + g + g_rest;  // not yet a rounding error alone
  L log2 = high + low, log2_rest = (high - log2) + low;
  L t = y * log2, t_rest = fma(y, log2, -t) + y * log2_rest;
  auto inside = abs(t) < 1100;
  t = min(max(t, constant(t, -1100)), constant(t, 1100));
  L n = nearest_whole(t), r = (t - n) + select(inside, t_rest, constant(t, 0));
  return scale(expm1_near_zero_in_double(r * 0.693147180559945309) + 1, n);
}

/// As C's Annex G has pow: of negative numbers whole powers alone, x^0 and 1^y are 1 also of NaN.
template <AnyLane L> L float_power(L x, L y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const L a = abs(x), one = constant(x, 1), zero = constant(x, 0), endless = constant(x, infinity);
  auto grows = y > 0;
  L size = by_precision(
      a, [&](auto a) { return power_of_magnitude_in_double(a, y); }, [&](auto a) { return power_of_magnitude(a, y); });
  size = select(a == infinity, select(grows, endless, zero), size);
  size = select(a == 0, select(grows, zero, endless), size);
  size = select(a == 1, one, size);  // also to an infinite power
  const L half = y * 0.5;
  auto odd = (floor(y) == y) & (floor(half) != half);
  auto bits = bits_of(x);
  auto negative = bits < constant(bits, 0);  // -0, too
  size = select(negative & odd, -size, size);
  auto undefined = (x < 0) & (floor(y) != y) & (a < infinity);
  size = select(undefined, constant(x, std::numeric_limits<double>::quiet_NaN()), size);
  size = select((x != x) | (y != y), x + y, size);
  return select((y == 0) | (x == 1), one, size);
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
