// Hyperbolic functions and their inverses, float32 and float64. Every polynomial is our own minimax fit; the comment
// says its error in units of 2^-53 and of 2^-24.
#pragma once

#include "lane/exponential.hpp"

namespace tutti::lane {

/// |x| = n ln 2 + r. With a quarter of 2^n + 2^-n and of 2^n - 2^-n, sinh x and cosh x are twice the sums of products
/// with sinh r and cosh r: nothing is lost near 0, and nothing overflows too early.
template <AnyLane L> struct HyperbolicParts {
  L plus, minus, s, c;  // c: cosh r - 1
  L sinh() const { return minus + fma(minus, c, plus * s); }
  L cosh() const { return plus + fma(plus, c, minus * s); }
};
/// For |x| up to 89.5, and 710.5 in double.
template <AnyLane L> HyperbolicParts<L> hyperbolic_parts(L a) {
  static constexpr double s[] = {0.16666666666666677, 0.0083333333333216637, 0.00019841269886042829,
                                 2.755724429212602e-06, 2.5109009012056935e-08};  // 0.003
  static constexpr double c[] = {0.041666666666602827, 0.0013888888927257594, 2.4801508100961287e-05,
                                 2.7625417964869872e-07};                               // 0.05
  static constexpr float single_s[] = {0.166666672f, 0.00833328906f, 0.000199048969f};  // 0.0001
  static constexpr float single_c[] = {0.0416664593f, 0.00139353715f};                  // 0.002
  auto [n, r] = reduce_by_ln2(a);
  L up = power_of_two(n - 2), down = power_of_two(max(-2 - n, constant(n, 1 - exponent_bias(n))));
  L z = r * r;
  return {up + down, up - down, fma(r * z, polynomial(z, s, single_s), r),
          z * fma(z, polynomial(z, c, single_c), constant(z, 0.5))};
}
template <AnyLane L> L before_overflow(L x) { return min(abs(x), constant(x, is_double(x) ? 710.5 : 89.5)); }
template <AnyLane L> L sinh(L x) {
  L a = before_overflow(x);
  return with_sign(select(a < 0x1p-27, a, hyperbolic_parts(a).sinh() * 2), x);
}
template <AnyLane L> L cosh(L x) { return hyperbolic_parts(before_overflow(x)).cosh() * 2; }
template <AnyLane L> L tanh_in_double(L x) {
  L a = min(abs(x), constant(x, 22));
  auto parts = hyperbolic_parts(a);
  return with_sign(select(a < 0x1p-27, a, parts.sinh() / parts.cosh()), x);
}

/// log(x + sqrt(x^2 + 1)).
template <AnyLane L> L asinh(L x) {
  L a = abs(x);
  L y = by_precision(
      a,
      [](auto a) {
        auto large = a > 0x1p500;
        auto beyond_one = a + a * a / (sqrt(fma(a, a, constant(a, 1))) + 1);
        return log1p_in_double(select(large, a, beyond_one)) +
               select(large, constant(a, 0.693147180559945309), constant(a, 0));
      },
      [](auto a) {
        auto wide = convert<double>(a);
        auto y = convert<float>(short_log(wide + sqrt(fma(wide, wide, constant(wide, 1)))));
        return select((a > 0x1p-13) & (a < std::numeric_limits<double>::infinity()), y, a);
      });
  return with_sign(y, x);
}
/// log(x + sqrt(x^2 - 1)), by way of x - 1 where that is small.
template <AnyLane L> L acosh(L x) {
  L y = by_precision(
      x,
      [](auto x) {
        auto large = x > 0x1p500;
        auto t = x - 1;
        return log1p_in_double(select(large, x, t + sqrt(t * (t + 2)))) +
               select(large, constant(x, 0.693147180559945309), constant(x, 0));
      },
      [](auto x) {
        auto wide = convert<double>(x);
        auto y = convert<float>(short_log(wide + sqrt((wide - 1) * (wide + 1))));
        return select(x == std::numeric_limits<double>::infinity(), x, y);
      });
  return select(x >= 1, y, constant(x, std::numeric_limits<double>::quiet_NaN()));
}
/// Half the logarithm of (1 + a) / (1 - a) = 2^e m, with m near 1: e ln 2 / 2 + atanh((m - 1) / (m + 1)), where that
/// quotient is made of a, or from 1/2 on of b = 1 - a, without another rounding.
template <AnyLane L> L atanh(L x) {
  L a = abs(x), b = 1 - a;
  const InTwo ln2 = in_two(x, 0.693147180559945286, 2.319046813846299558e-17, 0.693359375, -2.12194440054690583e-4);
  auto difference = bits_of(a + 1) - bits_of(b);
  auto width = constant(difference, fraction_bits(x));
  auto e = binary<Bin::shr_arithmetic>(difference + constant_int(difference, std::int64_t{1} << (fraction_bits(x) - 1)),
                                       width);
  L power = from_bits(binary<Bin::shl>(e + constant(e, exponent_bias(x)), width)), n = number_of(e);
  auto near = a < 0.5;
  L v = select(near, a, -b), two = constant(x, 2), one_more = power + 1, one_less = 1 - power;
  L s = fma(v, one_more, select(near, one_less, two)) / fma(v, one_less, select(near, one_more, two));
  L s2 = s * s;
  L y = fma(n, ln2.first / 2, s + fma(n, ln2.rest / 2, s * s2 * atanh_terms(s2)));
  L edge = select(a == 1, constant(x, std::numeric_limits<double>::infinity()),
                  constant(x, std::numeric_limits<double>::quiet_NaN()));
  return with_sign(select(a < 1, y, edge), x);
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
