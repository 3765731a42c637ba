// Relatives of the error function. Source: jax.scipy.special.
#include <cmath>

#include "special/approximation.hpp"
#include "special/tables.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {
namespace {

const double two_over_root_pi = 2 / std::sqrt(M_PI);

// exp(x^2) with the digits that x^2 loses: x is a number whose square is exact, and a rest.
Array exp_of_square(const Array& x) {
  const Array head = round(x * 16) / 16;
  return exp(head * head) * exp((x - head) * (x + head));
}

Array scaled_erfc(const Array& x) {
  const Array size = abs(x), t = 1 - 6 / (size + 3);
  const Array near = size < 0.5, close = value(table::erfcx_near, where(near, size, 0));
  const Array right = where(near, close, value(table::erfcx, t) / (1 + 2 * size));
  const Array below = where(x < 0, maximum(x, -30), 0);  // exp(30^2) is infinite
  return where(x < 0, 2 * exp_of_square(below) - right, right);
}

Array dawson(const Array& x) {
  const Array size = abs(x), near = size < 3.25, mid = size < 4.25, far = size >= 6.25;
  const Array close = square(where(near, size, 1)), s = 1 / where(near, 4, size);
  const Array inner = x * value(table::dawson_near, close);
  const Array t = square(s), at = where(far, t, t - where(mid, full_like(t, 0.075), full_like(t, 0.0405)));
  const Array factor =
      value({{far, &table::dawson_far}, {mid, &table::dawson_mid0}, {Array(), &table::dawson_mid1}}, at);
  const Array outer = 0.5 * s * factor;
  return where(near, inner, where(x < 0, -outer, outer));
}

Array faddeeva(const Array& z) {
  const Array re = lax::real(z), im = lax::imag(z);
  return lax::complex(lax::faddeeva_real(re, im), lax::faddeeva_imag(re, im));
}

}  // namespace

Array wofz(const In& z) {
  CallScope scope(z.loc);
  const Array v = floating(z.array);
  auto body = [](const Array& at) {
    auto rule = [](const std::tuple<Array>& x, const std::tuple<Array>& dx) {
      const Array &from = std::get<0>(x), w = faddeeva(from);
      const Array constant = lax::complex(zeros_like(lax::real(w)), full_like(lax::real(w), two_over_root_pi));
      return std::pair{w, (constant - 2 * from * w) * std::get<0>(dx)};
    };
    return custom_jvp([](const Array& x) { return faddeeva(x); }, rule)(at);
  };
  return composite("wofz", body, v.astype(complex_dtype(v.dtype().size() < 4 ? DType(float32) : v.dtype())));
}

Array erfcx(const In& x) {
  CallScope scope(x.loc);
  if (x.array.dtype().is_complex()) return wofz(lax::complex(-lax::imag(x.array), lax::real(x.array)));
  return smooth(
      "erfcx", [](const Array& v) { return scaled_erfc(v); },
      [](const Array& v, const Array& y) { return 2 * v * y - two_over_root_pi; }, x.array);
}

Array dawsn(const In& x) {
  CallScope scope(x.loc);
  return smooth(
      "dawsn", [](const Array& v) { return dawson(v); }, [](const Array& v, const Array& y) { return 1 - 2 * v * y; },
      x.array);
}

Array owens_t(const Operand& h, const Operand& a) {
  CallScope scope(h.loc);
  const std::vector<Array> v = real_numbers("owens_t", {h.array, a.array});
  return lax::owens_t(v[0], v[1]);
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
