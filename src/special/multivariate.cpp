// Distributions of several numbers, ranks, modes. Source: jax.scipy.stats.
#include "tutti/special/multivariate.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/cumulative.hpp"
#include "tutti/lax/linalg.hpp"
#include "tutti/numpy/matrix.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/special/distributions.hpp"
#include "tutti/special/special.hpp"

namespace tutti::stats {
namespace {

constexpr double outside = -std::numeric_limits<double>::infinity();
constexpr double kLogTwoPi = 1.8378770664093454836;  // log(2 pi): known before static objects are made

std::vector<Array> one_floating(const std::vector<Array>& xs) {
  const DType dtype = inexact(result_type(xs));
  std::vector<Array> out;
  for (const Array& x : xs) out.push_back(x.astype(dtype));
  return out;
}
Array columns_of(const Array& x) { return expand_dims(x, -1); }

}  // namespace

namespace multivariate_normal {
Array logpdf(const In& in, const Operand& mean, const Operand& cov) {
  CallScope scope(in.loc);
  const std::vector<Array> v = one_floating({in.array, mean.array, cov.array});
  const Array &x = v[0], &m = v[1], &c = v[2];
  if (m.ndim() == 0 && c.ndim() == 0) return -0.5 * (square(x - m) / c + kLogTwoPi + log(c));
  const auto fits = [&] {
    if (x.ndim() == 0) return false;
    const std::int64_t n = m.ndim() == 0 ? x.shape(-1) : m.shape(-1);
    if (x.shape(-1) != n && x.shape(-1) != 1) return false;
    return c.ndim() == 0 || (c.ndim() >= 2 && c.shape(-1) == n && c.shape(-2) == n);
  };
  if (!fits())
    raise<ShapeError>("multivariate_normal",
                      "x is " + type_text(in.array) + ", the mean " + type_text(mean.array) + ", the covariance " +
                          type_text(cov.array),
                      "They are [..., n], [..., n] and [..., n, n], or numbers.");
  const Array y = x - m;
  const double n = static_cast<double>(y.shape(-1));
  if (c.ndim() == 0) return -0.5 * (sum(square(y), -1) / c + n * (kLogTwoPi + log(c)));
  const Array l = lax::linalg::cholesky(c);
  Shape lead = broadcast_arrays({y(ellipsis, 0), l(ellipsis, 0, 0)})[0].shape(), whole = lead, square_shape = lead;
  for (const std::int64_t e : {y.shape(-1), std::int64_t{1}}) whole.push_back(e);
  for (int k = 0; k < 2; ++k) square_shape.push_back(y.shape(-1));
  const Array z = lax::linalg::triangular_solve(broadcast_to(l, square_shape), broadcast_to(columns_of(y), whole),
                                                {.left_side = true, .lower = true});
  return -0.5 * (sum(square(z), {-2, -1}) + n * kLogTwoPi) - sum(log(diagonal(l, 0, -2, -1)), -1);
}
Array pdf(const In& x, const Operand& mean, const Operand& cov) {
  CallScope scope(x.loc);
  return exp(logpdf(x, mean, cov));
}
}  // namespace multivariate_normal

namespace dirichlet {
Array logpdf(const In& in, const In& concentration) {
  CallScope scope(in.loc);
  const std::vector<Array> v = one_floating({in.array, concentration.array});
  Array x = v[0], alpha = v[1];
  const std::int64_t n = alpha.ndim() == 1 ? alpha.size() : -1;
  if (n < 1 || x.ndim() == 0 || (x.shape()[0] != n && x.shape()[0] != n - 1))
    raise<ShapeError>("dirichlet", "x is " + type_text(in.array) + ", alpha " + type_text(concentration.array),
                      "alpha is [n], x [n, ...] or [n - 1, ...].");
  if (x.shape()[0] != n) x = concatenate({x, 1 - sum(x, 0, true)}, 0);
  const Array whole = special::gammaln(sum(alpha)) - sum(special::gammaln(alpha));
  for (int k = 1; k < x.ndim(); ++k) alpha = columns_of(alpha);
  const Array inside = tutti::all(x > 0, 0) & (abs(sum(x, 0) - 1) < 1e-6);
  return where(inside, sum(xlogy(alpha - 1, x), 0) + whole, outside);
}
Array pdf(const In& x, const In& alpha) {
  CallScope scope(x.loc);
  return exp(logpdf(x, alpha));
}
}  // namespace dirichlet

namespace multinomial {
Array logpmf(const In& in, const Operand& trials, const In& probabilities) {
  CallScope scope(in.loc);
  if (!in.array.dtype().is_integer() || !(trials.array.dtype().is_integer()))
    raise<TypeError>("multinomial", "x is " + type_text(in.array) + ", n " + type_text(trials.array), "Give integers.");
  if (in.array.ndim() == 0 || probabilities.array.ndim() == 0)
    raise<ShapeError>("multinomial", "x is " + type_text(in.array) + ", p " + type_text(probabilities.array),
                      "Their last dim is that of the outcomes.");
  const DType dtype = inexact(probabilities.array.dtype());
  const Array p = probabilities.array.astype(dtype), x = in.array.astype(dtype), n = trials.array.astype(dtype);
  const Array value = special::gammaln(n + 1) + sum(xlogy(x, p) - special::gammaln(x + 1), -1);
  return where(sum(x, -1) == n, value, outside);
}
Array pmf(const In& x, const Operand& n, const In& p) {
  CallScope scope(x.loc);
  return exp(logpmf(x, n, p));
}
}  // namespace multinomial

namespace poisson {
Array entropy(const Operand& mu, const Operand& loc) {
  CallScope scope(mu.loc);
  const std::vector<Array> v = special::together({mu.array, loc.array});
  const Array &m = v[0], small = where(m < 100, m, 1), large = where(m < 100, 100, m);
  // Numbers up to mu + 10 sqrt(mu) + 20 hold all but 1e-15 of the probability.
  const Array k = arange(220).astype(m.dtype());
  const Array total = sum(special::entr(pmf(k, columns_of(small))), -1);
  const Array series = 0.5 * (kLogTwoPi + 1 + log(large)) - 1 / (12 * large) - 1 / (24 * square(large));
  return where(m == 0, 0, where(m < 100, total, series));
}
}  // namespace poisson

namespace {

// For the last dim of a sorted array: where runs of equal elements begin.
struct Runs {
  Array begins, first, last;  // bool; positions of the ends of each element's run
};
Runs runs_of(const Array& sorted) {
  const std::int64_t n = sorted.shape(-1);
  const Array before = sorted(ellipsis, slice(0, n - 1)), next = sorted(ellipsis, slice(1, n));
  Array differs = before != next;
  if (sorted.dtype().is_inexact()) differs = differs & ~(isnan(before) & isnan(next));
  const Array border = ones_like(sorted(ellipsis, slice(0, 1)), bool_);
  const Array begins = concatenate({border, differs}, -1), ends = concatenate({differs, border}, -1);
  const Array at = broadcast_to(arange(n), sorted.shape());
  return {begins, lax::cummax(where(begins, at, 0), sorted.ndim() - 1),
          lax::cummin(where(ends, at, n - 1), sorted.ndim() - 1, true)};
}
int checked_axis(const char* who, const Array& x, int axis) {
  if (axis < -x.ndim() || axis >= x.ndim())
    raise<IndexError>(who, "axis " + std::to_string(axis) + " is out of range for " + type_text(x),
                      "It has " + std::to_string(x.ndim()) + " dims.");
  return axis < 0 ? axis + x.ndim() : axis;
}
Array ranks_last(const Array& x, RankMethod method) {
  const DType dtype = canonical(float64);
  if (x.size() == 0) return zeros(x.shape(), dtype);
  const Array order = argsort(x, -1), place = argsort(order, -1);
  const Runs runs = runs_of(take_along_axis(x, order, -1));
  Array rank;
  if (method == RankMethod::ordinal) rank = broadcast_to(arange(1, x.shape(-1) + 1), x.shape()).astype(dtype);
  if (method == RankMethod::dense) rank = cumsum(runs.begins, -1).astype(dtype);
  if (method == RankMethod::min) rank = (runs.first + 1).astype(dtype);
  if (method == RankMethod::max) rank = (runs.last + 1).astype(dtype);
  if (method == RankMethod::average) rank = 0.5 * (runs.first + runs.last).astype(dtype) + 1;
  const Array out = take_along_axis(rank, place, -1);
  if (!x.dtype().is_inexact()) return out;
  return where(any(isnan(x), -1, true), std::numeric_limits<double>::quiet_NaN(), out);
}
ModeResult mode_of(const Array& x, int axis, bool keepdims) {
  if (x.shape(axis) == 0)
    raise<ShapeError>("mode", type_text(x) + " has nothing along axis " + std::to_string(axis), "Give an element.");
  const Array sorted = sort(moveaxis(x, axis, -1), -1);
  const Runs runs = runs_of(sorted);
  const Array sizes = runs.last - runs.first + 1, most = argmax(sizes, -1, true);
  const Array value = take_along_axis(sorted, most, -1), count = take_along_axis(sizes, most, -1);
  auto put = [&](const Array& a) { return keepdims ? moveaxis(a, -1, axis) : squeeze(a, -1); };
  return {put(value), put(count)};
}

}  // namespace

Array rankdata(const In& x, OneOf<RankMethod> method, std::optional<int> axis) {
  CallScope scope(x.loc);
  if (x.array.dtype().is_complex())
    raise<TypeError>("rankdata", "the array is " + type_text(x.array), "Complex numbers have no order.");
  if (!axis) return ranks_last(ravel(x.array), method);
  const int d = checked_axis("rankdata", x.array, *axis);
  return moveaxis(ranks_last(moveaxis(x.array, d, -1), method), -1, d);
}
ModeResult mode(const In& x, int axis, bool keepdims) {
  CallScope scope(x.loc);
  const Array a = x.array.ndim() == 0 ? reshape(x.array, Shape{1}) : x.array;
  return mode_of(a, checked_axis("mode", a, axis), keepdims);
}
ModeResult mode(const In& x, none_t, bool keepdims) {
  CallScope scope(x.loc);
  ModeResult out = mode_of(ravel(x.array), 0, false);
  if (!keepdims) return out;
  const Shape ones_shape(std::vector<std::int64_t>(static_cast<std::size_t>(x.array.ndim()), 1));
  return {reshape(out.mode, ones_shape), reshape(out.count, ones_shape)};
}
Array sem(const In& in, const SemOptions& o) {
  CallScope scope(in.loc);
  const Array x = special::floating(in.array);
  const Axes axes = o.axis ? Axes(checked_axis("sem", x, *o.axis)) : Axes();
  if (!o.omit_nan) {
    const std::int64_t n = o.axis ? x.shape(*o.axis) : x.size();
    return std_(x, axes, o.keepdims, o.ddof) / std::sqrt(static_cast<double>(n));
  }
  const Array n = sum(~isnan(x), axes, o.keepdims).astype(x.dtype());
  return nanstd_with(x, {.axes = axes, .keepdims = o.keepdims, .ddof = static_cast<double>(o.ddof)}) / sqrt(n);
}

}  // namespace tutti::stats

// SPDX-License-Identifier: Apache-2.0
