// Integrals of sines, and the dilogarithm. Source: jax.scipy.special.
#include <cmath>
#include <numbers>

#include "special/approximation.hpp"
#include "special/tables.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {
namespace {

Array signed_like(const Array& size, const Array& x) { return where(x < 0, -size, size); }

// A zero of Ci, and what its rounding left.
struct Zero {
  double at, rest32, rest64;
  Array from(const Array& x) const {
    const bool wide = x.dtype() == float64;
    return (x - (wide ? at : static_cast<double>(static_cast<float>(at)))) - (wide ? rest64 : rest32);
  }
};
constexpr Zero first_zero{0x1.3ba69b6517559p-1, -1.803376374667164e-8, -4.2099203214331859e-17},
    second_zero{0x1.b12cd2f74f769p+1, 1.1516288076233535e-7, 1.9721254623634111e-16};

// Ci(x) for 0 < x <= 4: what is left without its zeros.
Array cosine_integral(const Array& x) {
  const Array low = x <= 2, inner = where(low, x, 1), from = first_zero.from(inner), close = abs(from) < 0.25;
  const Array logarithm =
      where(close, log1p(where(close, from, 0) / first_zero.at), log(inner) - std::log(first_zero.at));
  const Array left = logarithm + from * (inner + first_zero.at) * value(table::ci_low, square(inner));
  const Array outer = where(low, 3, x);
  return where(low, left, second_zero.from(outer) * value(table::ci_high, outer - 3));
}

SineIntegrals sine_integrals(const Array& x) {
  const Array size = abs(x), near = size <= 4, inner = where(near, size, 1), y = square(inner);
  const Array s = 1 / where(near, 4, size), t = square(s), mid = size < 8;
  const Array f = s * value({{mid, &table::sine_f_mid}, {Array(), &table::sine_f_far}}, t);
  const Array g = t * value({{mid, &table::sine_g_mid}, {Array(), &table::sine_g_far}}, t);
  const Array angle = where(isinf(size), 0, size), sine = sin(angle), cosine = cos(angle);
  const Array si = where(near, inner * value(table::si, y), M_PI / 2 - f * cosine - g * sine);
  const Array ci = where(near, cosine_integral(inner), f * sine - g * cosine);
  return {where(x == 0, x, signed_like(si, x)), where(x == -inf, no_number, ci)};
}

struct Phase {
  Array sine, cosine;
};
// Of pi x^2 / 2. x is an even number and a rest, whose products keep the digits that x^2 has not.
Phase half_square(const Array& x) {
  const Array whole = round(x * 0.5), rest = x - 2 * whole;
  const Array cross = whole * rest, turns = cross - round(cross) + 0.25 * square(rest);
  const Array angle = 2 * M_PI * (turns - round(turns));
  return {sin(angle), cos(angle)};
}

Fresnel fresnel_integrals(const Array& x) {
  const Array size = abs(x), near = square(size) <= 2.5625, inner = where(near, size, 1), y = square(inner),
              w = square(y);
  const Array far = size > 1e15, outer = where(near | far, 2, size);
  const Array s = 1 / (M_PI * square(outer)), u = square(s);
  const Phase phase = half_square(outer);
  const Array f = value(table::fresnel_f, u) / (M_PI * outer);
  const Array g = s * value(table::fresnel_g, u) / (M_PI * outer);
  const Array sine = where(near, inner * y * value(table::fresnel_s, w), 0.5 - f * phase.cosine - g * phase.sine);
  const Array cosine = where(near, inner * value(table::fresnel_c, w), 0.5 + f * phase.sine - g * phase.cosine);
  auto last = [&](const Array& v) { return where(isnan(x), no_number, signed_like(where(far, 0.5, v), x)); };
  return {last(sine), last(cosine)};
}

// The dilogarithm of z by u = -log(1 - z), |u| up to 0.7: u - u^2 / 4 + B_2 / 3! u^3 + B_4 / 5! u^5 + ...
Array dilogarithm_by_log(const Array& u) {
  static constexpr double c[] = {1. / 36,
                                 -1. / 3600,
                                 1. / 211680,
                                 -1. / 10886400,
                                 1. / 526901760,
                                 -691. / 16999766784000.,
                                 1. / 1120863744000.,
                                 -3617. / 181400588328960000.,
                                 4.518980029619918e-16};
  const Array square_of = square(u);
  return u * (1 - 0.25 * u + square_of * polynomial(square_of, c));
}
// The integral of log(t) / (1 - t) from 1 to x.
Array dilogarithm(const Array& x) {
  const Array turned = x > 2, v = where(turned, 1 / where(turned, x, 1), x);  // in [0, 2]
  const Array high = v > 1.5, low = v < 0.5, safe = where(x > 0, v, 1);
  const Array logarithm = log(safe), rest = log1p(where(low, -safe, 0));
  const Array y = dilogarithm_by_log(where(low, -rest, where(high, logarithm, -logarithm)));
  const Array inside = where(low, M_PI * M_PI / 6 - logarithm * rest - y, y);
  const Array outside = -0.5 * square(logarithm) - inside;
  return where((x < 0) | isnan(x), no_number, where(x == 0, M_PI * M_PI / 6, where(turned | high, outside, inside)));
}

}  // namespace

SineIntegrals sici(const In& x) {
  CallScope scope(x.loc);
  auto body = [](const Array& v) {
    auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& change) {
      const auto& [from] = at;
      const auto& [d] = change;
      return std::pair{sine_integrals(from), SineIntegrals{sinc(from / M_PI) * d, cos(from) / from * d}};
    };
    return custom_jvp([](const Array& a) { return sine_integrals(a); }, rule)(v);
  };
  const Array v = real_numbers("sici", x.array);
  if (v.dtype().size() >= 4) return composite("sici", body, v);
  const SineIntegrals wide = composite("sici", body, v.astype(float32));
  return {wide.si.astype(v.dtype()), wide.ci.astype(v.dtype())};
}

Fresnel fresnel(const In& x) {
  CallScope scope(x.loc);
  auto body = [](const Array& v) {
    auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& change) {
      const Phase phase = half_square(std::get<0>(at));
      const Array& d = std::get<0>(change);
      return std::pair{fresnel_integrals(std::get<0>(at)), Fresnel{phase.sine * d, phase.cosine * d}};
    };
    return custom_jvp([](const Array& a) { return fresnel_integrals(a); }, rule)(v);
  };
  const Array v = real_numbers("fresnel", x.array);
  if (v.dtype().size() >= 4) return composite("fresnel", body, v);
  const Fresnel wide = composite("fresnel", body, v.astype(float32));
  return {wide.s.astype(v.dtype()), wide.c.astype(v.dtype())};
}

Array spence(const In& x) {
  CallScope scope(x.loc);
  // d = log(x) / (1 - x), -1 at 1.
  return smooth(
      "spence", [](const Array& v) { return dilogarithm(v); },
      [](const Array& v, const Array&) {
        const Array one = v == 1;
        return where(one, -1, log(v) / where(one, 1, 1 - v));
      },
      x.array);
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
