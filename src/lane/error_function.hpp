// erf and erfc of float64 lanes, and erfc of float32 by way of doubles. Every polynomial is our own minimax fit; the
// comment says its error in units of 2^-53 and of 2^-24.
#pragma once

#include "lane/exponential.hpp"

namespace tutti::lane {

/// erf(x), |x| <= 1.
template <AnyLane L> L erf_near_zero(L x) {
  static constexpr double q[] = {0.12837916709551256,     -0.37612638903183521,   0.11283791670944168,
                                 -0.026866170643109699,   0.0052239776061086063,  -0.00085483259290044535,
                                 0.00012055293571355565,  -1.492471225193446e-05, 1.6447131514876626e-06,
                                 -1.6206316852645566e-07, 1.3711006460802212e-08, -7.7795370337727042e-10};  // 0.07
  return fma(x, polynomial(x * x, q), x);
}
/// (1 + 2 a) exp(a^2) erfc(a), as a function of t = (a - 3.5) / (a + 3.5), for a from 0 to 27.3.
template <AnyLane L> L scaled_erfc_terms(L t) {
  static constexpr double q[] = {
      1.2423492448711544,      -0.14000918013761929,    -0.010555596332215698,  0.097519095153241198,
      -0.11508959816034854,    0.087983153825482385,    -0.048823325824129259,  0.019099330932528535,
      -0.0042150199553908823,  -0.00030226779154376499, 0.00056438477450388108, -0.00012151286619167471,
      -4.2783922138923245e-05, 2.4262369161457861e-05,  2.3335045607594106e-06, -3.8173110490333888e-06,
      -5.4553146611088081e-08, 6.0381428863007943e-07,  4.8351279680546721e-09, -9.5581870140050618e-08,
      -8.3780661216554431e-09, 1.1169583289978816e-08,  2.7161006477482179e-09};  // 0.06
  return polynomial(t, q);
}
/// erfc(a), 0 <= a; what the square of a loses by rounding is made good.
template <AnyLane L> L erfc_of_magnitude(L a) {
  L b = min(a, constant(a, 27.3));
  L square = b * b, lost = fma(b, b, -square), power = exp_in_double(-square);
  L y = scaled_erfc_terms((b - 3.5) / (b + 3.5)) / (b + b + 1);
  return fma(-lost, y, y) * power;
}
template <AnyLane L> L erf_in_double(L x) {
  L a = abs(x);
  return select(a < 1, erf_near_zero(x), with_sign(1 - erfc_of_magnitude(max(a, constant(a, 1))), x));
}
/// erfc(x) of float32: exp(a^2) erfc(a) is a function of t = (a - 3) / (a + 3), a from 0 to where erfc vanishes.
template <AnyLane L> L erfc_by_doubles(L x) {
  static constexpr double q[] = {0.17900115125596489,    -0.32623356383049334,   0.24560379836756846,
                                 -0.15011578156087993,   0.071665851349450513,   -0.024394241464667583,
                                 0.0042689415545330107,  0.00071581311485237906, -0.00059465581197090417,
                                 2.8699066557850696e-05, 5.5840000311221562e-05};  // 0.03
  static constexpr double exp_terms[] = {1,
                                         1,
                                         0.5000000088704362,
                                         0.16666518945162144,
                                         0.041666224826954273,
                                         0.0083688767135125284,
                                         0.0013949244581109428};  // 0.07
  auto a = convert<double>(min(abs(x), constant(x, 10.06)));
  auto [n, r] = reduce_by_ln2(-(a * a));
  auto scaled = polynomial((a - 3) / (a + 3), q) * polynomial(r, exp_terms);
  L y = convert<float>(scaled * power_of_two(n));
  return select(x < 0, 2 - y, y);
}
template <AnyLane L> L erfc(L x) {
  return by_precision(
      x,
      [](auto x) {
        auto a = abs(x), y = erfc_of_magnitude(a);
        y = select(x < 0, 2 - y, y);
        return select(a < 0.5, 1 - erf_near_zero(x), y);
      },
      [](auto x) { return erfc_by_doubles(x); });
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
