// The strict functions of the elementwise and reduction ops.
#include <algorithm>
#include <numeric>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/powers.hpp"
#include "ops/elementwise/special.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/reduction/argmax.hpp"
#include "ops/reduction/cumsum.hpp"
#include "ops/reduction/reduce.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/reductions.hpp"

namespace tutti::lax {
namespace {

Array unary(const Op& op, const In& x, Params params = {}) {
  CallScope scope(x.loc);
  return bind1(op, std::move(params), {x.array});
}
// Of the same rank, where extents of 1 stand for any: both in the common shape.
void stretch(Array& x, Array& y) {
  const Shape a = x.shape(), b = y.shape();
  if (a.empty() || a.ndim() != b.ndim() || a == b) return;
  Shape to = a;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d] && a[d] != 1 && b[d] != 1) return;
    if (a[d] == 1) to[d] = b[d];
  }
  Dims dims(to.size());
  std::iota(dims.begin(), dims.end(), 0);
  for (Array* v : {&x, &y})
    if (v->shape() != to) *v = broadcast_in_dim(*v, to, dims);
}
Array binary(const Op& op, const In& x, const In& y) {
  CallScope scope(x.loc);
  Array a = x.array, b = y.array;
  stretch(a, b);
  return bind1(op, {}, {std::move(a), std::move(b)});
}
Array reduce(const Op& op, const In& x, const Dims& axes) {
  CallScope scope(x.loc);
  std::vector<int> sorted(axes.begin(), axes.end());
  std::sort(sorted.begin(), sorted.end());
  return bind1(op, ops::Reduction{sorted}, {x.array});
}

bool plain_bits(DType d) { return !d.is_bool() && !d.is_complex() && !d.is_key(); }
DType unsigned_of(std::int64_t size) { return size == 1 ? uint8 : size == 2 ? uint16 : size == 4 ? uint32 : uint64; }

}  // namespace

Array convert_element_type(const In& x, DType dtype, bool weak) {
  if (x.array.dtype() == canonical(dtype) && x.array.weak_type() == weak) return x.array;
  if ((dtype == int4 || dtype == uint4) && x.array.dtype().is_inexact()) {  // the byte it is computed in holds more
    CallScope scope(x.loc);
    const Array part = x.array.dtype().is_complex() ? real(x) : x.array;
    auto bound = [&](int n) { return array_from_scalar(Scalar(n).to(part.dtype()), false); };
    const Array held = clamp(bound(dtype == int4 ? -8 : 0), part, bound(dtype == int4 ? 7 : 15));
    return unary(ops::convert_element_type, held, ops::ConvertElementType{dtype, weak});
  }
  return unary(ops::convert_element_type, x, ops::ConvertElementType{canonical(dtype), weak});
}
Array bitcast_convert_type(const In& x, DType dtype) {
  CallScope scope(x.loc);
  DType from = x.array.dtype();
  if (from == dtype) return x.array;
  if (from.size() == dtype.size() || !plain_bits(from) || !plain_bits(dtype))
    return unary(ops::bitcast_convert_type, x, ops::BitcastConvertType{dtype});
  // Elements of different sizes: the smaller ones lie along a last dim, the least significant first.
  DType wide = unsigned_of(std::max(from.size(), dtype.size())),
        narrow = unsigned_of(std::min(from.size(), dtype.size()));
  std::int64_t parts = wide.size() / narrow.size();
  Array bits = bitcast_convert_type(x, unsigned_of(from.size()));
  Shape shape = x.array.shape();
  bool widen = from.size() < dtype.size();
  if (!widen)
    shape.push_back(parts);
  else if (shape.empty() || shape.back() != parts)
    raise<ShapeError>("bitcast_convert_type",
                      "the last dim of " + x.array.type().str() + " has to be " + std::to_string(parts) + " to make " +
                          std::string(dtype.name()),
                      "reshape() it first.", x.loc);
  Dims leading(static_cast<std::size_t>(shape.ndim() - 1));
  std::iota(leading.begin(), leading.end(), 0);
  Array shifts = mul(iota(wide, shape, shape.ndim() - 1), array_from_scalar(Scalar(narrow.size() * 8).to(wide), true));
  if (widen)
    return bitcast_convert_type(reduce_sum(shift_left(convert_element_type(bits, wide), shifts), {shape.ndim() - 1}),
                                dtype);
  return bitcast_convert_type(
      convert_element_type(shift_right_logical(broadcast_in_dim(bits, shape, leading), shifts), narrow), dtype);
}
Array select(const In& predicate, const In& if_true, const In& if_false) {
  CallScope scope(predicate.loc);
  return bind1(ops::select, {}, {predicate.array, if_true.array, if_false.array});
}
Array add(const In& x, const In& y) { return binary(ops::add, x, y); }
Array sub(const In& x, const In& y) { return binary(ops::sub, x, y); }
Array mul(const In& x, const In& y) { return binary(ops::mul, x, y); }
Array div(const In& x, const In& y) { return binary(ops::div, x, y); }
Array rem(const In& x, const In& y) { return binary(ops::rem, x, y); }
Array max(const In& x, const In& y) { return binary(ops::max, x, y); }
Array min(const In& x, const In& y) { return binary(ops::min, x, y); }
Array pow(const In& x, const In& y) {
  CallScope scope(x.loc);
  if (x.array.dtype().is_inexact() && y.array.dtype().is_integer())
    return binary(ops::pow, x, convert_element_type(y, x.array.dtype()));
  return binary(ops::pow, x, y);
}
Array atan2(const In& x, const In& y) { return binary(ops::atan2, x, y); }
Array neg(const In& x) { return unary(ops::neg, x); }
Array conj(const In& x) {
  CallScope scope(x.loc);
  const DType d = x.array.dtype();
  return d == float32 || d == float64 ? convert_element_type(x, complex_dtype(d)) : unary(ops::conj, x);
}
Array integer_pow(const In& x, Dim exponent) {
  return exponent == 1 ? x.array : unary(ops::integer_pow, x, ops::IntegerPow{exponent.value});
}
Array rsqrt(const In& x) { return unary(ops::rsqrt, x); }
Array erf(const In& x) { return unary(ops::erf, x); }
Array erfc(const In& x) { return unary(ops::erfc, x); }
Array erf_inv(const In& x) { return unary(ops::erf_inv, x); }
Array lgamma(const In& x) { return unary(ops::lgamma, x); }
Array digamma(const In& x) { return unary(ops::digamma, x); }
Array population_count(const In& x) { return unary(ops::population_count, x); }
Array clz(const In& x) { return unary(ops::clz, x); }
Array logistic(const In& x) { return unary(ops::logistic, x); }
Array fma(const In& a, const In& b, const In& c) {
  CallScope scope(a.loc);
  return bind1(ops::fma, {}, {a.array, b.array, c.array});
}
Array eq(const In& x, const In& y) { return binary(ops::eq, x, y); }
Array ne(const In& x, const In& y) { return binary(ops::ne, x, y); }
Array lt(const In& x, const In& y) { return binary(ops::lt, x, y); }
Array le(const In& x, const In& y) { return binary(ops::le, x, y); }
Array gt(const In& x, const In& y) { return binary(ops::gt, x, y); }
Array ge(const In& x, const In& y) { return binary(ops::ge, x, y); }
Array bitwise_and(const In& x, const In& y) { return binary(ops::bitwise_and, x, y); }
Array bitwise_or(const In& x, const In& y) { return binary(ops::bitwise_or, x, y); }
Array bitwise_xor(const In& x, const In& y) { return binary(ops::bitwise_xor, x, y); }
Array bitwise_not(const In& x) { return unary(ops::bitwise_not, x); }
Array shift_left(const In& x, const In& y) { return binary(ops::shift_left, x, y); }
Array shift_right_logical(const In& x, const In& y) { return binary(ops::shift_right_logical, x, y); }
Array shift_right_arithmetic(const In& x, const In& y) { return binary(ops::shift_right_arithmetic, x, y); }

Array reduce_sum(const In& x, const Dims& axes) {
  if (!x.array.has_value() || !x.array.dtype().is_complex()) return reduce(ops::reduce_sum, x, axes);
  CallScope scope(x.loc);  // part by part, in loops of the engine
  return complex(reduce_sum(real(x), axes), reduce_sum(imag(x), axes));
}
Array reduce_max(const In& x, const Dims& axes) { return reduce(ops::reduce_max, x, axes); }
Array reduce_min(const In& x, const Dims& axes) { return reduce(ops::reduce_min, x, axes); }
Array reduce_prod(const In& x, const Dims& axes) { return reduce(ops::reduce_prod, x, axes); }
Array reduce_any(const In& x, const Dims& axes) { return reduce(ops::reduce_any, x, axes); }
Array reduce_all(const In& x, const Dims& axes) { return reduce(ops::reduce_all, x, axes); }
Array argmax(const In& x, int axis, DType index) { return unary(ops::argmax, x, ops::ArgReduction{axis, index}); }
Array argmin(const In& x, int axis, DType index) { return unary(ops::argmin, x, ops::ArgReduction{axis, index}); }
Array cumsum(const In& x, int axis, bool reverse) { return unary(ops::cumsum, x, ops::Cumulative{axis, reverse}); }
Array stop_gradient(const In& x) { return unary(ops::stop_gradient, x); }

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
