// Integrals of exp(-t) / t^n. Source: jax.scipy.special.
#include <cmath>
#include <numbers>

#include "special/approximation.hpp"
#include "special/tables.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/special.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {
namespace {

// E1(x): infinite at 0, NaN below.
Array integral_1(const Array& x) {
  const Array near = x <= 1, inner = where(near, x, 1), s = 1 / where(near, 1, x);
  const Array small = inner * value(table::e1_near, inner) - std::numbers::egamma - log(inner);
  const Array large = exp(-x) * s * value({{s > 0.25, &table::e1_mid}, {Array(), &table::e1_far}}, s);
  return where(near, small, large);
}

Array integral_i(const Array& x) {
  const Array near = x <= 6, inner = where(near & (x >= 0), x, 1), s = 1 / where(near, 6, x);
  const Array small = inner * value(table::ei_near, inner) + std::numbers::egamma + log(inner);
  // The pieces end at these x; each is a quotient around the middle of its s.
  constexpr double ends[] = {1. / 6, 1. / 11, 1. / 20, 1. / 45, 0};
  auto middle = [&](int k) { return full_like(s, (ends[k] + ends[k + 1]) / 2); };
  const Array first = s > ends[1], second = s > ends[2], third = s > ends[3];
  const Array around = s - where(first, middle(0), where(second, middle(1), where(third, middle(2), middle(3))));
  const Array far =
      value({{first, &table::ei_far0}, {second, &table::ei_far1}, {third, &table::ei_far2}, {Array(), &table::ei_far3}},
            around);
  // In two factors, so that the second may be taken before the first overflows.
  const Array half = exp(0.5 * where(near, 6, x)), large = where(isinf(x), inf, half * (s * far) * half);
  return where(x < 0, -integral_1(where(x < 0, -x, 1)), where(near, small, large));
}

// E_n(x) for 0 < x <= 1.6 and n = 1 ... 20, from E_1 upwards.
constexpr int most_upwards = 20;
Array by_recurrence(const Array& n, const Array& x) {
  const Array e = exp(-x);
  Array here = integral_1(x), found = here;
  for (int k = 1; k < most_upwards; ++k) {
    here = (e - x * here) * (1. / k);
    found = where(n == k + 1, here, found);
  }
  return found;
}
// For larger x or n: the even part of its continued fraction, from behind.
Array by_fraction(const Array& n, const Array& x, int terms) {
  Array below = x + n + 2. * terms;
  for (int k = terms; k > 0; --k) below = x + n + 2. * (k - 1) - k * (n + (k - 1.)) / below;
  return exp(-x) / below;
}

Array integral_n(const Array& n, const Array& x) {
  const bool wide = x.dtype() == float64;
  const Array near = (x <= 1.6) & (n <= most_upwards), whole = where(n < 1, 1, n);
  const Array inner = where(near & (x > 0), x, 1), outer = where(near | isinf(x), 3, x);
  const Array large = where(isinf(x), 0, by_fraction(whole, outer, wide ? 68 : 16));
  const Array at_zero = where(n < 2, inf, 1 / (whole - where(n < 2, 0, 1)));
  const Array positive = where(n == 0, exp(-x) / where(x == 0, inf, x), where(near, by_recurrence(n, inner), large));
  return where((n < 0) | (n != floor(n)) | (x < 0) | isnan(x) | isnan(n), no_number, where(x == 0, at_zero, positive));
}

}  // namespace

Array exp1(const In& x) {
  CallScope scope(x.loc);
  return smooth(
      "exp1", [](const Array& v) { return integral_1(v); }, [](const Array& v, const Array&) { return -exp(-v) / v; },
      x.array);
}

Array expi(const In& x) {
  CallScope scope(x.loc);
  return smooth(
      "expi", [](const Array& v) { return integral_i(v); }, [](const Array& v, const Array&) { return exp(v) / v; },
      x.array);
}

Array expn(const Operand& n, const Operand& x) {
  CallScope scope(n.loc);
  auto body = [](const Array& order, const Array& at) {
    using Both = std::tuple<Array, Array>;
    auto rule = [](const Both& args, const Both& change) {
      const auto& [k, v] = args;
      return std::pair{integral_n(k, v), -integral_n(k - 1, v) * std::get<1>(change)};
    };
    return custom_jvp([](const Array& k, const Array& v) { return integral_n(k, v); }, rule)(lax::stop_gradient(order),
                                                                                             at);
  };
  const std::vector<Array> v = real_numbers("expn", {n.array, x.array});
  const bool narrow = v[0].dtype().size() < 4;
  if (!narrow) return composite("expn", body, v[0], v[1]);
  return composite("expn", body, v[0].astype(float32), v[1].astype(float32)).astype(v[0].dtype());
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
