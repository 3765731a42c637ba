// More distributions, each made of the draws of random.hpp: the same key gives the numbers that JAX has. Parameters
// broadcast to `shape`, which unless given is theirs. Floating dtypes; ShapeError where parameters do not broadcast.
// Source: jax.random.
#pragma once

#include <optional>

#include "tutti/random/random.hpp"

namespace tutti::random {

/// The length of a vector of three standard normal numbers; and with a random sign, times `scale`, plus `loc`.
Array maxwell(const In& key, const Shape& shape = {}, DType dtype = canonical(float64));
Array double_sided_maxwell(const In& key, const Operand& loc, const Operand& scale, const Shape& shape = {},
                           DType dtype = canonical(float64));
Array weibull_min(const In& key, const Operand& scale, const Operand& concentration, const Shape& shape = {},
                  DType dtype = canonical(float64));
/// 1 and more, with the exponent b.
Array pareto(const In& key, const Operand& b, const std::optional<Shape>& shape = {}, DType dtype = canonical(float64));
Array rayleigh(const In& key, const Operand& scale, const std::optional<Shape>& shape = {},
               DType dtype = canonical(float64));
Array triangular(const In& key, const Operand& left, const Operand& mode, const Operand& right,
                 const std::optional<Shape>& shape = {}, DType dtype = canonical(float64));
/// The inverse Gaussian distribution with scale 1.
Array wald(const In& key, const Operand& mean, const std::optional<Shape>& shape = {},
           DType dtype = canonical(float64));
/// How many trials of success p there are up to the first success.
Array geometric(const In& key, const Operand& p, const std::optional<Shape>& shape = {},
                DType dtype = canonical(int64));

// --- by rejection: loops that go on until every element has its number

/// The gamma distribution with shape parameter a > 0 and scale 1, and its logarithm, which is right where the number
/// itself would be 0. Derivatives by a are those of the number drawn. Source: Marsaglia and Tsang 2000.
Array gamma(const In& key, const Operand& a, const std::optional<Shape>& shape = {}, DType dtype = canonical(float64));
Array loggamma(const In& key, const Operand& a, const std::optional<Shape>& shape = {},
               DType dtype = canonical(float64));
Array beta(const In& key, const Operand& a, const Operand& b, const std::optional<Shape>& shape = {},
           DType dtype = canonical(float64));
/// With df degrees of freedom; f: the ratio of two, each over its number of degrees.
Array chisquare(const In& key, const Operand& df, const std::optional<Shape>& shape = {},
                DType dtype = canonical(float64));
Array f(const In& key, const Operand& dfnum, const Operand& dfden, const std::optional<Shape>& shape = {},
        DType dtype = canonical(float64));
/// Student's distribution.
Array t(const In& key, const Operand& df, const std::optional<Shape>& shape = {}, DType dtype = canonical(float64));
/// Vectors of positive numbers with sum 1, [shape..., n] for alpha[..., n].
Array dirichlet(const In& key, const In& alpha, const std::optional<Shape>& shape = {},
                DType dtype = canonical(float64));
/// Distribution with density exp(-|x|^p).
Array generalized_normal(const In& key, double p, const Shape& shape = {}, DType dtype = canonical(float64));
/// Vectors of d numbers, [shape..., d], evenly in the ball of those whose p-norm is 1 at most.
Array ball(const In& key, Dim d, double p = 2, const Shape& shape = {}, DType dtype = canonical(float64));

/// How often something happens that is expected `lam` times; -1 where lam is NaN or negative, the largest number of the
/// dtype where lam is infinite or beyond it. Sources: Knuth; Hoermann 1993.
Array poisson(const In& key, const Operand& lam, const std::optional<Shape>& shape = {},
              DType dtype = canonical(int64));
/// How many of n trials, of which each succeeds with probability p, do; NaN where n or p make no sense.
Array binomial(const In& key, const Operand& n, const Operand& p, const std::optional<Shape>& shape = {},
               DType dtype = canonical(float64));
/// How many of n trials have which of the outcomes of probabilities p[..., outcomes]; `shape` is that of the result.
Array multinomial(const In& key, const Operand& n, const In& p, const std::optional<Shape>& shape = {},
                  DType dtype = canonical(float64));

// --- of several numbers

/// How a root of the covariance is found.
enum class CovarianceRoot { cholesky, eigh, svd };
constexpr Choices choices_of(CovarianceRoot) { return {"random::multivariate_normal", "method", "cholesky eigh svd"}; }
/// mean[..., n] + root(cov[..., n, n]) z, z standard normal: [shape..., n]; `shape` unless given that of the leading
/// dims.
Array multivariate_normal(const In& key, const In& mean, const In& cov, const std::optional<Shape>& shape = {},
                          DType dtype = canonical(float64), OneOf<CovarianceRoot> method = CovarianceRoot::cholesky);

/// Matrices [shape..., n, m] (m unless given n) with orthonormal columns, or rows where there are fewer of them, all
/// equally likely.
Array orthogonal(const In& key, Dim n, const Shape& shape = {}, DType dtype = canonical(float64),
                 std::optional<Dim> m = {});

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
