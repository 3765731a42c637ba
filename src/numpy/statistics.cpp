#include "tutti/numpy/statistics.hpp"

#include <algorithm>
#include <limits>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/differences.hpp"
#include "tutti/numpy/grids.hpp"
#include "tutti/numpy/matrix.hpp"
#include "tutti/numpy/rearrange.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

using ops::Dims;

namespace {

Array inexact_of(const Array& x) { return lax::convert_element_type(x, ops::promote_inexact({x}).dtype); }
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// --- order statistics

// The reduced dims as one, behind the others.
Array rows_of(const Array& x, const std::vector<int>& axes) {
  Dims order;
  Shape shape;
  for (int d = 0; d < x.ndim(); ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) {
      order.push_back(d);
      shape.push_back(x.shape()[d]);
    }
  std::int64_t n = 1;
  for (int d : axes) {
    order.push_back(d);
    n *= x.shape()[d];
  }
  shape.push_back(n);
  return reshape(lax::transpose(x, order), shape);
}

// The quantiles q[m] of the rows x[..., n]: [..., m].
Array row_quantiles(const Array& x, const Array& q, int method, bool skip_nan) {
  const Array absent = isnan(x);
  const Array sorted = sort(x, -1), one = Array(1);
  Array n = full({1}, Array(static_cast<double>(x.shape().back())), q.dtype());
  if (skip_nan) n = lax::convert_element_type(sum(~absent, -1, true), q.dtype());
  const Array last = n - 1, place = q * last;
  Array low = floor(place), high = ceil(place);
  const Array high_weight = place - low, low_weight = 1 - high_weight;
  if (method == static_cast<int>(QuantileMethod::inverted_cdf)) low = high = ceil(q * n) - 1;
  auto at = [&](const Array& position) {
    const Array i = lax::convert_element_type(maximum(minimum(position, last), 0), int32);
    Shape shape = x.shape();
    shape[shape.ndim() - 1] = q.size();
    return take_along_axis(sorted, broadcast_to(i, shape), -1, TakeMode::clip);
  };
  const Array below = at(low), above = at(high);
  Array y;
  switch (static_cast<QuantileMethod>(method)) {
    case QuantileMethod::linear:
      y = below * lax::convert_element_type(low_weight, x.dtype()) +
          above * lax::convert_element_type(high_weight, x.dtype());
      break;
    case QuantileMethod::lower:
    case QuantileMethod::inverted_cdf: y = below; break;
    case QuantileMethod::higher: y = above; break;
    case QuantileMethod::midpoint: y = (below + above) * 0.5; break;
    case QuantileMethod::nearest: y = where(high_weight <= 0.5, below, above); break;
  }
  return skip_nan ? where(n > 0, y, nan_value) : where(any(absent, -1, true), nan_value, y);
}

// The same by inverted_cdf with weights[..., n]: the first element up to which q of the weight lies.
Array weighted_row_quantiles(const Array& x, const Array& weights, const Array& q, bool skip_nan) {
  const auto [sorted, w] = lax::sort_key_val(where(isnan(x), nan_value, x), weights);
  const Array absent = isnan(sorted), wrong = (w < 0) | isnan(w);
  const Array up_to = cumsum(where(absent | wrong, 0, w), -1);
  const Array reached = q * expand_dims(take(up_to, -1, -1), -1);
  const Array below = sum(expand_dims(up_to, -2) < expand_dims(reached, -1), -1);
  const Array n = skip_nan ? sum(~absent, -1, true) : full({1}, x.shape().back(), below.dtype());
  const Array y = take_along_axis(sorted, maximum(minimum(below, n - 1), 0), -1, TakeMode::clip);
  const Array no_answer = any(wrong, -1, true) | (skip_nan ? n == 0 : any(absent, -1, true));
  return where(no_answer, nan_value, y);
}
Array weights_of(const char* name, const Array& x, const QuantileOptions& o, const std::vector<int>& axes) {
  const Array& w = o.weights;
  if (w.dtype().is_complex())
    raise<ValueError>(name, "the weights are " + w.type().str(), "Complex numbers are no weights.");
  if (o.method != QuantileMethod::inverted_cdf)
    raise<ValueError>(name, "weights with another method than inverted_cdf", "Set .method = inverted_cdf.");
  const Array weights = lax::convert_element_type(w, x.dtype());
  if (w.shape() == x.shape()) return weights;
  Shape extents;
  for (int d : axes) extents.push_back(x.shape()[d]);
  if (w.shape() != extents)
    raise<ValueError>(name, "the weights are " + w.type().str() + " for " + x.type().str(),
                      "They have its shape, or the extents of the axes.");
  return lax::broadcast_in_dim(weights, x.shape(), {axes.begin(), axes.end()});
}

Array quantiles(const char* name, const Array& in, const Array& q_in, const QuantileOptions& o, bool skip_nan,
                double scale) {
  if (in.dtype().is_complex())
    raise<ValueError>(name, "the array is " + in.type().str(), "Complex numbers have no order.");
  if (q_in.ndim() > 1) raise<ShapeError>(name, "q is " + q_in.type().str(), "q is a scalar or a vector.");
  // q decides no dtype.
  std::vector<Array> decides = {in};
  if (o.weights.has_value() && !o.weights.dtype().is_complex()) decides.push_back(o.weights);
  const DType dtype = ops::promote_inexact(decides).dtype;
  const Array x = lax::convert_element_type(in, dtype);
  const Array q = lax::convert_element_type(q_in, dtype.size() == 2 ? DType(float32) : dtype);
  const std::vector<int> axes = o.axes.resolve(x.ndim());
  if (rows_of(x, axes).shape().back() == 0)
    raise<ValueError>(name, x.type().str() + " is empty along the reduced axes", "Give an array with elements.");
  Array y = o.weights.has_value()
                ? weighted_row_quantiles(rows_of(x, axes), rows_of(weights_of(name, x, o, axes), axes),
                                         ravel(scale == 1 ? q : q / scale), skip_nan)
                : composite(
                      name,
                      [](const Array& v, const Array& at, const std::vector<int>& reduced, int method, bool skip,
                         double unit) {
                        return row_quantiles(rows_of(v, reduced), ravel(unit == 1 ? at : at / unit), method, skip);
                      },
                      x, q, axes, static_cast<int>(QuantileMethod(o.method)), skip_nan, scale);
  y = q.ndim() ? moveaxis(y, -1, 0) : squeeze(y, -1);
  if (!o.keepdims) return y;
  Shape shape = x.shape();
  for (int d : axes) shape[d] = 1;
  if (q.ndim()) shape.insert(0, q.size());
  return reshape(y, shape);
}

}  // namespace

Array quantile(const In& x, const Operand& q, const QuantileOptions& o) {
  CallScope scope(x.loc);
  return quantiles("quantile", x.array, q.array, o, false, 1);
}
Array nanquantile(const In& x, const Operand& q, const QuantileOptions& o) {
  CallScope scope(x.loc);
  return quantiles("nanquantile", x.array, q.array, o, true, 1);
}
Array percentile(const In& x, const Operand& q, const QuantileOptions& o) {
  CallScope scope(x.loc);
  return quantiles("percentile", x.array, q.array, o, false, 100);
}
Array nanpercentile(const In& x, const Operand& q, const QuantileOptions& o) {
  CallScope scope(x.loc);
  return quantiles("nanpercentile", x.array, q.array, o, true, 100);
}
Array median(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return quantiles("median", x.array, 0.5, {.axes = axes, .keepdims = keepdims, .method = QuantileMethod::midpoint},
                   false, 1);
}
Array nanmedian(const In& x, const Axes& axes, bool keepdims) {
  CallScope scope(x.loc);
  return quantiles("nanmedian", x.array, 0.5, {.axes = axes, .keepdims = keepdims, .method = QuantileMethod::midpoint},
                   true, 1);
}

// --- positions without NaNs

namespace {
Array nan_position(const Array& x, std::optional<int> axis, bool keepdims, bool largest) {
  const double worst = (largest ? -1 : 1) * std::numeric_limits<double>::infinity();
  const Array y = x.dtype().is_inexact() ? where(isnan(x), worst, x) : x;
  const Array at = largest ? argmax(y, axis, keepdims) : argmin(y, axis, keepdims);
  if (!x.dtype().is_inexact()) return at;
  return where(tutti::all(isnan(x), axis ? Axes(*axis) : Axes(), keepdims), -1, at);
}
}  // namespace
Array nanargmax(const In& x, std::optional<int> axis, bool keepdims) {
  CallScope scope(x.loc);
  return nan_position(x.array, axis, keepdims, true);
}
Array nanargmin(const In& x, std::optional<int> axis, bool keepdims) {
  CallScope scope(x.loc);
  return nan_position(x.array, axis, keepdims, false);
}

Average average_and_weight(const In& x, const AverageOptions& o) {
  CallScope scope(x.loc);
  const Array mean_of = o.weights.has_value() ? average(x, o.weights, o.axes) : mean(x, o.axes);
  const std::vector<int> axes = o.axes.resolve(x.array.ndim());
  Array w = o.weights.has_value() ? o.weights : ones(x.array.shape(), mean_of.dtype());
  if (w.ndim() == 1 && w.shape() != x.array.shape()) w = lax::broadcast_in_dim(w, x.array.shape(), {axes[0]});
  Average out{mean_of, lax::convert_element_type(sum(w, o.axes), mean_of.dtype())};
  if (!o.keepdims) return out;
  Shape shape = x.array.shape();
  for (int d : axes) shape[d] = 1;
  return {reshape(out.average, shape), reshape(out.weight, shape)};
}

// --- covariances

namespace {
Array variables(const char* name, const Array& x, bool rowvar) {
  if (x.ndim() > 2) raise<ShapeError>(name, "the array is " + x.type().str(), "It takes vectors and matrices.");
  const Array rows = atleast_2d(x);
  return !rowvar && x.ndim() == 2 ? matrix_transpose(rows) : rows;
}
Array covariance(const Array& x, const CovOptions& o) {
  const std::int64_t n = x.shape()[1];
  const double ddof = o.ddof.value_or(o.bias ? 0 : 1);
  Array w;
  for (const Array& given : {o.fweights, o.aweights}) {
    if (!given.has_value()) continue;
    if (given.ndim() != 1 || given.size() != n)
      raise<ShapeError>("cov", "the weights are " + given.type().str() + " for " + std::to_string(n) + " observations",
                        "Give one per observation.");
    w = w.has_value() ? w * abs(given) : abs(given);
  }
  if (o.fweights.has_value() && !o.fweights.dtype().is_integer())
    raise<TypeError>("cov", "fweights are " + o.fweights.type().str(), "They say how often: integers.");
  const Array mean_of = w.has_value() ? average(x, w, 1) : mean(x, 1);
  Array factor = Array(static_cast<double>(n) - ddof);
  if (w.has_value()) {
    const Array total = sum(lax::convert_element_type(w, real_dtype(x.dtype())));
    factor = ddof == 0                ? total
             : o.aweights.has_value() ? total - ddof * sum(w * abs(o.aweights)) / total
                                      : total - ddof;
  }
  const Array centred = x - expand_dims(mean_of, 1), weighted = w.has_value() ? centred * w : centred;
  return squeeze(matmul(centred, conj(matrix_transpose(weighted))) / factor);
}
Array correlation(const Array& c) {
  if (c.ndim() == 0) return c / c;
  const Array deviation = sqrt(real(diagonal(c)));
  const Array y = c / expand_dims(deviation, 1) / expand_dims(deviation, 0);
  if (!y.dtype().is_complex()) return clip(y, -1, 1);
  return lax::complex(clip(real(y), -1, 1), clip(imag(y), -1, 1));
}
Array joined(const char* name, const Array& x, const Array& y, bool rowvar) {
  std::vector<Array> xs = ops::same_dtype({inexact_of(x), inexact_of(y)});
  return concatenate({variables(name, xs[0], rowvar), variables(name, xs[1], rowvar)}, 0);
}
}  // namespace
Array cov(const In& x, const CovOptions& o) {
  CallScope scope(x.loc);
  return covariance(variables("cov", inexact_of(x.array), o.rowvar), o);
}
Array cov(const In& x, const In& y, const CovOptions& o) {
  CallScope scope(x.loc);
  return covariance(joined("cov", x.array, y.array, o.rowvar), o);
}
Array corrcoef(const In& x, bool rowvar) {
  CallScope scope(x.loc);
  return correlation(cov(x, {.rowvar = rowvar}));
}
Array corrcoef(const In& x, const In& y, bool rowvar) {
  CallScope scope(x.loc);
  return correlation(cov(x, y, {.rowvar = rowvar}));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
