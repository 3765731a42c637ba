// Relatives of the error function. Sources: jax.scipy.special; G. Weideman, Computation of the complex error function.
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
  const Array right = value(table::erfcx, t) / (1 + 2 * size);
  const Array below = where(x < 0, maximum(x, -30), 0);  // exp(30^2) is infinite
  return where(x < 0, 2 * exp_of_square(below) - right, right);
}

Array dawson(const Array& x) {
  const Array size = abs(x), near = size < 3.25, far = size >= 6.25;
  const Array close = square(where(near, size, 1)), s = 1 / where(near, 4, size);
  const Array inner = x * value(table::dawson_near, close);
  const Array t = square(s), at = where(far, t, t - 0.06);
  const Array outer = 0.5 * s * value({{far, &table::dawson_far}, {Array(), &table::dawson_mid}}, at);
  return where(near, inner, where(x < 0, -outer, outer));
}

struct Complex {
  Array re, im;
};
Complex operator*(const Complex& a, const Complex& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Complex quotient(const Complex& a, const Complex& b) {
  const Array size = square(b.re) + square(b.im);
  return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

// exp(-z^2) erfc(-iz), z in the upper half plane.
Complex faddeeva_above(const Complex& z) {
  const bool wide = z.re.dtype() == float64;
  const std::span<const double> c = wide ? std::span<const double>(table::faddeeva64) : table::faddeeva32;
  const double size = wide ? table::faddeeva64_size : table::faddeeva32_size;
  // Far away all that is left is i / (sqrt(pi) z), and squares would overflow.
  const Array far = maximum(abs(z.re), z.im) > 1e9;
  const Complex near{where(far, 0, z.re), where(far, 0, z.im)}, below{size + near.im, -near.re};
  const Complex turn = quotient({size - near.im, near.re}, below);
  Complex sum{full_like(z.re, c.back()), zeros_like(z.re)};
  for (std::size_t k = c.size() - 1; k-- > 0;) {
    sum = sum * turn;
    sum.re = sum.re + c[k];
  }
  const Complex inner = quotient(sum, below), outer{2 * inner.re + 1 / std::sqrt(M_PI), 2 * inner.im};
  const Complex w = quotient(outer, below);
  const Array most = where(far, maximum(abs(z.re), z.im), 1), a = z.re / most, b = z.im / most;
  const Array scale = 1 / std::sqrt(M_PI) / most / (square(a) + square(b));
  const Array infinite = isinf(z.re) | isinf(z.im);
  return {where(infinite, 0, where(far, b * scale, w.re)), where(infinite, 0, where(far, a * scale, w.im))};
}

Array faddeeva(const Array& z) {
  const Array re = lax::real(z), im = lax::imag(z), below = im < 0;
  const Complex up = faddeeva_above({where(below, -re, re), abs(im)});
  // Below the axis 2 exp(-z^2) - w(-z); on it the real part is exp(-x^2).
  const Array size = exp((im - re) * (im + re)), angle = -2 * re * im;
  // Next to the axis the real part is exp(-x^2) and what the slope 2 i / sqrt(pi) - 2 z w makes of im.
  const Array slope = 2 * (re * where(below, -up.im, up.im) - 1 / std::sqrt(M_PI));
  const Array axis = size + im * slope, close = abs(im) < 1e-30;
  const Array real = where(close, axis, where(below, 2 * size * cos(angle) - up.re, up.re));
  const Array sine = where(re == 0, 0, 2 * size * sin(angle));
  return lax::complex(real, where(below, sine - up.im, up.im));
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
