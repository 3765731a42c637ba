// Reductions that leave NaNs out. Source: jax.numpy.nansum and its kin.
#include <limits>

#include "numpy/promotion.hpp"
#include "ops/elementwise/rule_math.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/statistics.hpp"

namespace tutti {
namespace {

using ops::given;

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

Array without_nan(const Array& x, double instead) {
  return x.dtype().is_inexact() ? where(isnan(x), ops::number_like(x, instead), x) : x;
}
// The extremum of the numbers; NaN where there are none and no start value.
Array extremum_of_numbers(const Array& x, const ReduceOptions& o, double worst,
                          Array (*extremum)(const In&, const ReduceOptions&)) {
  const Array y = extremum(without_nan(x, worst), o);
  if (!x.dtype().is_inexact() || o.initial.has_value()) return y;
  return where(tutti::all(isnan(x), o.axes, o.keepdims), ops::number_like(y, not_a_number), y);
}
ReduceOptions plain(const Axes& axes, bool keepdims, double ddof = 0) {
  return {.axes = axes, .keepdims = keepdims, .ddof = ddof};
}

}  // namespace

Array nansum_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return sum_with(without_nan(given(x.array, "nansum"), 0), o);
}
Array nanprod_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return prod_with(without_nan(given(x.array, "nanprod"), 1), o);
}
Array nanmax_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return extremum_of_numbers(given(x.array, "nanmax"), o, -infinity, max_with);
}
Array nanmin_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return extremum_of_numbers(given(x.array, "nanmin"), o, infinity, min_with);
}
Array nanmean_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  const Array& a = given(x.array, "nanmean");
  if (!a.dtype().is_inexact()) return mean_with(a, o);
  const Array n = sum_with(~isnan(a), {.axes = o.axes, .keepdims = o.keepdims, .where = o.where});
  const Array y = nansum_with(a, {.axes = o.axes, .keepdims = o.keepdims, .dtype = o.dtype, .where = o.where}) / n;
  return lax::convert_element_type(y, o.dtype ? *o.dtype : ops::promote_inexact({a}).dtype, y.weak_type());
}
Array nanvar_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  const Array& operand = given(x.array, "nanvar");
  const Array a = lax::convert_element_type(operand, o.dtype ? *o.dtype : ops::promote_inexact({operand}).dtype);
  const Array there = ~isnan(a);
  const Array center =
      o.mean.has_value() ? o.mean : nanmean_with(a, {.axes = o.axes, .keepdims = true, .where = o.where});
  const Array deviation = where(there, a - center, 0);
  const Array squares = a.dtype().is_complex() ? square(abs(deviation)) : square(deviation);
  const ReduceOptions over = {.axes = o.axes, .keepdims = o.keepdims, .where = o.where};
  const Array freedom = sum_with(there, over) - o.ddof;
  return where(freedom > 0, sum_with(squares, over) / freedom, not_a_number);
}
Array nanstd_with(const In& x, const ReduceOptions& o) {
  CallScope scope(x.loc);
  return sqrt(nanvar_with(x, o));
}

Array nansum(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return nansum_with(x, plain(axes, keepdims));
}
Array nanprod(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return nanprod_with(x, plain(axes, keepdims));
}
Array nanmean(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return nanmean_with(x, plain(axes, keepdims));
}
Array nanmax(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return nanmax_with(x, plain(axes, keepdims));
}
Array nanmin(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return nanmin_with(x, plain(axes, keepdims));
}
Array nanvar(const In& x, const Axes& axes, bool keepdims, double ddof) {
  CallScope scope(x.loc);
  return nanvar_with(x, plain(axes, keepdims, ddof));
}
Array nanstd(const In& x, const Axes& axes, bool keepdims, double ddof) {
  CallScope scope(x.loc);
  return nanstd_with(x, plain(axes, keepdims, ddof));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
