// Elementary functions over lanes: here what float32 has of its own, within 2 units in the last place (tanh: 3). Every
// polynomial is our own minimax fit (weighted least maximum error); the comment says the error of the exact
// polynomial in units of 2^-24.
#pragma once

#include "lane/circular.hpp"
#include "lane/error_function.hpp"
#include "lane/exponential.hpp"
#include "lane/float_steps.hpp"
#include "lane/hyperbolic.hpp"
#include "lane/number.hpp"

namespace tutti::lane {

/// exp(r) - 1 for |r| <= ln 2 / 2.
template <AnyLane L> L expm1_near_zero(L r) {
  static constexpr float q[] = {0.49999994f, 0.166665211f, 0.041668389f, 0.00836871658f, 0.00138145976f};  // 0.05
  return fma(r * r, polynomial(r, q), r);
}

template <AnyLane L> L exp(L x) {
  return by_precision(
      x, [](auto x) { return exp_in_double(x); },
      [](auto x) {
        return power_within(x, -104, 89, [](auto x) {
          auto [n, r] = reduce_by_ln2(x);
          return scale(expm1_near_zero(r) + 1, n);
        });
      });
}

template <AnyLane L> L exp2(L x) {
  return by_precision(
      x, [](auto x) { return exp2_in_double(x); },
      [](auto x) {
        return power_within(x, -151, 129, [](auto x) {
          static constexpr float q[] = {0.693147182f,   0.240226507f,    0.0555041023f,  0.00961803831f,
                                        0.00133339351f, 0.000154667563f, 1.51961503e-05f};  // 0.001
          auto n = x + whole_magic - whole_magic, r = x - n;
          return scale(fma(r, polynomial(r, q), constant(r, 1)), n);
        });
      });
}

template <AnyLane L> L expm1(L x) {
  return by_precision(
      x, [](auto x) { return expm1_in_double(x); },
      [](auto x) {
        static constexpr float q[] = {0.5f,           0.166666657f,   0.0416663624f,
                                      0.00833338965f, 0.00139406265f, 0.000198458583f};  // 0.004
        L limited = max(min(x, constant(x, 89)), constant(x, -20));
        auto [n, r] = reduce_by_ln2(limited);
        L p = fma(r * r, polynomial(r, q), r);
        // 2^n p + (2^n - 1), all halved so that n = 128 does not overflow too early.
        L half = power_of_two(n - 1);
        L y = fma(half, p, half - 0.5) * 2;
        return select(n == 0, select(x == 0, x, p), y);  // keeps -0
      });
}

/// log(1 + f) + e ln 2 for 1 + f from sqrt(1/2) to sqrt(2).
template <AnyLane L> L log_near_one(L f, L e) {
  static constexpr float q[] = {0.333333313f, -0.250008225f, 0.200012282f, -0.166233361f,
                                0.142017186f, -0.131603613f, 0.127619639f, -0.0763449296f};  // 0.1
  L f2 = f * f;
  L y = f2 * f * polynomial(f, q);
  y = fma(e, -2.12194440054690583e-4, y);
  y = fma(f2, -0.5, y);
  return fma(e, 0.693359375, f + y);
}
template <AnyLane L> L log(L x) {
  return by_precision(
      x, [](auto x) { return log_in_double(x); },
      [](auto x) {
        auto subnormal = x < 0x1p-126;
        auto [e, m] = split(select(subnormal, x * 0x1p25, x));
        return log_edges(x, log_near_one(m - 1, select(subnormal, e - 25, e)));
      });
}

template <AnyLane L> L log1p(L x) {
  return by_precision(
      x, [](auto x) { return log1p_in_double(x); },
      [](auto x) { return log1p_by(x, [](auto f, auto e) { return log_near_one(f, e); }); });
}

/// 1 / (1 + exp(-x)). Of e = exp(-|x|) the part that rounding lost is kept: q = e / (1 + e) gets one step of
/// correction, where 1 / (1 + e) = 1 - q.
template <AnyLane L> L logistic(L x) {
  return by_precision(
      x, [](auto x) { return logistic_in_double(x); },
      [](auto x) {
        auto [n, r] = reduce_by_ln2(max(-abs(x), constant(x, -104)));
        L p = expm1_near_zero(r), near_one = p + 1;
        L e = scale(near_one, n), e_lost = scale(p - (near_one - 1), n);
        L d = e + 1, d_lost = e - (d - 1) + e_lost;
        L q = e / d;
        q = fma(fma(-q, d_lost, fma(-q, d, e) + e_lost), 1 - q, q);
        return select(x < 0, q, 1 - q);
      });
}

/// h / (h + 1), h = (exp(2 |x|) - 1) / 2 = 2^n p + (2^n - 1) / 2 with |x| = n ln 2 / 2 + r and p = (exp(2 r) - 1) / 2.
template <AnyLane L> L tanh(L x) {
  return by_precision(
      x, [](auto x) { return tanh_in_double(x); },
      [](auto x) {
        static constexpr float q[] = {0.99999988f, 0.666660845f, 0.333347112f, 0.133899465f,
                                      0.0442067124f};  // that of exp, scaled
        L a = min(abs(x), constant(x, 10));
        L shifted = fma(a, 2.88539008177792681, constant(x, whole_magic + 127));  // n + 127 in its low bits
        L n = shifted - (whole_magic + 127);
        L r = fma(n, 1.06097220270345292e-4, fma(n, -0.3466796875, a));
        L p = fma(r * r, polynomial(r, q), r);
        auto bits = bitcast<std::int32_t>(shifted);
        auto power = bitcast<float>(binary<Bin::shl>(bits, constant(bits, 23)));
        L h = fma(power, p, fma(power, 0.5, constant(x, -0.5)));
        return with_sign(h / (h + 1), x);
      });
}

template <AnyLane L> L erf(L x) {
  return by_precision(
      x, [](auto x) { return erf_in_double(x); },
      [](auto x) {
        static constexpr float near[] = {0.128379166f, -0.376126081f, 0.112828232f, -0.0267572291f,
                                         0.00471807877f};  // 0.02
        static constexpr float far[] = {-3.63242943e-05f, 1.12871778f,    0.635277152f,    0.105742171f,
                                        -0.0231690463f,   0.00329739577f, -0.000223690149f};  // -log(erfc): 0.08
        L a = min(abs(x), constant(x, 4));
        L inside = fma(x, polynomial(x * x, near), x);
        auto [n, r] = reduce_by_ln2(-polynomial(a, far));
        L power = power_of_two(n), outside = 1 - fma(expm1_near_zero(r), power, power);
        return select(a < 0.5, inside, with_sign(outside, x));
      });
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
