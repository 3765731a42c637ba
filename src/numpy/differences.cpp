#include "tutti/numpy/differences.hpp"

#include <algorithm>
#include <cmath>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/lax/cumulative.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

using ops::Dims;

namespace {

// x[from:to] along a dim; both count from its end where negative, and 0 as `to` is the end.
Array along(const Array& x, int dim, std::int64_t from, std::int64_t to) {
  const std::int64_t n = x.shape()[dim];
  Dims start(x.shape().size(), 0), limit = x.shape().dims();
  start[static_cast<std::size_t>(dim)] = std::min(from < 0 ? from + n : from, n);
  limit[static_cast<std::size_t>(dim)] = std::max(start[static_cast<std::size_t>(dim)], to <= 0 ? to + n : to);
  return lax::slice(x, start, limit);
}
Array floating(const Array& x) { return ops::converted(x, ops::promote_inexact({x})); }

Array beside(const Array& x, const Array& part, int dim) {
  if (part.ndim()) return part;
  Shape shape = x.shape();
  shape[dim] = 1;
  return broadcast_to(part, shape);
}

}  // namespace

Array diff(const In& x, int n, const DiffOptions& o) {
  CallScope scope(x.loc);
  if (n < 0) raise<ValueError>("diff", "the order is " + std::to_string(n), "Give 0 or more.");
  if (n == 0) return x.array;
  const int d = ops::normal_axis("diff", o.axis, x.array);
  std::vector<Array> parts;
  if (o.prepend.has_value()) parts.push_back(beside(x.array, o.prepend, d));
  parts.push_back(x.array);
  if (o.append.has_value()) parts.push_back(beside(x.array, o.append, d));
  Array y = concatenate(parts, d);
  for (int i = 0; i < n; ++i) {
    const Array later = along(y, d, 1, 0), earlier = along(y, d, 0, y.shape()[d] ? -1 : 0);
    y = y.dtype().is_bool() ? lax::ne(later, earlier) : lax::sub(later, earlier);
  }
  return y;
}
Array ediff1d(const In& x, const Array& to_end, const Array& to_begin) {
  CallScope scope(x.loc);
  std::vector<Array> parts = {diff(ravel(x.array))};
  auto same = [&](const Array& part) { return ravel(lax::convert_element_type(part, x.array.dtype())); };
  if (to_begin.has_value()) parts.insert(parts.begin(), same(to_begin));
  if (to_end.has_value()) parts.push_back(same(to_end));
  return concatenate(parts, 0);
}

namespace {
Array gradient_along(const Array& f, const Array& h, int d) {
  const Array first = along(f, d, 1, 2) - along(f, d, 0, 1), last = along(f, d, -1, 0) - along(f, d, -2, -1);
  if (h.ndim() == 0) return concatenate({first / h, (along(f, d, 2, 0) - along(f, d, 0, -2)) * 0.5 / h, last / h}, d);
  if (h.ndim() != 1 || h.size() != f.shape()[d])
    raise<ValueError>("gradient",
                      "the spacing is " + h.type().str() + " for dim " + std::to_string(d) + " of " + f.type().str(),
                      "Give a number, or one coordinate per element.");
  Shape shape(Dims(f.shape().size(), 1));
  shape[d] = h.size();
  const Array x = reshape(h, shape), step = along(x, d, 1, 0) - along(x, d, 0, -1);
  const Array before = along(step, d, 0, -1), after = along(step, d, 1, 0), both = before + after;
  const Array inner = along(f, d, 0, -2) * (-after / (before * both)) +
                      along(f, d, 1, -1) * ((after - before) / (before * after)) +
                      along(f, d, 2, 0) * (before / (after * both));
  return concatenate({first / along(step, d, 0, 1), inner, last / along(step, d, -1, 0)}, d);
}
}  // namespace
std::vector<Array> gradient(const In& x, const std::vector<Array>& spacing, const Axes& axes) {
  CallScope scope(x.loc);
  const Array f = floating(x.array);
  const std::vector<int> dims = axes.resolve(f.ndim());
  if (spacing.size() > 1 && spacing.size() != dims.size())
    raise<TypeError>(
        "gradient",
        std::to_string(spacing.size()) + " spacings for " + std::to_string(dims.size()) + " axes of " + f.type().str(),
        "Give one per axis, one for all, or none.");
  std::vector<Array> out;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (f.shape()[dims[i]] < 2)
      raise<ValueError>("gradient", "dim " + std::to_string(dims[i]) + " of " + f.type().str() + " is too small",
                        "A difference needs two elements.");
    const Array h = spacing.empty() ? Array(1) : spacing[spacing.size() == 1 ? 0 : i];
    out.push_back(gradient_along(f, h.ndim() ? floating(h) : h, dims[i]));
  }
  return out;
}

Array trapezoid(const In& y, double dx, int axis) {
  CallScope scope(y.loc);
  const Array f = floating(y.array);
  const int d = ops::normal_axis("trapezoid", axis, f);
  return dx * (sum(f, d) - 0.5 * (sum(along(f, d, 0, 1), d) + sum(along(f, d, -1, 0), d)));
}
Array trapezoid(const In& y, const Array& x, int axis) {
  CallScope scope(y.loc);
  std::vector<Array> xs = {y.array, x};
  const ops::Promotion p = ops::promote_inexact(xs);
  const Array f = lax::convert_element_type(y.array, p.dtype), at = lax::convert_element_type(x, p.dtype);
  const int d = ops::normal_axis("trapezoid", axis, f);
  const Array rows = moveaxis(f, d, -1);
  const Array dx = at.ndim() == 1 ? diff(at) : moveaxis(diff(at, 1, {.axis = d}), d, -1);
  const int last = rows.ndim() - 1;
  return 0.5 * sum(dx * (along(rows, last, 1, 0) + along(rows, last, 0, -1)), -1);
}

Array interp(const Operand& in, const In& xp_in, const In& fp_in, const InterpOptions& o) {
  CallScope scope(in.loc);
  if (xp_in.array.ndim() != 1 || fp_in.array.shape() != xp_in.array.shape())
    raise<ValueError>("interp", "xp is " + xp_in.array.type().str() + ", fp " + fp_in.array.type().str(),
                      "They are vectors of one extent.");
  const ops::Promotion p = ops::promote_inexact({in.array, xp_in.array});
  Array x = lax::convert_element_type(in.array, p.dtype), xp = lax::convert_element_type(xp_in.array, p.dtype);
  Array fp = floating(fp_in.array);
  if (x.dtype().is_complex())
    raise<ValueError>("interp", "x is " + x.type().str(), "Places are real; values may be complex.");
  if (o.period) {
    const double period = std::abs(*o.period);
    x = x % period;
    std::tie(xp, fp) = lax::sort_key_val(xp % period, fp);
    xp = concatenate({xp(slice(-1, none)) - period, xp, xp(slice(1)) + period});
    fp = concatenate({fp(slice(-1, none)), fp, fp(slice(1))});
  }
  const std::int64_t n = xp.size();
  if (n == 0) raise<ValueError>("interp", "there are no points", "Give at least one.");
  if (n == 1) return broadcast_to(fp[0], x.shape());
  const Array y = composite(
      "interp",
      [](const Array& at, const Array& places, const Array& values) {
        const Array i = clip(searchsorted(places, at, {.right = true}), 1, places.size() - 1);
        auto pick = [](const Array& v, const Array& k) { return take(v, k, TakeMode::clip); };
        const Array x0 = pick(places, i - 1), y0 = pick(values, i - 1);
        const Array dx = pick(places, i) - x0, dy = pick(values, i) - y0;
        const Array flat = abs(dx) <= std::numeric_limits<float>::denorm_min();  // places that are equal
        return where(flat, y0, y0 + (at - x0) / where(flat, 1, dx) * dy);
      },
      x, xp, fp);
  if (o.period) return y;
  const Array left = o.left.has_value() ? o.left : fp[0], right = o.right.has_value() ? o.right : fp[n - 1];
  const Array low = o.extrapolate_left ? y : where(x < xp[0], left, y);
  return o.extrapolate_right ? low : where(x > xp[n - 1], right, low);
}

Array unwrap(const In& in, std::optional<double> discontinuity, int axis, double period) {
  CallScope scope(in.loc);
  const bool whole = in.array.dtype().is_integer() && period == std::floor(period);
  const Array x = whole ? in.array : floating(in.array);
  const int d = ops::normal_axis("unwrap", axis, x);
  if (x.shape()[d] < 2) return x;
  const double half = whole ? std::floor(period / 2) : period / 2;
  // Both ends of the interval stand for one jump, unless the period is an odd integer. As NumPy; JAX takes the upper
  // end for odd ones too, which is no multiple of the period away.
  const bool ends_meet = 2 * half == period;
  auto number = [&](double v) { return whole ? Array(static_cast<int>(v)) : Array(v); };
  const Array step = diff(x, 1, {.axis = d});
  Array least = (step + number(half)) % number(period) - number(half);
  if (ends_meet) least = where((least == number(-half)) & (step > 0), number(half), least);
  const Array change = where(abs(step) < discontinuity.value_or(period / 2), 0, least - step);
  return concatenate({along(x, d, 0, 1), along(x, d, 1, 0) + cumsum(change, d)}, d);
}

// --- running

namespace {
using Running = Array (*)(const In&, int, bool);
Array running(const char* name, Running f, const Array& in, std::optional<int> axis, std::optional<DType> dtype) {
  Array x = dtype ? lax::convert_element_type(in, *dtype) : in;
  if (x.dtype().is_bool()) x = lax::convert_element_type(x, int64);
  return f(axis ? x : ravel(x), axis ? ops::normal_axis(name, *axis, x) : 0, false);
}
Array nan_as(const Array& x, double instead) { return x.dtype().is_inexact() ? where(isnan(x), instead, x) : x; }
Array cumulative(const char* name, Running f, const Array& x, const CumulativeOptions& o, double initial) {
  if (x.ndim() == 0 || (x.ndim() > 1 && !o.axis))
    raise<ValueError>(name, "the array is " + x.type().str() + " and no axis is given", "Name the axis.");
  const int d = ops::normal_axis(name, o.axis.value_or(0), x);
  const Array y = running(name, f, x, d, o.dtype);
  if (!o.include_initial) return y;
  Shape shape = y.shape();
  shape[d] = 1;
  return concatenate({full(shape, Array(initial), y.dtype()), y}, d);
}
}  // namespace
Array cumprod(const In& x, std::optional<int> axis, std::optional<DType> dtype) {
  CallScope scope(x.loc);
  return running("cumprod", lax::cumprod, x.array, axis, dtype);
}
Array nancumsum(const In& x, std::optional<int> axis, std::optional<DType> dtype) {
  CallScope scope(x.loc);
  return cumsum(nan_as(x.array, 0), axis, dtype);
}
Array nancumprod(const In& x, std::optional<int> axis, std::optional<DType> dtype) {
  CallScope scope(x.loc);
  return cumprod(nan_as(x.array, 1), axis, dtype);
}
Array cumulative_sum(const In& x, const CumulativeOptions& o) {
  CallScope scope(x.loc);
  // Small integers are added up in the default integers, as sums are; JAX's products keep them.
  CumulativeOptions wide = o;
  const DType dtype = x.array.dtype();
  if (!o.dtype && (dtype.is_integer() || dtype.is_bool())) wide.dtype = sum(zeros({0}, dtype)).dtype();
  return cumulative("cumulative_sum", lax::cumsum, x.array, wide, 0);
}
Array cumulative_prod(const In& x, const CumulativeOptions& o) {
  CallScope scope(x.loc);
  return cumulative("cumulative_prod", lax::cumprod, x.array, o, 1);
}

// --- convolution of vectors

namespace {
// What `y` meets as it slides along the longer `x`.
Array slid(const Array& x, const Array& y, ConvolveMode mode) {
  const std::int64_t m = y.size(), half = m / 2;
  std::pair<std::int64_t, std::int64_t> pad = {0, 0};
  if (mode == ConvolveMode::full) pad = {m - 1, m - 1};
  if (mode == ConvolveMode::same) pad = {half, m - half - 1};
  const Array out = lax::conv_general_dilated(reshape(x, {1, 1, x.size()}), reshape(y, {1, 1, m}),
                                              {.window_strides = {1}, .padding = lax::Padding({pad})});
  return ravel(out);
}
std::vector<Array> both(const char* name, const Array& x, const Array& y) {
  if (x.ndim() != 1 || y.ndim() != 1 || x.size() == 0 || y.size() == 0)
    raise<ValueError>(name, "the arrays are " + x.type().str() + " and " + y.type().str(),
                      "They are vectors with at least one element.");
  std::vector<Array> xs = {x, y};
  const ops::Promotion p = ops::promote_inexact(xs);
  for (Array& a : xs) a = ops::converted(a, p);
  return xs;
}
}  // namespace
Array convolve(const In& x, const In& y, OneOf<ConvolveMode> mode) {
  CallScope scope(x.loc);
  std::vector<Array> xs = both("convolve", x.array, y.array);
  if (xs[0].size() < xs[1].size()) std::swap(xs[0], xs[1]);
  return slid(xs[0], flip(xs[1]), mode);
}
Array correlate(const In& x, const In& y, OneOf<ConvolveMode> mode) {
  CallScope scope(x.loc);
  std::vector<Array> xs = both("correlate", x.array, y.array);
  xs[1] = conj(xs[1]);
  const bool swapped = xs[0].size() < xs[1].size();
  if (swapped) std::swap(xs[0], xs[1]);
  const Array out = slid(xs[0], xs[1], mode);
  return swapped ? flip(out) : out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
