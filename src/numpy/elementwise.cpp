// The elementwise functions of ops.hpp: promotion and broadcasting around the strict ops.
#include <limits>

#include "array/node.hpp"
#include "numpy/promotion.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/powers.hpp"
#include "ops/elementwise/rounding.hpp"
#include "ops/elementwise/rule_math.hpp"
#include "ops/elementwise/special.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/limits.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {
namespace {

using ops::given;
using ops::number_like;
using ops::Promotion;

using Choice = Promotion (*)(const std::vector<Array>&);

// Operands brought to one dtype and shape.
std::vector<Array> together(const char* what, std::vector<Array> xs, Choice choose) {
  for (const Array& x : xs) given(x, what);
  ops::bring_together(what, xs, choose(xs));
  return xs;
}
// The functions that these stand for name themselves: `callee` is where they call.
Array binary(const Op& op, const Operand& x, const Operand& y, Choice choose = ops::promote,
             Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  std::vector<Array> xs;  // a list in braces would be copied once more
  xs.reserve(2);
  xs.push_back(x.array);
  xs.push_back(y.array);
  return bind1(op, {}, together(op.name.c_str(), std::move(xs), choose));
}
// Complex numbers are ordered by real part, then imaginary part.
Array compared(const Op& op, std::vector<Array> xs) {
  if (!xs[0].dtype().is_complex()) return bind1(op, {}, std::move(xs));
  const Array x = lax::real(xs[0]), y = lax::real(xs[1]);
  return lax::select(lax::eq(x, y), bind1(op, {}, {lax::imag(xs[0]), lax::imag(xs[1])}), bind1(op, {}, {x, y}));
}
Array comparison(const Op& op, const Operand& x, const Operand& y, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  return compared(op, together(op.name.c_str(), {x.array, y.array}, ops::promote));
}
// Arithmetic on bools counts.
Promotion at_least_int(Promotion p) { return p.dtype.is_bool() ? Promotion{int32, p.weak} : p; }
Promotion promote_counting(const std::vector<Array>& xs) { return at_least_int(ops::promote(xs)); }

Array inexact_unary(const Op& op, const In& x, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  return bind1(op, {}, {ops::converted(given(x.array, op.name.c_str()), ops::promote_inexact({x.array}))});
}
Array plain_unary(const Op& op, const In& x, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  return bind1(op, {}, {given(x.array, op.name.c_str())});
}
// floor and the like leave integers as they are.
Array rounding(const Op& op, const In& x, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  return given(x.array, op.name.c_str()).dtype().is_inexact() ? plain_unary(op, x) : x.array;
}
Array truth(const Array& x) { return x.dtype().is_bool() ? x : lax::ne(x, number_like(x, 0)); }
Array logical(const Op& op, const Operand& x, const Operand& y, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  std::vector<Array> xs = {truth(given(x.array, op.name.c_str())), truth(given(y.array, op.name.c_str()))};
  ops::bring_together(op.name.c_str(), xs, {bool_, false});
  return bind1(op, {}, std::move(xs));
}
Array scaled(const In& x, double factor, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  Array f = ops::converted(x.array, ops::promote_inexact({x.array}));
  return lax::mul(f, number_like(f, factor));
}
Array constant(const Array& like, double c) { return ops::full_like({like}, c).a; }
Array never(const Array& like) { return lax::broadcast_in_dim(Array(false), like.shape(), {}); }

}  // namespace

// --- arithmetic
Array operator+(const Operand& x, const Operand& y) { return add(x, y); }
Array operator-(const Operand& x, const Operand& y) { return subtract(x, y); }
Array operator*(const Operand& x, const Operand& y) { return multiply(x, y); }
Array operator/(const Operand& x, const Operand& y) { return divide(x, y); }
Array operator%(const Operand& x, const Operand& y) { return remainder(x, y); }
Array add(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return binary(ops::add, x, y);
}
Array subtract(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return binary(ops::sub, x, y);
}
Array multiply(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return binary(ops::mul, x, y);
}
Array divide(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return binary(ops::div, x, y, ops::promote_inexact);
}
Array true_divide(const Operand& x, const Operand& y) { return divide(x, y); }

namespace {

// Where the signs of a remainder and its divisor differ, Python's results are one step from C's.
Array off_by_one(const Array& remainder, const Array& divisor) {
  Array nonzero = lax::ne(remainder, number_like(remainder, 0));
  if (remainder.dtype().is_unsigned()) return never(remainder);
  return lax::bitwise_and(
      nonzero, lax::ne(lax::lt(remainder, number_like(remainder, 0)), lax::lt(divisor, number_like(divisor, 0))));
}
std::pair<Array, Array> float_divmod(const Array& x, const Array& y) {
  Array m = lax::rem(x, y);
  Array q = lax::div(lax::sub(x, m), y);
  Array off = off_by_one(m, y);
  m = lax::select(off, lax::add(m, y), m);
  q = bind1(ops::round, {}, {lax::select(off, lax::sub(q, number_like(q, 1)), q)});
  // By 0: what true division gives, an infinity or NaN.
  return {where(lax::eq(y, number_like(y, 0)), lax::stop_gradient(lax::div(x, y)), q), m};
}

}  // namespace

Array floor_divide(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("floor_divide", {x.array, y.array}, promote_counting);
  DType dtype = xs[0].dtype();
  if (dtype.is_floating()) return float_divmod(xs[0], xs[1]).first;
  Array q = lax::div(xs[0], xs[1]);
  if (dtype.is_unsigned()) return q;
  Array differ = lax::ne(bind1(ops::sign, {}, {xs[0]}), bind1(ops::sign, {}, {xs[1]}));
  Array rest = lax::ne(lax::rem(xs[0], xs[1]), number_like(q, 0));
  return lax::select(lax::bitwise_and(differ, rest), lax::sub(q, number_like(q, 1)), q);
}
Array remainder(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("remainder", {x.array, y.array}, promote_counting);
  Array divisor = xs[1];
  // x % 0 is 0 for integers, as in NumPy.
  if (divisor.dtype().is_integer())
    divisor = lax::select(lax::eq(divisor, number_like(divisor, 0)), constant(divisor, 1), divisor);
  Array m = lax::rem(xs[0], divisor);
  if (m.dtype().is_unsigned()) return m;
  return lax::select(off_by_one(m, divisor), lax::add(m, divisor), m);
}
Array mod(const Operand& x, const Operand& y) { return remainder(x, y); }
std::pair<Array, Array> divmod(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return {floor_divide(x, y), remainder(x, y)};
}
Array fmod(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("fmod", {x.array, y.array}, promote_counting);
  if (xs[1].dtype().is_integer()) xs[1] = lax::select(lax::eq(xs[1], number_like(xs[1], 0)), constant(xs[1], 1), xs[1]);
  return lax::rem(xs[0], xs[1]);
}

Array power(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  const auto& literal = given(y.array, "power").node()->literal;
  bool static_integer = literal && y.array.weak_type() && literal->dtype.is_integer();
  Promotion own = at_least_int(ops::promote({given(x.array, "power")}));
  if (static_integer) {
    std::int64_t n = literal->integer;
    if (n < 0 && !own.dtype.is_inexact())
      raise<ValueError>("power",
                        "integers to a negative power: " + x.array.type().str() + " to the power " + std::to_string(n),
                        "Convert to a floating type first.");
    return lax::integer_pow(ops::converted(x.array, own), n);
  }
  if (own.dtype.is_floating() && y.array.dtype().is_integer() && !y.array.weak_type()) {
    // An integer exponent does not lift a number: 2.5 ** int32 array is a strong float32.
    std::vector<Array> xs = {x.array, ops::converted(y.array, {own.dtype, false})};
    ops::bring_together("power", xs, {own.dtype, false});
    return lax::pow(xs[0], xs[1]);
  }
  Promotion common = promote_counting({x.array, y.array});
  if (common.dtype.is_integer())
    common.weak = x.array.weak_type() && y.array.weak_type();  // 2 ** array of bools is strong
  std::vector<Array> xs = {x.array, y.array};
  for (Array& a : xs) a = a.dtype().is_bool() ? lax::convert_element_type(a, common.dtype, common.weak) : a;
  ops::bring_together("power", xs, common);
  return lax::pow(xs[0], xs[1]);
}
Array pow(const Operand& x, const Operand& y) { return power(x, y); }
Array float_power(const Operand& x, const Operand& y) { return binary(ops::pow, x, y, ops::promote_inexact); }

Array conj(const In& x) {
  CallScope scope(x.loc);
  return given(x.array, "conj").dtype().is_complex() ? lax::conj(x.array) : x.array;
}
Array conjugate(const In& x) {
  CallScope scope(x.loc);
  return conj(x.array);
}

Array maximum(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return binary(ops::max, x, y);
}
Array minimum(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  return binary(ops::min, x, y);
}
namespace {
Array number_wins(const Op& compare, const char* what, const Operand& x, const Operand& y,
                  Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  auto xs = together(what, {x.array, y.array}, ops::promote);
  Array first = compared(compare, {xs[0], xs[1]});
  if (xs[0].dtype().is_inexact()) first = lax::bitwise_or(first, lax::ne(xs[1], xs[1]));
  return where(first, xs[0], xs[1]);
}
}  // namespace
Array fmax(const Operand& x, const Operand& y) { return number_wins(ops::gt, "fmax", x, y); }
Array fmin(const Operand& x, const Operand& y) { return number_wins(ops::lt, "fmin", x, y); }

namespace {
void refuse_complex_bounds(std::initializer_list<const Array*> xs) {
  for (const Array* x : xs)
    if (given(*x, "clip").dtype().is_complex())
      raise<ValueError>("clip", "an operand is " + type_text(*x) + ", and complex numbers have no bounds",
                        "Clip real(x) and imag(x), or abs(x).");
}
}  // namespace
Array clip(const Operand& x, const Operand& lo, const Operand& hi) {
  CallScope scope(x.loc);
  refuse_complex_bounds({&x.array, &lo.array, &hi.array});
  return minimum(maximum(x, lo), hi);
}
Array clip(const Operand& x, none_t, const Operand& hi) {
  CallScope scope(x.loc);
  refuse_complex_bounds({&x.array, &hi.array});
  return minimum(x, hi);
}
Array clip(const Operand& x, const Operand& lo, none_t) {
  CallScope scope(x.loc);
  refuse_complex_bounds({&x.array, &lo.array});
  return maximum(x, lo);
}

Array operator-(const In& x) { return negative(x); }
Array operator+(const In& x) { return x.array; }
Array negative(const In& x) { return plain_unary(ops::neg, x); }
Array positive(const In& x) { return x.array; }
Array abs(const In& x) { return given(x.array, "abs").dtype().is_bool() ? x.array : plain_unary(ops::abs, x); }
Array absolute(const In& x) { return abs(x); }
Array fabs(const In& x) { return inexact_unary(ops::abs, x); }
Array sign(const In& x) { return plain_unary(ops::sign, x); }
Array square(const In& x) {
  CallScope scope(x.loc);
  return lax::integer_pow(ops::converted(given(x.array, "square"), promote_counting({x.array})), 2);
}
Array reciprocal(const In& x) {
  CallScope scope(x.loc);
  Array f = ops::converted(given(x.array, "reciprocal"), ops::promote_inexact({x.array}));
  return lax::integer_pow(f, -1);
}
Array where(const Operand& condition, const Operand& if_true, const Operand& if_false) {
  CallScope scope(condition.loc);
  Array p = truth(given(condition.array, "where"));
  std::vector<Array> xs = {given(if_true.array, "where"), given(if_false.array, "where")};
  Shape shape = ops::common_shape("where", std::vector{p, xs[0], xs[1]});
  Promotion common =
      xs[0].dtype().is_key() && xs[1].dtype().is_key() ? Promotion{xs[0].dtype(), false} : ops::promote(xs);
  for (Array& x : xs) x = ops::spread(ops::converted(x, common), shape);
  return lax::select(ops::spread(p, shape), xs[0], xs[1]);
}

// --- powers, exponentials, logarithms
Array sqrt(const In& x) { return inexact_unary(ops::sqrt, x); }
Array cbrt(const In& x) { return inexact_unary(ops::cbrt, x); }
Array exp(const In& x) { return inexact_unary(ops::exp, x); }
Array exp2(const In& x) { return inexact_unary(ops::exp2, x); }
Array expm1(const In& x) { return inexact_unary(ops::expm1, x); }
Array log(const In& x) { return inexact_unary(ops::log, x); }
Array log1p(const In& x) { return inexact_unary(ops::log1p, x); }
namespace {
Array log_base(const In& x, double log_of_base, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  Array y = log(x);
  auto divided = [&](const Array& part) { return lax::div(part, number_like(part, log_of_base)); };
  return y.dtype().is_complex() ? lax::complex(divided(lax::real(y)), divided(lax::imag(y))) : divided(y);
}
}  // namespace
Array log2(const In& x) { return log_base(x, 0.693147180559945309); }
Array log10(const In& x) { return log_base(x, 2.30258509299404568); }
namespace {
// Around the number of the larger real part; the angle of the sum is that between -pi and pi.
Array complex_logaddexp(const Array& x, const Array& y) {
  const Array large = lax::max(x, y);
  const Array sum = large + log1p(exp(x + y - large - large)), turns = lax::imag(sum) + M_PI;
  return lax::complex(lax::real(sum), remainder(turns, 2 * M_PI) - M_PI);
}
Array added_exponentials(const Array& x, const Array& y) {
  return x.dtype().is_complex() ? complex_logaddexp(x, y) : bind1(ops::logaddexp, {}, {x, y});
}
}  // namespace
Array logaddexp(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("logaddexp", {x.array, y.array}, ops::promote_inexact);
  return added_exponentials(xs[0], xs[1]);
}
Array logaddexp2(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("logaddexp2", {x.array, y.array}, ops::promote_inexact);
  Array ln2 = number_like(xs[0], 0.693147180559945309);
  const Promotion p = ops::promote_inexact({x.array, y.array});
  const Array sum = lax::div(added_exponentials(lax::mul(xs[0], ln2), lax::mul(xs[1], ln2)), ln2);
  return lax::convert_element_type(sum, p.dtype);
}
Array hypot(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("hypot", {x.array, y.array}, ops::promote_inexact);
  Array a = abs(xs[0]), b = abs(xs[1]);
  Array large = lax::max(a, b), small = lax::min(a, b);
  Array zero = lax::eq(large, number_like(large, 0)),
        infinite = lax::eq(large, number_like(large, std::numeric_limits<double>::infinity()));
  // Divided by the larger one; by 1 where that is 0 or infinite.
  Array divisor = lax::select(lax::bitwise_or(zero, infinite), constant(large, 1), large);
  Array ratio = lax::div(small, divisor);
  Array root = sqrt(lax::add(lax::integer_pow(ratio, 2), number_like(ratio, 1)));
  Array length = lax::select(lax::bitwise_or(zero, infinite), large, lax::mul(large, root));
  // An infinite side makes it infinite, whatever the other is.
  return where(lax::bitwise_or(isinf(xs[0]), isinf(xs[1])),
               number_like(length, std::numeric_limits<double>::infinity()), length);
}
namespace {
// Complex ones: the logarithm of 0 is left out where x is 0.
Array x_log(const char* what, const Op& real, const Op& logarithm, double zero_at, const Operand& x, const Operand& y,
            Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  auto xs = together(what, {x.array, y.array}, ops::promote_inexact);
  if (!xs[0].dtype().is_complex()) return bind1(real, {}, std::move(xs));
  const Shape shape = ops::common_shape(what, xs);
  for (Array& a : xs)
    if (a.shape() != shape) a = lax::broadcast_in_dim(a, shape, {});
  const Array none =
      lax::bitwise_and(lax::eq(xs[0], number_like(xs[0], 0)), lax::eq(xs[1], number_like(xs[1], zero_at)));
  return lax::mul(xs[0], bind1(logarithm, {}, {lax::select(none, constant(xs[1], zero_at + 1), xs[1])}));
}
}  // namespace
Array xlogy(const Operand& x, const Operand& y) { return x_log("xlogy", ops::xlogy, ops::log, 0, x, y); }
Array xlog1py(const Operand& x, const Operand& y) { return x_log("xlog1py", ops::xlog1py, ops::log1p, -1, x, y); }

// --- trigonometry
Array sin(const In& x) { return inexact_unary(ops::sin, x); }
Array cos(const In& x) { return inexact_unary(ops::cos, x); }
Array tan(const In& x) { return inexact_unary(ops::tan, x); }
Array asin(const In& x) { return inexact_unary(ops::asin, x); }
Array acos(const In& x) { return inexact_unary(ops::acos, x); }
Array atan(const In& x) { return inexact_unary(ops::atan, x); }
Array arcsin(const In& x) { return asin(x); }
Array arccos(const In& x) { return acos(x); }
Array arctan(const In& x) { return atan(x); }
Array atan2(const Operand& y, const Operand& x) {
  CallScope scope(y.loc);
  auto xs = together("atan2", {y.array, x.array}, ops::promote_inexact);
  if (!xs[0].dtype().is_complex()) return bind1(ops::atan2, {}, std::move(xs));
  const Array i = lax::convert_element_type(Array(std::complex<float>(0, 1)), xs[0].dtype());
  return -i * log((xs[1] + i * xs[0]) / sqrt(square(xs[1]) + square(xs[0])));
}
Array arctan2(const Operand& y, const Operand& x) { return atan2(y, x); }
Array sinh(const In& x) { return inexact_unary(ops::sinh, x); }
Array cosh(const In& x) { return inexact_unary(ops::cosh, x); }
Array tanh(const In& x) { return inexact_unary(ops::tanh, x); }
Array asinh(const In& x) { return inexact_unary(ops::asinh, x); }
Array acosh(const In& x) { return inexact_unary(ops::acosh, x); }
Array atanh(const In& x) { return inexact_unary(ops::atanh, x); }
Array arcsinh(const In& x) { return asinh(x); }
Array arccosh(const In& x) { return acosh(x); }
Array arctanh(const In& x) { return atanh(x); }
Array sinc(const In& x) {
  CallScope scope(x.loc);
  Array f = ops::converted(given(x.array, "sinc"), ops::promote_inexact({x.array}));
  Array angle = lax::mul(f, number_like(f, 3.14159265358979323846));
  // Near 0 the Taylor polynomial: sin(a) / a has no usable derivative there.
  Array size = abs(angle), small = lax::lt(size, number_like(size, 0.1));
  Array safe = lax::select(small, constant(angle, 1), angle);
  Array square = lax::integer_pow(lax::select(small, angle, constant(angle, 0)), 2);
  Array series = number_like(square, -1. / 5040) * square + number_like(square, 1. / 120);
  series = (series * square - number_like(square, 1. / 6)) * square + number_like(square, 1);
  return lax::select(small, series, lax::div(sin(safe), safe));
}
Array deg2rad(const In& x) { return scaled(x, 3.14159265358979323846 / 180); }
Array rad2deg(const In& x) { return scaled(x, 180 / 3.14159265358979323846); }

// --- rounding and float classes
Array floor(const In& x) { return rounding(ops::floor, x); }
Array ceil(const In& x) { return rounding(ops::ceil, x); }
Array trunc(const In& x) { return rounding(ops::trunc, x); }
Array rint(const In& x) {
  CallScope scope(x.loc);
  return given(x.array, "rint").dtype().is_complex() ? round(x) : inexact_unary(ops::round, x);
}
namespace {
// To multiples of 10^places, halves to even ones. What is then beyond the dtype wraps, as in NumPy; where 10^places
// itself is, 0 is the only multiple.
Array round_integers(const Array& x, int places) {
  double unit = 1;
  for (int i = 0; i < places && unit < 1e20; ++i) unit *= 10;
  if (unit > static_cast<double>(iinfo(x.dtype()).max)) return zeros_like(x);
  const Array by = number_like(x, unit), whole = floor_divide(x, by), rest = lax::sub(x, lax::mul(whole, by));
  const Array missing = lax::sub(by, rest), odd = lax::ne(remainder(whole, number_like(x, 2)), number_like(x, 0));
  const Array up = (rest > missing) | ((rest == missing) & odd);
  return lax::mul(lax::select(up, lax::add(whole, number_like(x, 1)), whole), by);
}
}  // namespace
Array round(const In& x, int decimals) {
  CallScope scope(x.loc);
  if (!given(x.array, "round").dtype().is_inexact()) {
    if (decimals >= 0) return x.array;
    if (x.array.dtype().is_integer()) return round_integers(x.array, extent::mul(decimals, -1));
    raise<TypeError>("round", x.array.type().str() + " to " + std::to_string(decimals) + " places",
                     "Convert to a number first: astype(int32).");
  }
  if (x.array.dtype().is_complex())
    return lax::complex(round(lax::real(x.array), decimals), round(lax::imag(x.array), decimals));
  if (decimals == 0) return bind1(ops::round, {}, {x.array});
  Array factor = number_like(x.array, std::pow(10., decimals));
  return lax::div(bind1(ops::round, {}, {lax::mul(x.array, factor)}), factor);
}
Array isnan(const In& x) {
  CallScope scope(x.loc);
  return given(x.array, "isnan").dtype().is_inexact() ? lax::ne(x.array, x.array) : never(x.array);
}
Array isinf(const In& x) {
  CallScope scope(x.loc);
  if (!given(x.array, "isinf").dtype().is_inexact()) return never(x.array);
  if (x.array.dtype().is_complex()) return lax::bitwise_or(isinf(lax::real(x.array)), isinf(lax::imag(x.array)));
  Array a = abs(x);
  return lax::eq(a, number_like(a, std::numeric_limits<double>::infinity()));
}
Array isfinite(const In& x) {
  CallScope scope(x.loc);
  const DType dtype = given(x.array, "isfinite").dtype();
  if (dtype.is_complex()) return lax::bitwise_and(isfinite(lax::real(x.array)), isfinite(lax::imag(x.array)));
  return dtype.is_inexact() ? bind1(ops::is_finite, {}, {x.array}) : lax::bitwise_not(never(x.array));
}
Array signbit(const In& x) {
  CallScope scope(x.loc);
  DType d = given(x.array, "signbit").dtype();
  if (d.is_complex())
    raise<ValueError>("signbit", "the array is " + type_text(x.array), "Ask real(x) and imag(x): each has a sign.");
  if (d.is_bool()) return never(x.array);
  Array bits = d.is_floating() ? lax::bitcast_convert_type(x.array, d.size() == 2   ? int16
                                                                    : d.size() == 4 ? int32
                                                                                    : int64)
                               : x.array;
  return lax::lt(bits, number_like(bits, 0));
}
Array copysign(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("copysign", {x.array, y.array}, ops::promote_inexact);
  if (xs[0].dtype().is_complex())
    raise<TypeError>("copysign", "operands are " + type_text(x.array) + " and " + type_text(y.array),
                     "Complex numbers have no sign: use real() and imag().");
  Array magnitude = abs(xs[0]);
  return lax::select(signbit(xs[1]), lax::neg(magnitude), magnitude);
}
namespace {

// Neighbours of 16-bit floats: one step of their bits, away from 0 or towards it.
Array next_in_bits(const Array& x, const Array& y) {
  auto bits = [](const Array& v) { return lax::bitcast_convert_type(v, int16); };
  const Array zero = lax::eq(x, number_like(x, 0));
  const Array from_zero = bitwise_or(bitwise_and(bits(y), -0x8000), 1);
  const Array towards_zero =
      logical_or(lax::gt(abs(x), abs(y)), lax::lt(lax::mul(sign(x), sign(y)), number_like(x, 0)));
  const Array stepped = where(zero, from_zero, bits(x) + where(towards_zero, -1, 1));
  const Array next = lax::bitcast_convert_type(lax::convert_element_type(stepped, int16), x.dtype());
  return where(lax::eq(x, y), y, where(logical_or(isnan(x), isnan(y)), lax::add(x, y), next));
}

}  // namespace

Array nextafter(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("nextafter", {x.array, y.array}, ops::promote_inexact);
  if (xs[0].dtype().size() == 2) return next_in_bits(ops::spread_to(xs[0], ops::common_shape("nextafter", xs)), xs[1]);
  return bind1(ops::nextafter, {}, std::move(xs));
}
Array heaviside(const Operand& x, const Operand& at_zero) {
  CallScope scope(x.loc);
  const Promotion p = ops::promote_inexact({given(x.array, "heaviside"), given(at_zero.array, "heaviside")});
  auto xs = together("heaviside", {x.array, at_zero.array}, ops::promote_inexact);
  Array zero = number_like(xs[0], 0), one = number_like(xs[0], 1);
  const Array y =
      where(lax::lt(xs[0], zero), zero, where(lax::gt(xs[0], zero), one, where(lax::eq(xs[0], zero), xs[1], xs[0])));
  return lax::convert_element_type(y, p.dtype);
}
Array nan_to_num(const In& x, double nan, std::optional<double> posinf, std::optional<double> neginf) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "nan_to_num");
  if (!a.dtype().is_inexact()) return a;
  if (a.dtype().is_complex()) {
    auto numbers = [&](const Array& part) { return nan_to_num(part, nan, posinf, neginf); };
    return lax::complex(numbers(lax::real(a)), numbers(lax::imag(a)));
  }
  double largest = a.dtype() == float64    ? std::numeric_limits<double>::max()
                   : a.dtype() == float16  ? 65504.
                   : a.dtype() == bfloat16 ? 3.3895313892515355e38
                                           : double(std::numeric_limits<float>::max());
  double infinity = std::numeric_limits<double>::infinity();
  Array y = where(isnan(a), number_like(a, nan), a);
  y = where(lax::eq(y, number_like(y, infinity)), number_like(y, posinf.value_or(largest)), y);
  return where(lax::eq(y, number_like(y, -infinity)), number_like(y, neginf.value_or(-largest)), y);
}

// --- comparisons, logic, bits
Array operator==(const Operand& x, const Operand& y) { return equal(x, y); }
Array operator!=(const Operand& x, const Operand& y) { return not_equal(x, y); }
Array operator<(const Operand& x, const Operand& y) { return less(x, y); }
Array operator<=(const Operand& x, const Operand& y) { return less_equal(x, y); }
Array operator>(const Operand& x, const Operand& y) { return greater(x, y); }
Array operator>=(const Operand& x, const Operand& y) { return greater_equal(x, y); }
Array operator&(const Operand& x, const Operand& y) { return bitwise_and(x, y); }
Array operator|(const Operand& x, const Operand& y) { return bitwise_or(x, y); }
Array operator^(const Operand& x, const Operand& y) { return bitwise_xor(x, y); }
Array operator<<(const Operand& x, const Operand& y) { return left_shift(x, y); }
Array operator>>(const Operand& x, const Operand& y) { return right_shift(x, y); }
Array operator~(const In& x) { return bitwise_not(x); }
Array equal(const Operand& x, const Operand& y) { return binary(ops::eq, x, y); }
Array not_equal(const Operand& x, const Operand& y) { return binary(ops::ne, x, y); }
Array less(const Operand& x, const Operand& y) { return comparison(ops::lt, x, y); }
Array less_equal(const Operand& x, const Operand& y) { return comparison(ops::le, x, y); }
Array greater(const Operand& x, const Operand& y) { return comparison(ops::gt, x, y); }
Array greater_equal(const Operand& x, const Operand& y) { return comparison(ops::ge, x, y); }
Array logical_and(const Operand& x, const Operand& y) { return logical(ops::bitwise_and, x, y); }
Array logical_or(const Operand& x, const Operand& y) { return logical(ops::bitwise_or, x, y); }
Array logical_xor(const Operand& x, const Operand& y) { return logical(ops::bitwise_xor, x, y); }
Array logical_not(const In& x) {
  CallScope scope(x.loc);
  return lax::bitwise_not(truth(given(x.array, "logical_not")));
}
Array bitwise_and(const Operand& x, const Operand& y) { return binary(ops::bitwise_and, x, y); }
Array bitwise_or(const Operand& x, const Operand& y) { return binary(ops::bitwise_or, x, y); }
Array bitwise_xor(const Operand& x, const Operand& y) { return binary(ops::bitwise_xor, x, y); }
Array bitwise_not(const In& x) { return plain_unary(ops::bitwise_not, x); }
Array invert(const In& x) { return ~x; }
Array left_shift(const Operand& x, const Operand& y) { return binary(ops::shift_left, x, y, promote_counting); }
Array right_shift(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  auto xs = together("right_shift", {x.array, y.array}, promote_counting);
  return xs[0].dtype().is_unsigned() ? lax::shift_right_logical(xs[0], xs[1])
                                     : lax::shift_right_arithmetic(xs[0], xs[1]);
}
Array bitwise_count(const In& x) {
  CallScope scope(x.loc);
  return lax::convert_element_type(bind1(ops::population_count, {}, {abs(x)}), uint8);
}

Array isclose(const Operand& x, const Operand& y, double rtol, double atol, bool equal_nan) {
  CallScope scope(x.loc);
  auto xs = together("isclose", {x.array, y.array}, ops::promote);
  if (!xs[0].dtype().is_inexact()) xs = together("isclose", xs, ops::promote_inexact);
  const Array size = abs(xs[1]);
  Array near =
      lax::le(abs(lax::sub(xs[0], xs[1])), lax::add(lax::mul(size, number_like(size, rtol)), number_like(size, atol)));
  // Infinities are close only to themselves.
  Array close = lax::bitwise_or(lax::eq(xs[0], xs[1]),
                                lax::bitwise_and(near, lax::bitwise_and(isfinite(xs[0]), isfinite(xs[1]))));
  return equal_nan ? lax::bitwise_or(close, lax::bitwise_and(isnan(xs[0]), isnan(xs[1]))) : close;
}
// To ask whether values agree is no computation on devices: committed to other ones than x, y counts as uncommitted.
static Operand beside(const Array& x, const Operand& y) {
  bool both = x.has_value() && y.array.has_value() && !x.is_traced() && !y.array.is_traced() && x.committed() &&
              y.array.committed();
  if (!both || x.sharding().device_list() == y.array.sharding().device_list()) return y;
  Operand out = y;
  out.array = moved_to(y.array, {}, false, "allclose");
  return out;
}
Array allclose(const Operand& x, const Operand& y, double rtol, double atol, bool equal_nan) {
  CallScope scope(x.loc);
  return tutti::all(isclose(x, beside(x.array, y), rtol, atol, equal_nan));
}
Array array_equal(const Operand& x, const Operand& y) { return array_equal(x, y, false); }
Array array_equal(const Operand& x, const Operand& y, bool equal_nan) {
  CallScope scope(x.loc);
  if (given(x.array, "array_equal").shape() != given(y.array, "array_equal").shape()) return array(false);
  const Operand other = beside(x.array, y);
  const Array same = x == other;
  return tutti::all(equal_nan ? same | (isnan(x.array) & isnan(other.array)) : same);
}
Array astype(const In& x, DType dtype) {
  CallScope scope(x.loc);
  return lax::convert_element_type(given(x.array, "astype"), dtype);
}
DType promote_types(DType x, DType y) {
  auto one = [](DType d) { return array_from_scalar(Scalar(0).to(d), false); };
  return ops::promote({one(x), one(y)}).dtype;
}
DType result_type(const std::vector<Array>& xs) { return ops::promote(xs).dtype; }

Array Array::astype(DType dtype, Loc loc) const { return tutti::astype({*this, loc}, dtype); }
Array& Array::operator+=(const Operand& other) & { return *this = Operand(*this, other.loc) + other; }
Array& Array::operator-=(const Operand& other) & { return *this = Operand(*this, other.loc) - other; }
Array& Array::operator*=(const Operand& other) & { return *this = Operand(*this, other.loc) * other; }
Array& Array::operator/=(const Operand& other) & { return *this = Operand(*this, other.loc) / other; }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
