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
// Powers of 2 by which a number is brought to 1/2 to 1: as many halvings or doublings as there are bits in the
// exponent.
std::pair<Array, Array> split_exponent(const Array& x) {
  const bool wide = x.dtype() == float64;
  Array size = abs(x), exponent = zeros(x.shape(), int32);
  for (int step = wide ? 1024 : 128; step > 0; step /= 2) {
    const int half = step / 2 ? step / 2 : 1;  // 2^step itself may be infinite
    const double up = std::ldexp(1.0, half);
    for (int twice = 0; twice < (step / 2 ? 2 : 1); ++twice) {
      const Array large = size >= up, small = size * up < 1;
      exponent = where(large, exponent + half, where(small, exponent - half, exponent));
      size = where(large, size / up, where(small, size * up, size));
    }
  }
  const Array one = size >= 1;  // 1 to 2 becomes 1/2 to 1
  size = where(one, size / 2, size);
  return {size, where(one, exponent + 1, exponent)};
}
}  // namespace
std::pair<Array, Array> frexp(const In& x) {
  CallScope scope(x.loc);
  const Array v = x.array.dtype() == float64 ? x.array : lax::convert_element_type(x.array, float32);
  return composite(
      "frexp",
      [](const Array& in) {
        const Array plain = isfinite(in) & (in != 0);
        const auto [size, exponent] = split_exponent(where(plain, in, 1));
        return std::pair{where(plain, copysign(size, in), in), where(plain, exponent, 0)};
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
  const Array exponent = own + e.array, positive = exponent > 0;
  // One step earlier where it is positive: the last power of 2 would be infinite.
  const Array scaled = where(positive, fraction * 2, fraction).astype(x.dtype()) *
                       exp2(where(positive, exponent - 1, exponent).astype(x.dtype()));
  return where(isinf(x) | (x == 0), x, scaled);
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
