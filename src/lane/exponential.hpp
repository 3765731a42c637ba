// Exponentials and logarithms of float64 lanes, within 1 unit in the last place (expm1 and log1p: 2). Every polynomial
// is our own minimax fit; the comment says its error in units of 2^-53.
#pragma once

#include "lane/number.hpp"

namespace tutti::lane {

/// x = n ln 2 + r, |r| <= ln 2 / 2, for |x| < 2^20. n times the high part of ln 2 is exact for floats, and for doubles
/// x minus it is.
template <AnyLane L> struct ByLn2 { L n, r; };
template <AnyLane L> ByLn2<L> reduce_by_ln2(L x) {
  const InTwo ln2 = in_two(x, 0.693147180559945286, 2.319046813846299558e-17, 0.693359375, -2.12194440054690583e-4);
  L n = fma(x, 1.44269504088896341, constant(x, whole_magic_of(x))) - whole_magic_of(x);
  L r = fma(n, -ln2.first, x);
  return {n, fma(n, -ln2.rest, r)};
}
/// f(x) for x from `low` to `high`, outside as at `high` and 0; keeps NaN. What is 0 is not computed: processors take a
/// hundred times as long for a result that underflows, and attention masks are full of them.
template <AnyLane L, class F> L power_within(L x, double low, double high, F f) {
  auto vanishes = x < low;
  L y = f(select(vanishes, constant(x, 0), min(x, constant(x, high))));
  return select(vanishes, constant(x, 0), y);
}

/// exp(r) - 1 for |r| <= ln 2 / 2.
template <AnyLane L> L expm1_near_zero_in_double(L r) {
  static constexpr double q[] = {0.50000000000000011,    0.16666666666666671,   0.041666666666652294,
                                 0.0083333333333261549,  0.0013888888895594842, 0.00019841269874761359,
                                 2.4801574542257085e-05, 2.755725546725758e-06, 2.7567924091092357e-07,
                                 2.5105191771107177e-08, 1.7688516354989211e-09};  // 0.03
  return fma(r * r, polynomial(r, q), r);
}
template <AnyLane L> L exp_in_double(L x) {
  return power_within(x, -746, 710, [](auto x) {
    auto [n, r] = reduce_by_ln2(x);
    return scale(expm1_near_zero_in_double(r) + 1, n);
  });
}
template <AnyLane L> L exp2_in_double(L x) {
  return power_within(x, -1076, 1025, [](auto x) {
    auto n = nearest_whole(x);
    return scale(expm1_near_zero_in_double((x - n) * 0.693147180559945309) + 1, n);
  });
}
template <AnyLane L> L expm1_in_double(L x) {
  auto [n, r] = reduce_by_ln2(max(min(x, constant(x, 710)), constant(x, -40)));
  L p = expm1_near_zero_in_double(r);
  // 2^n p + (2^n - 1), all halved so that n = 1024 does not overflow too early.
  L half = power_of_two(n - 1);
  return select(n == 0, select(x == 0, x, p), fma(half, p, half - 0.5) * 2);  // keeps -0
}

/// atanh(s) = s + s^3 q(s^2), for |s| <= 0.2.
template <AnyLane L> L atanh_terms(L s2) {
  static constexpr double q[] = {0.33333333333333293,  0.20000000000030424,  0.14285714277422748,
                                 0.11111112202739727,  0.090908297250908154, 0.076956594530027192,
                                 0.065850811091773181, 0.069330271367250076};
  static constexpr float single[] = {0.333334774f, 0.199784204f, 0.151909277f};  // 0.05
  return polynomial(s2, q, single);
}
/// x = 2^e m, m from sqrt(1/2) to sqrt(2), for positive normal x.
template <AnyLane L> struct Split { L e, m; };
template <AnyLane L> Split<L> split(L x) {
  auto bits = bits_of(x);
  auto width = constant(bits, fraction_bits(x));
  auto offset = bits - constant_int(bits, is_double(x) ? 0x3fe6a09e667f3bcd : 0x3f3504f3);  // sqrt(1/2)
  auto e = binary<Bin::shr_arithmetic>(offset, width);
  return {number_of(e), from_bits(bits - binary<Bin::shl>(e, width))};
}
/// log(1 + f) + e ln 2 for 1 + f from sqrt(1/2) to sqrt(2): with s = f / (2 + f) it is 2 atanh(s) + e ln 2, where 2 s =
/// f - s f, so that f itself is not rounded.
template <AnyLane L> L log_near_one_in_double(L f, L e) {
  L s = f / (f + 2), s2 = s * s, half = f * f * 0.5;
  L lost = fma(s, half + s2 * atanh_terms(s2) * 2, e * 2.319046813846299558e-17);
  return fma(e, 0.693147180559945286, f - (half - lost));
}
/// What logarithms are of 0, negative numbers, infinity and NaN; else `y`.
template <AnyLane L> L log_edges(L x, L y) {
  double infinity = std::numeric_limits<double>::infinity();
  y = select(x == infinity, x, y);
  y = select(x > 0, y, constant(x, std::numeric_limits<double>::quiet_NaN()));  // also NaN
  return select(x == 0, constant(x, -infinity), y);
}
template <AnyLane L> L log_in_double(L x) {
  auto subnormal = x < 0x1p-1022;
  auto [e, m] = split(select(subnormal, x * 0x1p54, x));
  return log_edges(x, log_near_one_in_double(m - 1, select(subnormal, e - 54, e)));
}
/// log(1 + x) by `log_near_one(f, e)`, which is log(1 + f) + e ln 2.
template <AnyLane L, class F> L log1p_by(L x, F log_near_one) {
  L u = x + 1;
  auto [e, m] = split(u);
  // What 1 + x lost by rounding, in units of m.
  L lost = select(x < 1, x - (u - 1), 1 - (u - x));
  L f = select(e == 0, x, fma(lost, power_of_two(-min(e, constant(e, exponent_bias(x) - 1))), m - 1));
  return select(x == 0, x, log_edges(u, log_near_one(f, e)));
}
template <AnyLane L> L log1p_in_double(L x) {
  return log1p_by(x, [](L f, L e) { return log_near_one_in_double(f, e); });
}

/// log(x) of a float32 that was widened, or of a number about as exact: finite x > 0, relative error 2^-29.
template <AnyLane L> L short_log(L x) {
  static constexpr double q[] = {0.3333338810551823, 0.19988782943539044, 0.14935541853453463};
  auto [e, m] = split(x);
  L s = (m - 1) / (m + 1), s2 = s * s, twice = s + s;
  return fma(e, 0.693147180559945286, fma(twice, s2 * polynomial(s2, q), twice));
}

/// 1 / (1 + exp(-x)): the smaller tail is computed, so that neither loses digits.
template <AnyLane L> L logistic_in_double(L x) {
  L small = exp_in_double(-abs(x));
  return select(x < 0, small, constant(x, 1)) / (small + 1);
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
