// Iterations with matrices, systems with many right sides, statistics of columns.
#include "real.hpp"

namespace bench::real {
namespace {

Array power_iteration(const Array& a, const Array& start) {
  auto step = [&](const Array&, const Array& v) {
    const Array w = matmul(a, v);
    return w / linalg::norm(w);
  };
  return lax::fori_loop(0, 10, step, start);
}
Array jacobi_iteration(const Array& a, const Array& b) {
  const Array d = diagonal(a) + as_double(a.shape(0));
  auto step = [&](const Array&, const Array& x) { return x + (b - matmul(a, x) - as_double(a.shape(0)) * x) / d; };
  return lax::fori_loop(0, 10, step, zeros_like(b));
}
Array conjugate(const Array& a, const Array& b) {
  auto step = [&](const Array&, const Arrays& c) {
    const Array q = matmul(a, c[2]) + as_double(a.shape(0)) * c[2], t = c[3] / dot(c[2], q);
    const Array x = c[0] + t * c[2], residual = c[1] - t * q, norm = dot(residual, residual);
    return Arrays{x, residual, residual + norm / c[3] * c[2], norm};
  };
  return lax::fori_loop(0, 10, step, Arrays{zeros_like(b), b, b, dot(b, b)})[0];
}
Array regular(const Array& a) { return a + as_double(a.shape(0)) * eye(a.shape(0)); }
Array solved_columns(const Array& a, const Array& b) { return linalg::solve(regular(a), b); }
Array triangular_columns(const Array& a, const Array& b) {
  return linalg::solve_triangular(regular(a), b, {.lower = true});
}
Array cholesky_columns(const Array& a, const Array& b) {
  return linalg::cho_solve(linalg::cho_factor(regular(matmul(a, a.T()))), b);
}
Array inverses(const Array& a) { return linalg::inv(a + 4 * eye(a.shape(1))); }
Array correlations(const Array& x) { return corrcoef(x, false); }
Array whitened(const Array& x) {
  const Array centred = x - x.mean(0), c = matmul(centred.T(), centred) / as_double(x.shape(0));
  const Array factor = linalg::cholesky(c + 1e-3 * eye(x.shape(1)));
  return linalg::solve_triangular(factor, centred.T(), {.lower = true}).T();
}
Array distances_to(const Array& x, const Array& y) {
  return sqrt(maximum(expand_dims(square(x).sum(1), 1) + square(y).sum(1) - 2 * matmul(x, y.T()), 0));
}
Array logistic_newton(const Array& x, const Array& y, const Array& start) {
  auto step = [&](const Array&, const Array& w) {
    const Array p = nn::sigmoid(matmul(x, w)), weight = expand_dims(p * (1 - p), 1);
    const Array hessian = matmul(x.T(), weight * x) + eye(x.shape(1));
    return w - linalg::solve(hessian, matmul(x.T(), p - y) + w);
  };
  return lax::fori_loop(0, 5, step, start);
}
Array sinkhorn(const Array& cost) {
  const std::int64_t n = cost.shape(0), m = cost.shape(1);
  const Array k = exp(-cost);
  auto step = [&](const Array&, const Two& s) {
    const Array u = 1 / (matmul(k, s.second) + 1e-3);
    return Two{u, 1 / (matmul(k.T(), u) + 1e-3)};
  };
  const Two s = lax::fori_loop(0, 10, step, Two{ones({n}), ones({m})});
  return expand_dims(s.first, 1) * k * s.second;
}

}  // namespace

std::vector<Row> solvers(const Extents& at) {
  const std::int64_t n = at(4096, 64), m = at(512, 8), columns = at(65536, 64), rows = at(65536, 64),
                     features = at(128, 8);
  const std::int64_t many = at(4096, 16), small = at(8, 3), points = at(1024, 16);
  const Input striped = numbers({n, n}, cut), vector = numbers({n}, cut), square = numbers({m, m}, whole),
              table = numbers({rows, features}, cut);
  const double gathered = all_gather(8, as_double(n) * 4);
  const double gram = as_double(features * features) * 4, of_columns = as_double(features) * 4;
  return {
      {"power_iteration",
       "power iteration, 10 steps, rows cut",
       d8,
       {striped, numbers({n}, whole)},
       {whole},
       of(power_iteration),
       {10 * gathered}},
      {"jacobi_dense",
       "Jacobi iteration, 10 steps, rows cut",
       d8,
       {striped, vector},
       {cut},
       of(jacobi_iteration),
       {10 * gathered},
       "I"},
      {"cg_dense",
       "conjugate gradients, 10 steps, rows cut",
       d8,
       {striped, vector},
       {cut},
       of(conjugate),
       {10 * (gathered + 2 * scalar_sum) + scalar_sum}},
      {"solve_columns",
       "solve, many right sides, cut",
       d8,
       {square, numbers({m, columns}, second)},
       {second},
       of(solved_columns),
       {0},
       "I"},
      {"triangular_columns",
       "solve_triangular, many right sides, cut",
       d8,
       {square, numbers({m, columns}, second)},
       {second},
       of(triangular_columns),
       {0},
       "I"},
      {"cholesky_columns",
       "cho_factor, cho_solve, many right sides, cut",
       d8,
       {square, numbers({m, columns}, second)},
       {second},
       of(cholesky_columns),
       {0},
       "I"},
      {"inverses",
       "inv of many small matrices, batch cut",
       d8,
       {numbers({many, small, small}, cut)},
       {cut},
       of(inverses),
       {0}},
      {"correlations",
       "corrcoef of columns, rows cut",
       d8,
       {table},
       {whole},
       of(correlations),
       {all_reduce(8, gram) + all_reduce(8, of_columns)}},
      // Means, products, and right sides of a triangular system that are the rows.
      {"whitened",
       "columns whitened by cholesky and solve_triangular",
       d8,
       {table},
       {cut},
       of(whitened),
       {all_reduce(8, gram) + all_reduce(8, of_columns)},
       "I"},
      {"distances_to",
       "distances of cut points to whole ones",
       d8,
       {table, numbers({points, features}, whole)},
       {cut},
       of(distances_to),
       {0}},
      {"newton_logistic",
       "logistic regression, 5 Newton steps, rows cut",
       d8,
       {table, numbers({rows}, cut), numbers({features}, whole)},
       {whole},
       of(logistic_newton),
       {5 * all_reduce(8, gram + of_columns)}},
      // u lies with the rows; v is summed over them.
      {"sinkhorn",
       "optimal transport, 10 steps, rows cut",
       d8,
       {striped},
       {cut},
       of(sinkhorn),
       {10 * all_reduce(8, as_double(n) * 4)}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
