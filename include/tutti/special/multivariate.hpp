// Distributions of several numbers, ranks and kernel estimates. Not part of tutti.hpp: include this file. Source:
// jax.scipy.stats. Floating results; integers become float32. ShapeError where shapes do not fit together.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/choice.hpp"
#include "tutti/tree/types.hpp"

namespace tutti::stats {

/// Of vectors x[..., n] with this mean[..., n] (or a number) and covariance[..., n, n] (or a variance for all); leading
/// dims broadcast. NaN where the covariance is not positive definite.
namespace multivariate_normal {
Array logpdf(const In& x, const Operand& mean, const Operand& cov);
Array pdf(const In& x, const Operand& mean, const Operand& cov);
}  // namespace multivariate_normal

/// x[n, ...] of positive numbers that add up to 1 for alpha[n]; the last of them may be left out.
namespace dirichlet {
Array logpdf(const In& x, const In& alpha);
Array pdf(const In& x, const In& alpha);
}  // namespace dirichlet

/// How often x[..., k] each of k outcomes comes in n trials with probabilities p[..., k]. Of integers (else TypeError).
namespace multinomial {
Array logpmf(const In& x, const Operand& n, const In& p);
Array pmf(const In& x, const Operand& n, const In& p);
}  // namespace multinomial

namespace poisson {
/// -sum p log(p) over the numbers that are probable; for mu of 100 and more the first terms of its series.
Array entropy(const Operand& mu, const Operand& loc = 0.f);
}  // namespace poisson

/// Equal elements get the mean, least or greatest of their ranks; dense: ranks without gaps; ordinal: in their order.
enum class RankMethod { average, min, max, dense, ordinal };
constexpr Choices choices_of(RankMethod) { return {"rankdata", "method", "average min max dense ordinal"}; }
/// Ranks from 1 of the flat array, or along an axis, as floats; NaN where there is a NaN.
Array rankdata(const In& x, OneOf<RankMethod> method = RankMethod::average, std::optional<int> axis = {});

struct ModeResult {
  Array mode, count;
};
/// The least of the most frequent elements along an axis (`none`: of the flat array), and how often it is there.
ModeResult mode(const In& x, int axis = 0, bool keepdims = false);
ModeResult mode(const In& x, none_t, bool keepdims = false);
/// The standard deviation over the square root of their number: the error of the mean. omit_nan leaves NaNs out.
struct SemOptions {
  std::optional<int> axis = 0;
  int ddof = 1;
  bool omit_nan = false, keepdims = false;
};
Array sem(const In& x, const SemOptions& options = {});

/// The width of the kernels, as a multiple of the data's deviations: by Scott's or Silverman's rule, or a number.
struct Bandwidth {
  enum class Rule { scott, silverman, number };
  Rule rule = Rule::scott;
  Array factor = {};
  Bandwidth() = default;
  Bandwidth(const char* name, Loc loc = Loc::current());
  template <Number T> Bandwidth(T value) : rule(Rule::number), factor(value) {}
  Bandwidth(const Array& value) : rule(Rule::number), factor(value) {}
};
/// The density from which data[d, n] (or [n]) were drawn, as a sum of a normal distribution around each point. A tree:
/// it may be an argument of jitted and differentiated functions.
///
///     const stats::gaussian_kde density(points);
///     Array p = density(arange(10.));
///
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class gaussian_kde {
 public:
  gaussian_kde() = default;
  /// `weights`[n]: of the points, equal unless given. ShapeError for fewer than two numbers, TypeError for complex
  /// ones.
  explicit gaussian_kde(const In& dataset, const Bandwidth& bandwidth = {}, const Array& weights = {});
  /// At points[d, m]: [m]. ShapeError for another d (one point may be a vector [d]).
  Array evaluate(const In& points) const;
  Array operator()(const In& points) const { return evaluate(points); }
  Array pdf(const In& points) const { return evaluate(points); }
  Array logpdf(const In& points) const;
  /// The integral of the density times a normal distribution with this mean[d] and cov[d, d]; of it between two numbers
  /// (d = 1, else ShapeError); and of it times another one.
  Array integrate_gaussian(const In& mean, const In& cov) const;
  Array integrate_box_1d(const Operand& low, const Operand& high) const;
  Array integrate_kde(const gaussian_kde& other, Loc loc = Loc::current()) const;
  /// [d, ...shape] points drawn from it.
  Array resample(const In& key, const Shape& shape = {}) const;

  Array neff, dataset, weights, covariance, inv_cov;
};

}  // namespace tutti::stats

namespace tutti {
template <> struct tree_traits<stats::gaussian_kde> {
  static constexpr auto members =
      std::tuple{&stats::gaussian_kde::neff, &stats::gaussian_kde::dataset, &stats::gaussian_kde::weights,
                 &stats::gaussian_kde::covariance, &stats::gaussian_kde::inv_cov};
};
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
