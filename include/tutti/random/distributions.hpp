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

/// How a root of the covariance is found.
enum class CovarianceRoot { cholesky, eigh, svd };
/// mean[..., n] + root(cov[..., n, n]) z, z standard normal: [shape..., n]; `shape` unless given that of the leading
/// dims.
Array multivariate_normal(const In& key, const In& mean, const In& cov, const std::optional<Shape>& shape = {},
                          DType dtype = canonical(float64), CovarianceRoot method = CovarianceRoot::cholesky);

/// Matrices [shape..., n, m] (m unless given n) with orthonormal columns, or rows where there are fewer of them, all
/// equally likely.
Array orthogonal(const In& key, Dim n, const Shape& shape = {}, DType dtype = canonical(float64),
                 std::optional<Dim> m = {});

}  // namespace tutti::random
