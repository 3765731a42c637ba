// Circular functions and their inverses, float32 and float64, within 2 units in the last place. Every polynomial is our
// own minimax fit; the comment says its error in units of 2^-53 and of 2^-24.
#pragma once

#include "lane/number.hpp"

namespace tutti::lane {

/// x = n pi / 2 + r, |r| <= pi / 4, in three steps; good for |x| up to `far_angle`. The low bits of `quadrant` are
/// those of n.
template <AnyLane L, class I> struct ByHalfPi {
  I quadrant;
  L r;
};
template <AnyLane L> auto reduce_by_half_pi(L x) {
  const InTwo first = half_pi(x);
  L shifted = fma(x, 0.636619772367581343, constant(x, whole_magic_of(x)));
  L n = shifted - whole_magic_of(x);
  L r = fma(n, -first.first, x);
  r = fma(n, -first.rest, r);
  r = fma(n, is_double(x) ? 1.4973849048591698e-33 : 1.71512451000126e-15, r);
  auto quadrant = bits_of(shifted);
  return ByHalfPi<L, decltype(quadrant)>{quadrant, r};
}
template <AnyLane L> double far_angle(L x) { return is_double(x) ? 1e9 : 1e5; }

/// sin r and cos r, |r| <= pi / 4, of z = r^2.
template <AnyLane L> L sine_near_zero(L r, L z) {
  static constexpr double s[] = {-0.16666666666666630,   0.0083333333333220922,   -0.00019841269829569218,
                                 2.7557313614742922e-06, -2.5050746788497149e-08, 1.5896177196300892e-10};  // 0.04
  static constexpr float single[] = {-0.166666672f, 0.00833332911f, -0.000198393042f, 2.71804652e-06f};     // 0.0001
  return fma(z * r, polynomial(z, s, single), r);
}
template <AnyLane L> L cosine_near_zero(L z) {
  static constexpr double c[] = {0.041666666666666595,    -0.0013888888888873084, 2.4801587288867984e-05,
                                 -2.7557314183776914e-07, 2.0875701426171116e-09, -1.1358565680747579e-11};  // 0.0005
  static constexpr float single[] = {0.0416666456f, -0.00138873095f, 2.44324146e-05f};                       // 0.002
  return fma(z * z, polynomial(z, c, single), fma(z, -0.5, constant(z, 1)));
}
/// Quadrant 0: sin r, 1: cos r, 2: -sin r, 3: -cos r.
template <AnyLane L, class I> L sine_in_quadrant(L r, I quadrant) {
  L z = r * r;
  L y = select((quadrant & constant(quadrant, 1)) == 0, sine_near_zero(r, z), cosine_near_zero(z));
  auto sign = binary<Bin::shl>(quadrant & constant(quadrant, 2), constant(quadrant, is_double(r) ? 62 : 30));
  return from_bits(bits_of(y) ^ sign);
}
template <AnyLane L> L sin(L x) {
  auto [quadrant, r] = reduce_by_half_pi(x);
  return rare(abs(x) > far_angle(x), lib_sin, x, select(x == 0, x, sine_in_quadrant(r, quadrant)));
}
template <AnyLane L> L cos(L x) {
  auto [quadrant, r] = reduce_by_half_pi(x);
  return rare(abs(x) > far_angle(x), lib_cos, x, sine_in_quadrant(r, quadrant + constant(quadrant, 1)));
}

/// sin r / cos r, or -cos r / sin r; of floats in double.
template <AnyLane L> L tan(L x) {
  auto quotient = [](auto quadrant, auto s, auto c) {
    auto odd = (quadrant & constant(quadrant, 1)) != constant(quadrant, 0);
    return select(odd, -c, s) / select(odd, s, c);
  };
  L y = by_precision(
      x,
      [&](auto x) {
        auto [quadrant, r] = reduce_by_half_pi(x);
        auto z = r * r;
        return quotient(quadrant, sine_near_zero(r, z), cosine_near_zero(z));
      },
      [&](auto x) {
        static constexpr double s[] = {-0.16666666640834077, 0.0083333293075416766, -0.00019839312950971908,
                                       2.7181273768649033e-06};
        static constexpr double c[] = {0.041666645680285649, -0.0013887316327156575, 2.4433183495233024e-05};
        auto [quadrant, r] = reduce_by_half_pi(convert<double>(x));
        auto z = r * r;
        return convert<float>(quotient(quadrant, fma(z * r, polynomial(z, s), r),
                                       fma(z * z, polynomial(z, c), fma(z, -0.5, constant(z, 1)))));
      });
  return rare(abs(x) > far_angle(x), lib_tan, x, select(x == 0, x, y));
}

/// (asin(s) - s) / s^3 of s^2 <= 1/4.
template <AnyLane L> L arcsine_terms(L z) {
  static constexpr double q[] = {0.16666666666665414,  0.075000000003359518,  0.044642856829139432,
                                 0.030381959104824954, 0.022371758809660129,  0.01735969334760655,
                                 0.013885348425350403, 0.012168467901494623,  0.0065311984511357514,
                                 0.01951943940036777,  -0.016210418408727143, 0.03190281278023685};              // 0.2
  static constexpr float single[] = {0.166667521f, 0.0749530941f, 0.0454689451f, 0.0241862759f, 0.0421553254f};  // 0.1
  return polynomial(z, q, single);
}
/// asin |x| = s + p up to 1/2; from there it is pi / 2 - 2 (s + p).
template <AnyLane L, class B> struct ByArcsine {
  B far;
  L s, p;
};
template <AnyLane L> auto arcsine_parts(L x) {
  L a = abs(x);
  auto far = a > 0.5;
  L z = select(far, (1 - a) * 0.5, a * a);
  L s = select(far, sqrt(z), a);
  return ByArcsine<L, decltype(far)>{far, s, s * z * arcsine_terms(z)};
}
template <AnyLane L> L asin(L x) {
  const InTwo quarter = half_pi(x);
  auto [far, s, p] = arcsine_parts(x);
  L right = constant(x, quarter.first), twice = s + s, sum = right - twice, lost = (right - sum) - twice;
  L large = sum + (lost + fma(p, -2, constant(x, quarter.rest)));
  return with_sign(select(far, large, s + p), x);
}
template <AnyLane L> L acos(L x) {
  const InTwo quarter = half_pi(x);
  auto [far, s, p] = arcsine_parts(x);
  L twice = s + s, twice_p = p + p;
  L large = select(x < 0, constant(x, 2 * quarter.first) - twice + (constant(x, 2 * quarter.rest) - twice_p),
                   twice + twice_p);
  L small = constant(x, quarter.first) - (with_sign(s, x) - (constant(x, quarter.rest) - with_sign(p, x)));
  return select(far, large, small);
}

/// (atan(t) - t) for |t| <= tan(pi / 8).
template <AnyLane L> L arctangent_rest(L t) {
  static constexpr double q[] = {-0.33333333333333198,  0.19999999999953294,   -0.14285714280171136,
                                 0.11111110782387316,   -0.090908977320730708, 0.076920598408448906,
                                 -0.066631006227538606, 0.058478696628675858,  -0.050392373263989446,
                                 0.038063329411467214,  -0.017906336058229201};                                 // 0.02
  static constexpr float single[] = {-0.333333164f, 0.199984729f, -0.14243561f, 0.105940245f, -0.0607876517f};  // 0.02
  L z = t * t;
  return t * z * polynomial(z, q, single);
}
constexpr double tan_of_eighth = 0.41421356237309503;  // of pi
/// Above tan(3 pi / 8) pi / 2 - atan(1 / x), above tan(pi / 8) pi / 4 + atan((x - 1) / (x + 1)).
template <AnyLane L> L atan(L x) {
  const InTwo quarter = half_pi(x);
  L a = abs(x), zero = constant(x, 0);
  auto far = a > 1 / tan_of_eighth, middle = a > tan_of_eighth;
  L t = select(far, constant(x, -1), select(middle, a - 1, a)) / select(far, a, select(middle, a + 1, constant(x, 1)));
  auto part = [&](double all) { return select(far, constant(x, all), select(middle, constant(x, all / 2), zero)); };
  return with_sign(part(quarter.first) + (t + (arctangent_rest(t) + part(quarter.rest))), x);
}
/// The angle of (x, y) in double: that of the smaller over the larger, in eighths of a turn. `rest(t)`: atan(t) - t.
template <AnyLane L, class F> L angle_of(L y, L x, F rest) {
  const InTwo quarter = half_pi(x);
  L a = abs(y), b = abs(x), large = max(a, b), small = min(a, b), zero = constant(x, 0);
  L safe = select(large > 0x1p1000, constant(x, 0.25), constant(x, 1));
  L u = large * safe, v = small * safe;
  auto equal = large == small;  // also when both are infinite
  auto middle = (v > u * tan_of_eighth) | (equal & (large != 0));
  L t = select(equal, zero, select(middle, v - u, v) / select(middle, v + u, u));
  // atan(small / large) is k pi / 2 + atan(t); then pi / 2 minus it, and pi minus that.
  L k = select(middle, constant(x, 0.5), zero), angle = t + rest(t);
  auto steep = a > b;
  k = select(steep, 1 - k, k);
  angle = select(steep, -angle, angle);
  auto backwards = bits_of(x) < constant(bits_of(x), 0);
  k = select(backwards, 2 - k, k);
  angle = select(backwards, -angle, angle);
  return with_sign(fma(k, quarter.first, fma(k, quarter.rest, angle)), y);
}
/// The same for what becomes a float32.
template <AnyLane L> L short_arctangent_rest(L t) {
  static constexpr double q[] = {-0.33333332498369939, 0.1999990384591058,    -0.14282006290291047,
                                 0.11044676545016302,  -0.084761979983775729, 0.047439216650762776};
  L z = t * t;
  return t * z * polynomial(z, q);
}
template <AnyLane L> L atan2(L y, L x) {
  return by_precision(
      x, [&](auto x) { return angle_of(y, x, [](auto t) { return arctangent_rest(t); }); },
      [&](auto x) {
        auto rest = [](auto t) { return short_arctangent_rest(t); };
        return convert<float>(angle_of(convert<double>(y), convert<double>(x), rest));
      });
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
