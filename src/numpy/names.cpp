#include "tutti/numpy/names.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "array/node.hpp"
#include "numpy/promotion.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

namespace {
void refuse_complex(const char* function, const Array& x) {
  if (x.dtype().is_complex())
    raise<ValueError>(function, "the array is " + type_text(x),
                      "Ask real(x) and imag(x): complex numbers have no order.");
}
}  // namespace

Array array_equiv(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  const Shape &a = x.array.shape(), &b = y.array.shape();
  for (int d = 1; d <= std::min(a.ndim(), b.ndim()); ++d) {
    const std::int64_t m = a[a.ndim() - d], n = b[b.ndim() - d];
    if (m != n && m != 1 && n != 1) return Array(false);
  }
  return tutti::all(x.array == y.array);
}
Array iscomplex(const In& x) {
  CallScope scope(x.loc);
  return imag(x.array) != 0;
}
Array isreal(const In& x) {
  CallScope scope(x.loc);
  return imag(x.array) == 0;
}
bool isrealobj(const Array& x) { return !x.dtype().is_complex(); }
Array isneginf(const In& x) {
  CallScope scope(x.loc);
  refuse_complex("isneginf", x.array);
  return x.array.dtype().is_floating() ? x.array == -std::numeric_limits<float>::infinity()
                                       : zeros_like(x.array, bool_);
}
Array isposinf(const In& x) {
  CallScope scope(x.loc);
  refuse_complex("isposinf", x.array);
  return x.array.dtype().is_floating() ? x.array == std::numeric_limits<float>::infinity() : zeros_like(x.array, bool_);
}

std::pair<Array, Array> modf(const In& x) {
  CallScope scope(x.loc);
  const Array v = ops::converted(x.array, ops::promote_inexact({x.array}));
  const Array whole = trunc(v), rest = where(isinf(v), 0, v - whole);
  return {copysign(rest, v), whole};
}

namespace {
struct FloatBits {
  DType integer;
  int fraction, bias;
};
FloatBits bits_of(const Array& x) {
  return x.dtype() == float64 ? FloatBits{int64, 52, 1023} : FloatBits{int32, 23, 127};
}
// 2^n as a number of the dtype of `like`, for integers n of its size from 1 - bias to bias.
Array power_of_two(const Array& n, const Array& like) {
  const FloatBits f = bits_of(like);
  return lax::bitcast_convert_type(lax::shift_left(n + f.bias, full_like(n, f.fraction)), like.dtype());
}
// x = fraction 2^exponent, fraction from 1/2 to 1, of finite x that is not 0. A product with powers of 2, so that it
// has a derivative.
std::pair<Array, Array> split_exponent(const Array& x) {
  const FloatBits f = bits_of(x);
  const Array subnormal = abs(x) < std::ldexp(1.0, 1 - f.bias);
  const Array normal = x * where(subnormal, std::ldexp(1.0, f.fraction + 1), 1.).astype(x.dtype());
  const Array bits = lax::bitcast_convert_type(lax::stop_gradient(abs(normal)), f.integer);
  const Array raw = lax::shift_right_logical(bits, full_like(bits, f.fraction));
  const Array exponent = raw.astype(int32) - (f.bias - 1) - where(subnormal, f.fraction + 1, 0);
  return {normal * power_of_two(f.bias + 1 - raw, x) * 0.25, exponent};
}
}  // namespace
std::pair<Array, Array> frexp(const In& x) {
  CallScope scope(x.loc);
  const Array v = x.array.dtype() == float64 ? x.array : lax::convert_element_type(x.array, float32);
  return composite(
      "frexp",
      [](const Array& in) {
        const Array plain = isfinite(in) & (in != 0);
        const auto [fraction, exponent] = split_exponent(where(plain, in, 1));
        return std::pair{where(plain, fraction, in), where(plain, exponent, 0)};
      },
      v);
}
Array ldexp(const Operand& m, const Operand& e) {
  CallScope scope(m.loc);
  if (m.array.dtype().is_complex() || e.array.dtype().is_inexact())
    raise<ValueError>("ldexp", "operands are " + m.array.type().str() + " and " + e.array.type().str(),
                      "The exponent is an integer, the number not complex.");
  const Array x = ops::converted(m.array, ops::promote_inexact({m.array}));
  auto [fraction, own] = frexp(x);
  // In two products, of which the second rounds, with powers of 2 that a float has.
  const int most = x.dtype() == float64 ? 1500 : 200;
  const Array exponent = clip(own + e.array, -most, most).astype(bits_of(fraction).integer);
  const Array half = lax::shift_right_arithmetic(exponent, ones_like(exponent));
  const Array scaled = fraction * power_of_two(half, fraction) * power_of_two(exponent - half, fraction);
  return where(isinf(x) | (x == 0), x, scaled.astype(x.dtype()));
}
Array spacing(const In& x) {
  CallScope scope(x.loc);
  refuse_complex("spacing", x.array);
  const Array v = ops::converted(x.array, ops::promote_inexact({x.array})), size = abs(v);
  const Array next = nextafter(size, std::numeric_limits<float>::infinity());
  return copysign(next - size, v);
}
Array matvec(const In& x, const In& v) {
  CallScope scope(x.loc);
  return squeeze(matmul(x.array, expand_dims(v.array, -1)), -1);
}
Array vecmat(const In& v, const In& x) {
  CallScope scope(v.loc);
  return squeeze(matmul(conj(expand_dims(v.array, -2)), x.array), -2);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
