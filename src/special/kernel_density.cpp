// Kernel density estimates. Source: jax.scipy.stats.gaussian_kde.
#include <cmath>
#include <numbers>
#include <string>

#include "special/floating.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/statistics.hpp"
#include "tutti/random/distributions.hpp"
#include "tutti/special/multivariate.hpp"
#include "tutti/special/special.hpp"

namespace tutti::stats {
namespace {

Array as_matrix(const Array& x) { return x.ndim() >= 2 ? x : reshape(x, Shape{1, x.size()}); }
void check_real(const Array& x) {
  if (x.dtype().is_complex()) raise<TypeError>("gaussian_kde", "an argument is " + type_text(x), "Give real numbers.");
}
// log of the density's terms: [points, data].
Array log_terms(const gaussian_kde& kde, const Array& points) {
  const Array root = linalg::cholesky(kde.inv_cov);
  const Array data = matmul(kde.dataset.T(), root), at = matmul(points.T(), root);
  const double d = static_cast<double>(kde.dataset.shape()[0]);
  const Array norm = sum(log(diagonal(root))) - 0.5 * d * std::log(2 * std::numbers::pi);
  return norm - 0.5 * sum(square(expand_dims(at, 1) - expand_dims(data, 0)), -1);
}
Array points_of(const gaussian_kde& kde, const Array& in) {
  check_real(in);
  const std::int64_t d = kde.dataset.shape()[0];
  Array points = as_matrix(special::floating(in));
  if (points.ndim() == 2 && points.shape()[0] != d && points.shape()[0] == 1 && points.shape()[1] == d)
    points = points.T();
  if (points.ndim() != 2 || points.shape()[0] != d)
    raise<ShapeError>("gaussian_kde", "the points are " + type_text(in) + " for data of " + std::to_string(d) + " dims",
                      "Give points[d, m].");
  return points.astype(promote_types(points.dtype(), kde.dataset.dtype()));
}
struct Convolution {
  linalg::ChoFactor factor;
  Array norm;
};
Convolution convolution_with(const Array& covariance) {
  const linalg::ChoFactor factor = linalg::cho_factor(covariance);
  const double d = static_cast<double>(covariance.shape(-1));
  return {factor, std::pow(2 * std::numbers::pi, -d / 2) / prod(diagonal(factor.c))};
}
// The sum of the weights times normal distributions at differences[d, n].
Array weighted(const Convolution& c, const Array& differences, const Array& weights) {
  const Array length = sum(differences * linalg::cho_solve(c.factor, differences), 0);
  return c.norm * sum(exp(-0.5 * length) * weights);
}

}  // namespace

Bandwidth::Bandwidth(const char* name, Loc loc) {
  CallScope scope(loc, {"", "stats::gaussian_kde", 0});
  const std::string text = name;
  if (text != "scott" && text != "silverman")
    raise<ValueError>("gaussian_kde", "there is no bandwidth '" + text + "'", "One of: scott silverman; or a number.");
  rule = text == "scott" ? Rule::scott : Rule::silverman;
}

gaussian_kde::gaussian_kde(const In& data, const Bandwidth& bandwidth, const Array& given) {
  CallScope scope(data.loc, {"", "stats::gaussian_kde", 0});
  check_real(data.array);
  dataset = as_matrix(special::floating(data.array));
  if (dataset.ndim() != 2 || dataset.size() < 2)
    raise<ShapeError>("gaussian_kde", "the data are " + type_text(data.array),
                      "Give data[d, n] of two or more numbers.");
  const std::int64_t d = dataset.shape()[0], n = dataset.shape()[1];
  if (given.has_value()) {
    if (given.ndim() != 1 || given.size() != n)
      raise<ShapeError>("gaussian_kde", "the weights are " + type_text(given) + " for data " + type_text(data.array),
                        "Give one for each point.");
    const DType dtype = inexact(promote_types(dataset.dtype(), given.dtype()));
    dataset = dataset.astype(dtype);
    weights = given.astype(dtype) / sum(given.astype(dtype));
  } else {
    weights = full({n}, 1. / static_cast<double>(n), dataset.dtype());
  }
  neff = 1 / sum(square(weights));
  const double power_of = -1. / static_cast<double>(d + 4);
  Array factor = bandwidth.factor;
  if (bandwidth.rule == Bandwidth::Rule::scott) factor = power(neff, power_of);
  if (bandwidth.rule == Bandwidth::Rule::silverman) factor = power(neff * (static_cast<double>(d + 2) / 4), power_of);
  const Array cov_of = reshape(cov(dataset, {.aweights = weights}), Shape{d, d});
  covariance = cov_of * square(factor);
  inv_cov = linalg::inv(cov_of) / square(factor);
}

Array gaussian_kde::evaluate(const In& points) const {
  CallScope scope(points.loc, {"", "stats::gaussian_kde", 0});
  return matmul(exp(log_terms(*this, points_of(*this, points.array))), weights);
}
Array gaussian_kde::logpdf(const In& points) const {
  CallScope scope(points.loc, {"", "stats::gaussian_kde", 0});
  return special::logsumexp(log_terms(*this, points_of(*this, points.array)) + log(weights), -1);
}
Array gaussian_kde::integrate_gaussian(const In& mean, const In& cov_in) const {
  CallScope scope(mean.loc, {"", "stats::gaussian_kde", 0});
  const std::int64_t d = dataset.shape()[0];
  const Array m = special::floating(mean.array), c = special::floating(cov_in.array);
  if (m.size() != d || c.size() != d * d)
    raise<ShapeError>("gaussian_kde",
                      "the mean is " + type_text(mean.array) + ", the covariance " + type_text(cov_in.array) +
                          " for data of " + std::to_string(d) + " dims",
                      "They are [d] and [d, d].");
  return weighted(convolution_with(covariance + reshape(c, Shape{d, d})), dataset - reshape(m, Shape{d, 1}), weights);
}
Array gaussian_kde::integrate_box_1d(const Operand& low, const Operand& high) const {
  CallScope scope(low.loc, {"", "stats::gaussian_kde", 0});
  if (dataset.shape()[0] != 1 || low.array.ndim() != 0 || high.array.ndim() != 0)
    raise<ShapeError>(
        "gaussian_kde",
        "the data are " + type_text(dataset) + ", the limits " + type_text(low.array) + " and " + type_text(high.array),
        "The data have one dim, limits are numbers.");
  const Array at = dataset[0], width = sqrt(covariance(0, 0));
  return sum(weights * (special::ndtr((high.array - at) / width) - special::ndtr((low.array - at) / width)));
}
Array gaussian_kde::integrate_kde(const gaussian_kde& other, Loc loc) const {
  CallScope scope(loc, {"", "stats::gaussian_kde", 0});
  const std::int64_t d = dataset.shape()[0], n = dataset.shape()[1], m = other.dataset.shape()[1];
  if (other.dataset.shape()[0] != d)
    raise<ShapeError>("gaussian_kde", "the data are " + type_text(dataset) + " and " + type_text(other.dataset),
                      "Both have as many dims.");
  const Array differences = reshape(expand_dims(dataset, 2) - expand_dims(other.dataset, 1), Shape{d, n * m});
  return weighted(convolution_with(covariance + other.covariance), differences, ravel(outer(weights, other.weights)));
}
Array gaussian_kde::resample(const In& key, const Shape& shape) const {
  CallScope scope(key.loc, {"", "stats::gaussian_kde", 0});
  const std::vector<Array> keys = random::split(key.array);
  const Array which = random::choice(keys[0], dataset.shape()[1], shape, {.p = weights});
  const Array away = random::multivariate_normal(keys[1], zeros({dataset.shape()[0]}, covariance.dtype()), covariance,
                                                 shape, dataset.dtype());
  return take(dataset, which, 1) + moveaxis(away, -1, 0);
}

}  // namespace tutti::stats

// SPDX-License-Identifier: Apache-2.0
