// Functions of the normal distribution and scaled Bessel functions over float32 lanes, within 4 units in the last
// place; doubles are calls. Every polynomial is our own minimax fit; the comment says its error in units of 2^-24.
#pragma once

#include <cmath>
#include <limits>

#include "lane/lane_functions.hpp"
#include "lane/lane_math.hpp"

namespace tutti::lane {

/// `single(x)` for float32, a call for float64.
template <AnyLane L, class F> L single_or_call(L x, const LaneFunction& in_double, F single) {
  if constexpr (std::same_as<L, Host<double>>)
    return call(in_double, x);
  else if constexpr (std::same_as<L, Host<float>>)
    return single(x);
  else
    return x.reg.dtype == float64 ? call(in_double, x) : single(x);
}

/// exp(t^2 / 2) times the upper tail beyond t, which is that and the Gaussian; t = |x|.
template <AnyLane L> struct Tail { L scaled, gaussian; };
template <AnyLane L> Tail<L> tail_of(L x) {
  // Of the scaled tail times t + 7/2, in (t - 7/2) / (t + 7/2).
  static constexpr float q[] = {0.744416058f,    -0.565561831f,  0.315425575f,    -0.116050333f,
                                0.0174035188f,   0.00647016056f, -0.00317448378f, -0.000424505095f,
                                0.000449499232f, 3.7666774e-05f, -4.90399289e-05f};  // 0.4
  L t = min(abs(x), constant(x, 1e15)), square = t * t, sum = t + 3.5, inverse = 1 / sum;
  // What rounding made of the quotient, relative to it.
  L less = fma(-inverse, t - (sum - 3.5), fma(-inverse, sum, constant(t, 1)));
  L s = (t - 3.5) * inverse, scaled = polynomial(fma(s, less, s), q) * inverse;
  auto [n, r] = reduce_by_ln2(max(square * -0.5, constant(t, -104)));
  r = select(square < 208, fma(fma(t, t, -square), -0.5, r), r);  // what rounding lost of t^2
  L g = select(square < 208, scale(expm1_near_zero(r) + 1, n), constant(t, 0));
  return {fma(scaled, less, scaled), g};
}
/// The distribution function.
template <AnyLane L> L ndtr(L x) {
  return single_or_call(x, lanes_ndtr, [](auto x) {
    auto [scaled, gaussian] = tail_of(x);
    auto tail = scaled * gaussian;
    auto y = select(x < 0, tail, 1 - tail);
    return select(x == x, y, x);
  });
}
/// log of the distribution function: that of the tail below 0, of 1 - tail above.
template <AnyLane L> L log_ndtr(L x) {
  return single_or_call(x, lanes_log_ndtr, [](auto x) {
    auto [scaled, gaussian] = tail_of(x);
    auto below = x < 0;
    L q = scaled * gaussian, u = 1 - q, lost = (1 - u) - q;
    auto [e, m] = split(select(below, scaled, u));
    L f = m - 1;
    f = select(below, f, select(e == 0, -q, fma(lost, 2, f)));
    L a = abs(x), y = log_near_one(f, e) - select(below, a * 0.5 * a, constant(x, 0));
    static constexpr float near[] = {-0.693147182f,   0.797884583f,     -0.318309844f,    0.036335282f,
                                     0.00478214351f,  -3.57444915e-05f, -0.000212877625f, -5.39344073e-05f,
                                     4.30168541e-08f, 3.75060222e-06f};  // 0.1
    y = select((x > -1) & (x < 1), polynomial(x, near), y);
    return select(x == x, y, x);
  });
}
/// The density over the distribution function.
template <AnyLane L> L ndtr_slope(L x) {
  return single_or_call(x, lanes_ndtr_slope, [](auto x) {
    constexpr double over_root_two_pi = 0.3989422804014327;
    auto [scaled, gaussian] = tail_of(x);
    L y = select(x < 0, over_root_two_pi / scaled, gaussian * over_root_two_pi / (1 - gaussian * scaled));
    y = select(x < -1e15, -x, y);
    return select(x == x, y, x);
  });
}
/// x P(w) with x = 2 p - 1 and w = -log(1 - x^2), in which P is smooth, and for large w in its root.
template <AnyLane L> L ndtri(L p) {
  return single_or_call(p, lanes_ndtri, [](auto p) {
    static constexpr float near[] = {1.25331414f,      0.328117013f,    0.0163324978f,   -0.00330153434f,
                                     -0.000180014045f, 6.2895786e-05f,  5.67033112e-06f, -2.80154472e-06f,
                                     3.13190583e-07f,  -1.24566144e-08f};  // 0.1
    static constexpr float far[] = {4.00643444f,      1.41658282f,     0.013347216f,    -0.0108106984f,
                                    0.00812103413f,   -0.00504710991f, 0.0018931838f,   -0.000124049213f,
                                    -0.000225208234f, 0.000165515725f, -6.28143898e-05f};  // 1
    static constexpr float farther[] = {9.71426105f,     1.42636967f,      -0.000726499187f, 8.69452015e-06f,
                                        9.76256069e-06f, -2.18350056e-06f, 1.04200268e-07f,  -9.29601853e-08f,
                                        5.17395478e-08f, -1.49688251e-09f, -1.27703748e-09f};  // 0.5
    auto upper = p > 0.5;
    L q = select(upper, 1 - p, p), x = fma(q, 2, constant(p, -1));
    auto tiny = q < 0x1p-100;
    L four = select(tiny, q * 0x1p42, q * 4);
    auto [e, m] = split(fma(-four, q, four));
    L w = -log_near_one(m - 1, select(tiny, e - 40, e)), s = sqrt(w);
    L y = select(w < 17, polynomial(s - 3, far), polynomial(s - 7, farther));
    y = x * select(w < 5, polynomial(w, near), y);
    y = select(q == 0, constant(p, -std::numeric_limits<double>::infinity()), y);
    y = select(q >= 0, y, constant(p, std::numeric_limits<double>::quiet_NaN()));  // also NaN
    return select(upper, -y, y);
  });
}

/// As a function of w = -log(1 - x^2): erf_inv(x) / x is smooth in w, and in sqrt(w) for large w.
template <AnyLane L> L erf_inv(L x) {
  return single_or_call(x, lanes_erf_inv, [](auto x) {
    static constexpr float near[] = {0.886226892f,     0.232013822f,    0.0115486542f,   -0.00233429694f,
                                     -0.000127480802f, 4.45646328e-05f, 3.98347038e-06f, -1.97651411e-06f,
                                     2.21036871e-07f,  -8.79133033e-09f};  // 0.1
    static constexpr float far[] = {2.83297682f,     1.00167513f,     0.00944502838f, -0.00763993058f,
                                    0.0056870128f,   -0.00358652789f, 0.00148736814f, -7.36798393e-05f,
                                    -0.00031227796f, 0.000124835016f};  // 0.2
    auto [e, m] = split(fma(-x, x, constant(x, 1)));
    L w = -log_near_one(m - 1, e);
    L p = select(w < 5, polynomial(w, near), polynomial(sqrt(w) - 3, far));
    L edge = select(abs(x) == 1, x * std::numeric_limits<double>::infinity(),
                    constant(x, std::numeric_limits<double>::quiet_NaN()));
    return select(abs(x) < 1, p * x, edge);
  });
}

/// exp(-a) `first` times a polynomial in a^2 / 4 for a < 8, else one in 1 / a over sqrt(a).
template <AnyLane L, std::size_t n, std::size_t m>
L scaled_bessel(L a, L first, const float (&near)[n], const float (&far)[m]) {
  L b = min(a, constant(a, 8)), inverse = 1 / max(a, constant(a, 8));
  L small = first * exp(-b) * polynomial(b * b * 0.25, near);
  return select(a < 8, small, polynomial(inverse, far) * sqrt(inverse));
}
template <AnyLane L> L bessel_i0e(L x) {
  return single_or_call(x, lanes_bessel_i0e, [](auto x) {
    static constexpr float near[] = {1.f,
                                     1.f,
                                     0.25f,
                                     0.0277777705f,
                                     0.0017361223f,
                                     6.94378396e-05f,
                                     1.93100641e-06f,
                                     3.90248722e-08f,
                                     6.49841014e-10f,
                                     5.56405399e-12f,
                                     1.37359647e-13f};  // 0.01
    static constexpr float far[] = {0.398942292f,  0.0498644523f, 0.0281992238f,
                                    0.0274594631f, 0.0414157622f, 0.217163697f};  // 0.5
    L a = abs(x);
    return scaled_bessel(a, constant(a, 1), near, far);
  });
}
template <AnyLane L> L bessel_i1e(L x) {
  return single_or_call(x, lanes_bessel_i1e, [](auto x) {
    static constexpr float near[] = {1.f,
                                     0.5f,
                                     0.0833332986f,
                                     0.00694451155f,
                                     0.000347175665f,
                                     1.15899729e-05f,
                                     2.72561977e-07f,
                                     5.25083488e-09f,
                                     4.7792461e-11f,
                                     1.41386273e-12f};
    static constexpr float far[] = {0.398942292f,   -0.149608135f, -0.0464135259f,
                                    -0.0497063957f, 0.0418227613f, -0.554659784f};  // 0.5
    L a = abs(x);
    return with_sign(scaled_bessel(a, a * 0.5, near, far), x);
  });
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
