// The reductions of ops.hpp and of Array.
#include <limits>

#include "numpy/promotion.hpp"
#include "ops/elementwise/rule_math.hpp"
#include "ops/reduction/argmax.hpp"
#include "ops/reduction/reduce.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {
namespace {

using ops::given;
using ops::number_like;

Array strict(const Op& op, const Array& x, const std::vector<int>& axes, bool keepdims) {
  Array y = bind1(op, ops::Reduction{axes}, {x});
  if (!keepdims) return y;
  Shape shape = x.shape();
  for (int a : axes) shape[static_cast<std::size_t>(a)] = 1;
  return y.shape() == shape ? y : lax::reshape(y, shape);
}
// Integers and bools are summed in the widest integers there are: 64 bits under x64, else 32.
DType accumulated(DType d) {
  if (d.is_unsigned()) return canonical(uint64);
  return d.is_bool() || d.is_integer() ? canonical(int64) : d;
}
std::int64_t count(const Array& x, const std::vector<int>& axes) {
  std::int64_t n = 1;
  for (int a : axes) n *= x.shape()[static_cast<std::size_t>(a)];
  return n;
}
bool is_half(DType d) { return d.is_floating() && d.size() == 2; }
// Means of 16-bit floats are computed in float32 throughout.
Array wide(const Array& x) {
  return lax::convert_element_type(x, is_half(x.dtype())       ? float32
                                      : x.dtype().is_inexact() ? x.dtype()
                                                               : ops::promote_inexact({x}).dtype);
}
DType mean_dtype(const Array& x) { return ops::promote_inexact({x}).dtype; }

Array total(const Op& op, const char* what, const In& x, const Axes& axes, bool keepdims, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  const Array& a = given(x.array, what);
  return strict(op, lax::convert_element_type(a, accumulated(a.dtype())), axes.resolve(a.ndim()), keepdims);
}
Array extremum(const Op& op, const char* what, const In& x, const Axes& axes, bool keepdims,
               Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  const Array& a = given(x.array, what);
  std::vector<int> list = axes.resolve(a.ndim());
  if (count(a, list) == 0)
    raise<ValueError>(what, "no element to choose from: " + a.type().str() + " is empty along the reduced axes",
                      "Give a start value: max_with(x, {.initial = 0}).");
  return strict(op, a, list, keepdims);
}
Array truth_reduction(const Op& op, const char* what, const In& x, const Axes& axes, bool keepdims,
                      Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  const Array& a = given(x.array, what);
  Array bits = a.dtype().is_bool() ? a : lax::ne(a, number_like(a, 0));
  return strict(op, bits, axes.resolve(a.ndim()), keepdims);
}
Array arg_reduction(const Op& op, const In& x, std::optional<int> axis, bool keepdims, Loc callee = Loc::current()) {
  CallScope scope(x.loc, callee);
  const Array& a = given(x.array, op.name.c_str());
  int at = axis ? Axes(*axis).resolve(a.ndim())[0] : 0;
  Array y = bind1(op, ops::ArgReduction{at, canonical(int64)}, {axis ? a : lax::reshape(a, Shape{a.size()})});
  if (!keepdims) return y;
  Shape shape = axis ? a.shape() : Shape(std::vector<std::int64_t>(static_cast<std::size_t>(a.ndim()), 1));
  if (axis) shape[static_cast<std::size_t>(at)] = 1;
  return lax::reshape(y, shape);
}

}  // namespace

Array sum(const In& x, const Axes& axes, bool keepdims) { return total(ops::reduce_sum, "sum", x, axes, keepdims); }
Array prod(const In& x, const Axes& axes, bool keepdims) { return total(ops::reduce_prod, "prod", x, axes, keepdims); }
Array max(const In& x, const Axes& axes, bool keepdims) { return extremum(ops::reduce_max, "max", x, axes, keepdims); }
Array min(const In& x, const Axes& axes, bool keepdims) { return extremum(ops::reduce_min, "min", x, axes, keepdims); }
Array amax(const In& x, const Axes& axes, bool keepdims) {
  return extremum(ops::reduce_max, "amax", x, axes, keepdims);
}
Array amin(const In& x, const Axes& axes, bool keepdims) {
  return extremum(ops::reduce_min, "amin", x, axes, keepdims);
}
Array any(const In& x, const Axes& axes, bool keepdims) {
  return truth_reduction(ops::reduce_any, "any", x, axes, keepdims);
}
Array All::operator()(const In& x, const Axes& axes, bool keepdims) const {
  return truth_reduction(ops::reduce_all, "all", x, axes, keepdims, {"", "all", 0});
}
Array argmax(const In& x, std::optional<int> axis, bool keepdims) {
  return arg_reduction(ops::argmax, x, axis, keepdims);
}
Array argmin(const In& x, std::optional<int> axis, bool keepdims) {
  return arg_reduction(ops::argmin, x, axis, keepdims);
}

Array mean(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "mean");
  std::vector<int> list = axes.resolve(a.ndim());
  Array s = strict(ops::reduce_sum, wide(a), list, keepdims);
  return lax::convert_element_type(lax::div(s, number_like(s, static_cast<double>(count(a, list)))), mean_dtype(a));
}
Array var(const In& x, const Axes& axes, bool keepdims, int ddof) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "var");
  if (a.dtype().is_complex()) return var_with(a, {.axes = axes, .keepdims = keepdims, .ddof = double(ddof)});
  std::vector<int> list = axes.resolve(a.ndim());
  Array w = wide(a);
  Array s = strict(ops::reduce_sum, w, list, true);
  double n = static_cast<double>(count(a, list));
  Array deviation = w - lax::div(s, number_like(s, n));
  Array squares = strict(ops::reduce_sum, lax::integer_pow(deviation, 2), list, keepdims);
  // Without a degree of freedom there is no variance.
  const double freedom = n > ddof ? n - ddof : std::numeric_limits<double>::quiet_NaN();
  return lax::convert_element_type(lax::div(squares, number_like(squares, freedom)), mean_dtype(a));
}
namespace {
// Of 16-bit floats in float32 until the root is taken: their squares overflow, and vanish, long before.
bool squares_are_short(DType d) { return d.is_floating() && d.size() < 4; }
}  // namespace
Array std_(const In& x, const Axes& axes, bool keepdims, int ddof) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "std");
  if (!squares_are_short(a.dtype())) return sqrt(var(a, axes, keepdims, ddof));
  return lax::convert_element_type(sqrt(var(wide(a), axes, keepdims, ddof)), a.dtype());
}
Array cumsum(const In& x, std::optional<int> axis, std::optional<DType> dtype) {
  CallScope scope(x.loc);
  const Array& operand = given(x.array, "cumsum");
  const Array a = dtype ? lax::convert_element_type(operand, *dtype) : operand;
  Array flat = axis ? a : lax::reshape(a, Shape{a.size()});
  return lax::cumsum(a.dtype().is_bool() ? lax::convert_element_type(flat, int64) : flat,
                     axis ? Axes(*axis).resolve(a.ndim())[0] : 0);
}
Array ptp(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return lax::sub(max(x, axes, keepdims), min(x, axes, keepdims));
}
Array count_nonzero(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return sum(given(x.array, "count_nonzero") != 0, axes, keepdims);
}
Array average(const In& x, const Axes& axes) { return mean(x, axes); }
Array average(const In& x, const Array& weights, const Axes& axes) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "average");
  std::vector<int> list = axes.resolve(a.ndim());
  Array w = given(weights, "average");
  if (w.shape() != a.shape()) {
    if (w.ndim() != 1 || list.size() != 1 || w.size() != a.shape()[static_cast<std::size_t>(list[0])])
      raise<ShapeError>("average", "weights " + w.type().str() + " do not fit " + a.type().str(),
                        "Give one weight per element, or per element of the one axis.");
    w = lax::broadcast_in_dim(w, a.shape(), {list[0]});
  }
  std::vector<Array> xs = {a, w};
  ops::bring_together("average", xs, ops::promote_inexact(xs));
  return strict(ops::reduce_sum, lax::mul(xs[0], xs[1]), list, false) / strict(ops::reduce_sum, xs[1], list, false);
}
// --- with options
namespace {

// A start value decides no dtype.
Array started(const ReduceOptions& o, const Array& y) { return lax::convert_element_type(o.initial, y.dtype()); }

// The least and the greatest number of a dtype, as floats see it.
double lowest(DType d) {
  if (d.is_floating()) return -std::numeric_limits<double>::infinity();
  return d.is_signed() ? -std::pow(2., static_cast<double>(d.size() * 8 - 1)) : 0;
}
double highest(DType d) {
  if (d.is_floating()) return std::numeric_limits<double>::infinity();
  if (d.is_bool()) return 1;
  return std::pow(2., static_cast<double>(d.size() * 8 - (d.is_signed() ? 1 : 0))) - 1;
}
Array masked(const Array& x, const Array& mask, double otherwise) {
  return mask.has_value() ? where(mask, x, number_like(x, otherwise)) : x;
}
Array in_dtype(const Array& x, const ReduceOptions& o) {
  return lax::convert_element_type(x, o.dtype ? *o.dtype : o.promote_integers ? accumulated(x.dtype()) : x.dtype());
}

}  // namespace

Array sum_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  const Array a = masked(in_dtype(given(x.array, "sum"), o), o.where, 0);
  const Array y = strict(ops::reduce_sum, a, o.axes.resolve(a.ndim()), o.keepdims);
  return o.initial.has_value() ? y + started(o, y) : y;
}
Array prod_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  const Array a = masked(in_dtype(given(x.array, "prod"), o), o.where, 1);
  const Array y = strict(ops::reduce_prod, a, o.axes.resolve(a.ndim()), o.keepdims);
  return o.initial.has_value() ? y * started(o, y) : y;
}
namespace {
Array extremum(const Op& op, const char* what, const Array& x, const ReduceOptions& o, double worst) {
  if (!o.initial.has_value()) {
    if (o.where.has_value())
      raise<ValueError>(what, "a mask over " + x.type().str() + " needs a start value", "Give .initial as well.");
    return extremum(op, what, x, o.axes, o.keepdims);
  }
  Array y = strict(op, masked(x, o.where, worst), o.axes.resolve(x.ndim()), o.keepdims);
  const Array start = started(o, y);
  return worst <= 0 && &op == &ops::reduce_max ? maximum(y, start) : minimum(y, start);
}
}  // namespace
Array max_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return extremum(ops::reduce_max, "max", given(x.array, "max"), o, lowest(x.array.dtype()));
}
Array min_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return extremum(ops::reduce_min, "min", given(x.array, "min"), o, highest(x.array.dtype()));
}
Array mean_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "mean");
  Array w = o.dtype ? lax::convert_element_type(a, *o.dtype) : wide(a);
  Array s = sum(masked(w, o.where, 0), o.axes, o.keepdims);
  Array n = o.where.has_value() ? sum(ops::spread_to(o.where, a.shape()), o.axes, o.keepdims)
                                : Array(static_cast<double>(count(a, o.axes.resolve(a.ndim()))));
  return lax::convert_element_type(s / n, o.dtype ? *o.dtype : mean_dtype(a));
}

Array var_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "var");
  const DType result = o.dtype ? *o.dtype : a.dtype().is_complex() ? real_dtype(a.dtype()) : mean_dtype(a);
  const Array w = o.dtype ? lax::convert_element_type(a, *o.dtype) : wide(a);
  ReduceOptions whole = {.axes = o.axes, .keepdims = true, .where = o.where};
  const Array deviation = w - (o.mean.has_value() ? o.mean : mean_with(w, whole));
  const Array squares =
      sum(masked(w.dtype().is_complex() ? square(abs(deviation)) : square(deviation), o.where, 0), o.axes, o.keepdims);
  const Array n = o.where.has_value() ? sum(ops::spread_to(o.where, a.shape()), o.axes, o.keepdims)
                                      : Array(static_cast<double>(count(a, o.axes.resolve(a.ndim()))));
  const Array freedom = n - o.ddof;
  return lax::convert_element_type(squares / where(freedom > 0, freedom, std::numeric_limits<double>::quiet_NaN()),
                                   result);
}
Array std_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "std");
  if (!o.dtype && squares_are_short(a.dtype())) return lax::convert_element_type(sqrt(var_with(wide(a), o)), a.dtype());
  return sqrt(var_with(a, o));
}
namespace {
Array truth_with(const In& x, const ReduceOptions& o, bool otherwise, Array (*f)(const Array&, const Axes&, bool)) {
  const Array bits = x.array != 0;
  Array y = f(o.where.has_value() ? where(o.where, bits, otherwise) : bits, o.axes, o.keepdims);
  return o.initial.has_value() ? (otherwise ? logical_and(y, o.initial) : logical_or(y, o.initial)) : y;
}
}  // namespace
Array any_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return truth_with(x, o, false, [](const Array& b, const Axes& axes, bool keep) { return any(b, axes, keep); });
}
Array all_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return truth_with(x, o, true, [](const Array& b, const Axes& axes, bool keep) { return tutti::all(b, axes, keep); });
}

Array Array::sum(const Axes& axes, bool keepdims, Loc loc) const { return tutti::sum({*this, loc}, axes, keepdims); }
Array Array::mean(const Axes& axes, bool keepdims, Loc loc) const { return tutti::mean({*this, loc}, axes, keepdims); }
Array Array::prod(const Axes& axes, bool keepdims, Loc loc) const { return tutti::prod({*this, loc}, axes, keepdims); }
Array Array::max(const Axes& axes, bool keepdims, Loc loc) const { return tutti::max({*this, loc}, axes, keepdims); }
Array Array::min(const Axes& axes, bool keepdims, Loc loc) const { return tutti::min({*this, loc}, axes, keepdims); }
Array Array::var(const Axes& axes, bool keepdims, Loc loc) const { return tutti::var({*this, loc}, axes, keepdims); }
Array Array::std(const Axes& axes, bool keepdims, Loc loc) const { return tutti::std_({*this, loc}, axes, keepdims); }
Array Array::any(const Axes& axes, bool keepdims, Loc loc) const { return tutti::any({*this, loc}, axes, keepdims); }
Array Array::all(const Axes& axes, bool keepdims, Loc loc) const { return tutti::all({*this, loc}, axes, keepdims); }
Array Array::argmax(std::optional<int> axis, bool keepdims, Loc loc) const {
  return tutti::argmax({*this, loc}, axis, keepdims);
}
Array Array::argmin(std::optional<int> axis, bool keepdims, Loc loc) const {
  return tutti::argmin({*this, loc}, axis, keepdims);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
