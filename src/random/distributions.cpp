#include "tutti/random/distributions.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "random/parameters.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/matrix.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::random {
std::vector<Array> parameters(const char* name, const std::vector<Array>& given, const std::optional<Shape>& shape,
                              DType dtype) {
  std::vector<Array> out;
  for (const Array& p : given) out.push_back(lax::convert_element_type(p, dtype));
  const Shape common = broadcast_arrays(out)[0].shape();
  Shape whole = shape.value_or(common);
  for (Array& p : out) {
    bool fits = p.ndim() <= whole.ndim();
    for (int d = 1; fits && d <= p.ndim(); ++d) fits = p.shape(-d) == 1 || p.shape(-d) == whole[whole.size() - d];
    if (!fits)
      raise<ShapeError>(name, "a parameter is " + type_text(p) + " for the shape " + whole.str(),
                        "Parameters broadcast to the shape of the result.");
    p = broadcast_to(p, whole);
  }
  return out;
}

Array maxwell(const In& key, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  Shape vectors = shape;
  vectors.push_back(3);
  return linalg::norm(normal(key, vectors, dtype), none, -1);
}

Array double_sided_maxwell(const In& key, const Operand& loc, const Operand& scale, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  const Shape own = broadcast_arrays({loc.array, scale.array})[0].shape();
  Shape whole = shape.empty() ? own : shape;
  for (std::int64_t d : own) whole.push_back(d);
  const auto [for_size, for_sign] = split<2>(key.array);
  return rademacher(for_sign, whole, dtype) * maxwell(for_size, whole, dtype) * scale.array + loc.array;
}

Array weibull_min(const In& key, const Operand& scale, const Operand& concentration, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  const Array u = uniform(key, shape, 0., 1., dtype);
  return power(-log1p(-u), 1. / concentration.array) * scale.array;
}

Array pareto(const In& key, const Operand& b, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const Array exponent = parameters("random::pareto", {b.array}, shape, canonical(dtype))[0];
  return exp(exponential(key, exponent.shape(), dtype) / exponent);
}

Array rayleigh(const In& key, const Operand& scale, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const Array size = parameters("random::rayleigh", {scale.array}, shape, canonical(dtype))[0];
  return size * sqrt(log(uniform(key, size.shape(), 0., 1., dtype)) * -2.);
}

Array triangular(const In& key, const Operand& left, const Operand& mode, const Operand& right,
                 const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const std::vector<Array> p =
      parameters("random::triangular", {left.array, mode.array, right.array}, shape, canonical(dtype));
  const Array &low = p[0], &top = p[1], &high = p[2], u = uniform(key, low.shape(), 0., 1., dtype);
  return where(u < (top - low) / (high - low), low + sqrt(u * (high - low) * (top - low)),
               high - sqrt((1 - u) * (high - low) * (high - top)));
}

// Michael, Schucany and Haas 1976.
Array wald(const In& key, const Operand& mean, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const Array m = parameters("random::wald", {mean.array}, shape, canonical(dtype))[0];
  const auto [for_normal, for_uniform] = split<2>(key.array);
  const Array y = square(normal(for_normal, m.shape(), dtype));
  const Array x = m + square(m) * y / 2 - m / 2 * sqrt(4 * m * y + square(m) * square(y));
  return where(uniform(for_uniform, m.shape(), 0., 1., dtype) <= m / (m + x), x, square(m) / x);
}

Array geometric(const In& key, const Operand& p, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const DType real = p.array.dtype().is_floating() ? p.array.dtype() : canonical(float64);
  const Array chance = parameters("random::geometric", {p.array}, shape, real)[0];
  const Array u = uniform(key, chance.shape(), 0., 1., real);
  return (floor(log(where(u == 0, 1, u)) / log1p(-chance)) + 1).astype(canonical(dtype));
}

Array multivariate_normal(const In& key, const In& mean, const In& cov, const std::optional<Shape>& shape, DType dtype,
                          OneOf<CovarianceRoot> method) {
  CallScope scope(key.loc);
  const DType d = canonical(dtype);
  const Array m = lax::convert_element_type(mean, d), c = lax::convert_element_type(cov, d);
  const std::int64_t n = m.ndim() ? m.shape(-1) : 0;
  if (m.ndim() < 1 || c.ndim() < 2 || c.shape(-1) != n || c.shape(-2) != n)
    raise<ValueError>("random::multivariate_normal", "mean is " + type_text(m) + ", cov " + type_text(c),
                      "They are [..., n] and [..., n, n].");
  Array root;
  if (method == CovarianceRoot::cholesky) {
    root = linalg::cholesky(c);
  } else if (method == CovarianceRoot::eigh) {
    const auto [w, v] = linalg::eigh(c);
    root = v * expand_dims(sqrt(w), -2);
  } else {
    const auto factors = linalg::svd(c);
    root = factors.u * expand_dims(sqrt(factors.s), -2);
  }
  Shape whole = shape.value_or(broadcast_arrays({m, diagonal(c, 0, -2, -1)})[0].shape());
  if (shape) whole.push_back(n);
  return m + squeeze(matmul(root, expand_dims(normal(key, whole, dtype), -1)), -1);
}

Array orthogonal(const In& key, Dim n, const Shape& shape, DType dtype, std::optional<Dim> m) {
  CallScope scope(key.loc);
  const std::int64_t cols = m.value_or(n);
  if (n < 0 || cols < 0)
    raise<ValueError>("random::orthogonal", "the extents are " + std::to_string(n) + " and " + std::to_string(cols),
                      "Give 0 or more.");
  Shape tall = shape;
  tall.push_back(std::max<std::int64_t>(n, cols));
  tall.push_back(std::min<std::int64_t>(n, cols));
  const auto [q, r] = linalg::qr(normal(key, tall, dtype));
  const Array x = q * expand_dims(sign(diagonal(r, 0, -2, -1)), -2);  // the factor that r's positive diagonal makes one
  return n < cols ? swapaxes(x, -1, -2) : x;
}

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
