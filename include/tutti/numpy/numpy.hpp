// The NumPy-like functions over arrays: operators, elementwise functions, reductions. Names and meanings: jax.numpy,
// with its type promotion and broadcasting.
//
//     Array y = 2 * sin(x) + 1;                     // numbers are weak: they take the dtype of the arrays beside them
//     Array m = mean(square(x - y), {0, 1});        // axes: an integer, a list, or all (the default)
//
// Integers and bools given to floating functions become float32. Operands whose shapes do not broadcast are a
// ShapeError, dtypes that a function does not take a TypeError.
#pragma once

#include <optional>
#include <utility>

#include "tutti/array/array.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {

// --- operators (elementwise; == and the like give bool arrays)

Array operator+(const Operand& x, const Operand& y);
Array operator-(const Operand& x, const Operand& y);
Array operator*(const Operand& x, const Operand& y);
/// True division: integers give float32.
Array operator/(const Operand& x, const Operand& y);
/// Python's %: the result has the sign of y.
Array operator%(const Operand& x, const Operand& y);
Array operator==(const Operand& x, const Operand& y);
Array operator!=(const Operand& x, const Operand& y);
Array operator<(const Operand& x, const Operand& y);
Array operator<=(const Operand& x, const Operand& y);
Array operator>(const Operand& x, const Operand& y);
Array operator>=(const Operand& x, const Operand& y);
/// Bitwise for integers, logical for bools.
Array operator&(const Operand& x, const Operand& y);
Array operator|(const Operand& x, const Operand& y);
Array operator^(const Operand& x, const Operand& y);
Array operator<<(const Operand& x, const Operand& y);
/// Keeps the sign of signed integers.
Array operator>>(const Operand& x, const Operand& y);
Array operator-(const In& x);
Array operator+(const In& x);
Array operator~(const In& x);

// --- elementwise: arithmetic

Array add(const Operand& x, const Operand& y);
Array subtract(const Operand& x, const Operand& y);
Array multiply(const Operand& x, const Operand& y);
Array divide(const Operand& x, const Operand& y);
Array true_divide(const Operand& x, const Operand& y);
/// Rounded down: `floor_divide(-7, 2)` is -4.
Array floor_divide(const Operand& x, const Operand& y);
/// x - floor_divide(x, y) * y: `remainder(-7, 2)` is 1.
Array remainder(const Operand& x, const Operand& y);
Array mod(const Operand& x, const Operand& y);
/// C's remainder: the result has the sign of x, `fmod(-7, 2)` is -1.
Array fmod(const Operand& x, const Operand& y);
/// floor_divide and remainder.
std::pair<Array, Array> divmod(const Operand& x, const Operand& y);
/// x^y; an integer number as exponent is computed by multiplications, with the derivative y x^(y-1).
Array power(const Operand& x, const Operand& y);
Array pow(const Operand& x, const Operand& y);
Array float_power(const Operand& x, const Operand& y);
/// The larger one; NaN wins; at a tie each gets half of the gradient.
Array maximum(const Operand& x, const Operand& y);
Array minimum(const Operand& x, const Operand& y);
/// The larger one; a number wins over NaN.
Array fmax(const Operand& x, const Operand& y);
Array fmin(const Operand& x, const Operand& y);
/// x between lo and hi; `none` leaves a side open.
Array clip(const Operand& x, const Operand& lo, const Operand& hi);
Array clip(const Operand& x, none_t, const Operand& hi);
Array clip(const Operand& x, const Operand& lo, none_t);
Array negative(const In& x);
Array positive(const In& x);
/// |x|. Its derivative at 0 is 1, as in JAX.
Array abs(const In& x);
Array absolute(const In& x);
Array fabs(const In& x);
/// The complex conjugate; real numbers stay.
Array conj(const In& x);
Array conjugate(const In& x);
/// -1, 0 or 1; NaN stays.
Array sign(const In& x);
Array square(const In& x);
Array reciprocal(const In& x);
/// `if_true` where the condition holds (anything but 0 does): `where(x > 0, x, 0)`.
Array where(const Operand& condition, const Operand& if_true, const Operand& if_false);

// --- elementwise: powers, exponentials, logarithms

Array sqrt(const In& x);
Array cbrt(const In& x);
Array exp(const In& x);
Array exp2(const In& x);
/// exp(x) - 1, accurate near 0.
Array expm1(const In& x);
Array log(const In& x);
Array log2(const In& x);
Array log10(const In& x);
/// log(1 + x), accurate near 0.
Array log1p(const In& x);
/// log(exp(x) + exp(y)) without overflow.
Array logaddexp(const Operand& x, const Operand& y);
Array logaddexp2(const Operand& x, const Operand& y);
/// sqrt(x^2 + y^2) without overflow.
Array hypot(const Operand& x, const Operand& y);
/// x log(y), 0 where x is 0.
Array xlogy(const Operand& x, const Operand& y);
Array xlog1py(const Operand& x, const Operand& y);

// --- elementwise: trigonometry

Array sin(const In& x);
Array cos(const In& x);
Array tan(const In& x);
Array asin(const In& x);
Array acos(const In& x);
Array atan(const In& x);
Array arcsin(const In& x);
Array arccos(const In& x);
Array arctan(const In& x);
/// The angle of the point (x, y), from -pi to pi.
Array atan2(const Operand& y, const Operand& x);
Array arctan2(const Operand& y, const Operand& x);
Array sinh(const In& x);
Array cosh(const In& x);
Array tanh(const In& x);
Array asinh(const In& x);
Array acosh(const In& x);
Array atanh(const In& x);
Array arcsinh(const In& x);
Array arccosh(const In& x);
Array arctanh(const In& x);
/// sin(pi x) / (pi x), 1 at 0.
Array sinc(const In& x);
Array deg2rad(const In& x);
Array rad2deg(const In& x);

// --- elementwise: rounding and float classes

Array floor(const In& x);
Array ceil(const In& x);
Array trunc(const In& x);
Array rint(const In& x);
/// To `decimals` places, ties to even: `round(2.5)` is 2. Integers to negative ones too, which JAX refuses: round(25,
/// -1) is 20; what the dtype does not hold wraps. TypeError for bools to negative ones.
Array round(const In& x, int decimals = 0);
Array isnan(const In& x);
Array isinf(const In& x);
Array isfinite(const In& x);
Array signbit(const In& x);
/// |x| with the sign of y.
Array copysign(const Operand& x, const Operand& y);
/// The next float32 after x towards y.
Array nextafter(const Operand& x, const Operand& y);
/// 0 below 0, 1 above, `at_zero` at 0.
Array heaviside(const Operand& x, const Operand& at_zero);
/// NaN becomes `nan`, infinities the largest finite numbers, or those given.
Array nan_to_num(const In& x, double nan = 0, std::optional<double> posinf = {}, std::optional<double> neginf = {});

// --- elementwise: comparisons, logic, bits

Array equal(const Operand& x, const Operand& y);
Array not_equal(const Operand& x, const Operand& y);
Array less(const Operand& x, const Operand& y);
Array less_equal(const Operand& x, const Operand& y);
Array greater(const Operand& x, const Operand& y);
Array greater_equal(const Operand& x, const Operand& y);
Array logical_and(const Operand& x, const Operand& y);
Array logical_or(const Operand& x, const Operand& y);
Array logical_xor(const Operand& x, const Operand& y);
Array logical_not(const In& x);
Array bitwise_and(const Operand& x, const Operand& y);
Array bitwise_or(const Operand& x, const Operand& y);
Array bitwise_xor(const Operand& x, const Operand& y);
Array bitwise_not(const In& x);
Array invert(const In& x);
Array left_shift(const Operand& x, const Operand& y);
Array right_shift(const Operand& x, const Operand& y);
Array bitwise_count(const In& x);
/// |x - y| <= atol + rtol |y|, element by element.
Array isclose(const Operand& x, const Operand& y, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// The same for all elements: a bool array of shape ().
Array allclose(const Operand& x, const Operand& y, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Equal shapes and elements: a bool array of shape (). With `equal_nan` NaN equals NaN.
Array array_equal(const Operand& x, const Operand& y);
Array array_equal(const Operand& x, const Operand& y, bool equal_nan);
/// Another dtype: floats to integers truncate and saturate.
Array astype(const In& x, DType dtype);
/// The same values in memory of their own; sharding and commitment stay.
Array copy(const In& x);
/// The dtype that operands get together: `promote_types(int32, float16)` is float16.
DType promote_types(DType x, DType y);
DType result_type(const std::vector<Array>& xs);

// --- reductions: over all axes unless some are given; `keepdims` leaves them with extent 1

/// Small integers and bools are summed as int32 (uint32), under x64 all integers in 64 bits; bfloat16 and float16 in
/// float32.
Array sum(const In& x, const Axes& axes = {}, bool keepdims = false);
Array prod(const In& x, const Axes& axes = {}, bool keepdims = false);
/// NaN wins. The gradient is shared between equal extrema.
Array max(const In& x, const Axes& axes = {}, bool keepdims = false);
Array min(const In& x, const Axes& axes = {}, bool keepdims = false);
Array amax(const In& x, const Axes& axes = {}, bool keepdims = false);
Array amin(const In& x, const Axes& axes = {}, bool keepdims = false);
/// Integers give float32.
Array mean(const In& x, const Axes& axes = {}, bool keepdims = false);
/// The mean of squared deviations, divided by n - ddof.
Array var(const In& x, const Axes& axes = {}, bool keepdims = false, int ddof = 0);
/// Square root of var. (`std` would be the namespace.)
Array std_(const In& x, const Axes& axes = {}, bool keepdims = false, int ddof = 0);
/// True if any (every: `all(x)`) element is not 0.
Array any(const In& x, const Axes& axes = {}, bool keepdims = false);
/// The first index of the extremum: along one axis, or of the flat array. int32, under x64 int64.
Array argmax(const In& x, std::optional<int> axis = {}, bool keepdims = false);
Array argmin(const In& x, std::optional<int> axis = {}, bool keepdims = false);
/// Running sums along an axis, or of the flat array; of bools in integers.
Array cumsum(const In& x, std::optional<int> axis = {}, std::optional<DType> dtype = {});
/// max - min.
Array ptp(const In& x, const Axes& axes = {}, bool keepdims = false);
Array count_nonzero(const In& x, const Axes& axes = {}, bool keepdims = false);
/// The mean weighted by `weights`, which has x's shape or, along one axis, its extent.
Array average(const In& x, const Axes& axes = {});
Array average(const In& x, const Array& weights, const Axes& axes = {});
/// The same without NaNs.
Array nansum(const In& x, const Axes& axes = {}, bool keepdims = false);
Array nanprod(const In& x, const Axes& axes = {}, bool keepdims = false);
Array nanmean(const In& x, const Axes& axes = {}, bool keepdims = false);
Array nanmax(const In& x, const Axes& axes = {}, bool keepdims = false);
Array nanmin(const In& x, const Axes& axes = {}, bool keepdims = false);

/// Further options of reductions: another dtype, a start value, a mask of the elements that count.
struct ReduceOptions {
  Axes axes = {};
  bool keepdims = false;
  std::optional<DType> dtype = {};
  Array initial = {};
  Array where = {};
  double ddof = 0;               // var and std: the sum of squares is divided by n - ddof
  Array mean = {};               // var and std: the mean, if it is known, as keepdims would give it
  bool promote_integers = true;  // sum and prod: small integers in wide ones
};
/// `sum_with(x, {.axes = 0, .where = x > 0})`. Functions of their own, because `sum(x, {0, 1})` names axes.
Array sum_with(const In& x, const ReduceOptions& options);
Array prod_with(const In& x, const ReduceOptions& options);
Array max_with(const In& x, const ReduceOptions& options);
Array min_with(const In& x, const ReduceOptions& options);
Array mean_with(const In& x, const ReduceOptions& options);
Array var_with(const In& x, const ReduceOptions& options);
Array std_with(const In& x, const ReduceOptions& options);
Array any_with(const In& x, const ReduceOptions& options);
Array all_with(const In& x, const ReduceOptions& options);
Array nansum_with(const In& x, const ReduceOptions& options);
Array nanprod_with(const In& x, const ReduceOptions& options);
/// NaN where there are only NaNs and no start value.
Array nanmax_with(const In& x, const ReduceOptions& options);
Array nanmin_with(const In& x, const ReduceOptions& options);
Array nanmean_with(const In& x, const ReduceOptions& options);
Array nanvar_with(const In& x, const ReduceOptions& options);
Array nanstd_with(const In& x, const ReduceOptions& options);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
