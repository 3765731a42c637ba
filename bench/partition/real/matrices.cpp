// Linear algebra and statistics.
#include "real.hpp"

namespace bench::real {
namespace {

Two orthogonal(const Array& x) {
  const auto r = linalg::qr(x);
  return {abs(r.q), abs(r.r)};  // signs are free
}
Array ridge(const Array& x, const Array& y) {
  return linalg::solve(matmul(x.T(), x) + 0.1 * eye(x.shape(1)), matmul(x.T(), y));
}
Array kernel_product(const Array& x, const Array& y) {
  const Array q = square(x).sum(1);
  return matmul(exp(-(expand_dims(q, 1) + q - 2 * matmul(x, x.T()))), y);
}
Array principal_components(const Array& data) {
  const Array x = data - data.mean(0);
  const auto e = linalg::eigh(matmul(x.T(), x) / as_double(x.shape(0)));
  return abs(matmul(x, e.v(all, slice(-2, none))));
}
Two trace_and_diagonal(const Array& x) { return {trace(x), diagonal(x)}; }
Array product_of_three(const Array& a, const Array& b, const Array& v) { return matmul(a, matmul(b, v)); }
Array with_short_rows(const Array& x) { return x / maximum(linalg::norm(x, none, 1, true), 1); }

// The figure of the review that the row comes from, scaled with the extent: 4,096 + 3,072 bytes for each product and
// 4,096 for the order of the result, at 4,096 rows. Not derived or written by hand here.
double bytes_of_chain(std::int64_t n) { return (2 * (1 + 0.75) + 1) * as_double(n); }

}  // namespace

std::vector<Row> matrices(const Extents& at) {
  const std::int64_t tall = at(65536, 64), narrow = at(64, 4), features = at(256, 8), n = at(4096, 32);
  const std::int64_t points = at(8192, 64), d = at(64, 4), columns = at(128, 8), even = at(4096, 64);
  const Input square = numbers({n, n}, xy), striped = numbers({even, even}, cut);
  const double triangles = 8 * as_double(narrow * narrow) * 4;
  const double normal_equations = as_double(features * features + features) * 4;
  return {
      {"tsqr",
       "qr of a tall matrix, rows cut",
       d8,
       {numbers({tall, narrow}, cut)},
       {cut, whole},
       of(orthogonal),
       {all_gather(8, triangles), {}, 14680064},
       "I"},
      {"lstsq_normal",
       "ridge regression by normal equations, rows cut",
       d8,
       {numbers({tall, features}, cut), numbers({tall}, cut)},
       {whole},
       of(ridge),
       {all_reduce(8, normal_equations)}},
      {"kernel_matvec",
       "Gaussian kernel matrix times vector, points cut",
       d8,
       {numbers({points, d}, cut), numbers({points}, cut)},
       {cut},
       of(kernel_product),
       {all_gather(8, as_double(points * (d + 1)) * 4)}},
      {"pca",
       "principal components by eigh, rows cut",
       d8,
       {numbers({tall, columns}, cut)},
       {cut},
       of(principal_components),
       {all_reduce(8, as_double(columns * columns + columns) * 4)}},
      {"trace_diag",
       "trace and diagonal, rows cut",
       d8,
       {striped},
       {whole, cut},
       of(trace_and_diagonal),
       {scalar_sum, {}, 43015},
       "I"},
      {"symmetrise",
       "(x + x^T) / 2, rows cut",
       d8,
       {striped},
       {cut},
       of([](const Array& x) { return 0.5 * (x + x.T()); }),
       {all_to_all(8, as_double(even * even) * 4 / 8)}},
      {"chain_left",
       "A (B v) on 4x2",
       xy42,
       {square, square, numbers({n}, P("y"))},
       {P("y")},
       of(product_of_three),
       {bytes_of_chain(n), {}, 33570816},
       "K"},
      {"clip_norm",
       "x / max(1, norm of rows), both dims cut",
       xy42,
       {square},
       {xy},
       of(with_short_rows),
       {all_reduce(2, as_double(n / 4) * 4)}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
