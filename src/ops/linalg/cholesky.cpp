// a = l l^H. Source: jax.lax.linalg.cholesky, without its symmetrization.
#include "ops/linalg/cholesky.hpp"

#include "ops/linalg/dense.hpp"
#include "ops/linalg/matrix.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

// Column by column: the diagonal, then what is below it.
void eval_cholesky(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  const std::int64_t n = cols_of(shape);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    for (std::int64_t k = 0; k < batch_size(shape); ++k) {
      const Dense<Precise<T>> a = read_matrix<T>(in[0], k);
      Dense<Precise<T>> l(n, n);
      bool positive = true;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = j; i < n; ++i) {
          Precise<T> rest = i == j ? Precise<T>(std::real(a(i, i))) : a(i, j);
          for (std::int64_t c = 0; c < j; ++c) rest -= l(i, c) * conjugate(l(j, c));
          positive = positive && (i != j || std::real(rest) > 0);
          l(i, j) = i == j ? Precise<T>(std::sqrt(std::real(rest))) : rest / l(j, j);
        }
      const double nan = std::numeric_limits<double>::quiet_NaN();
      for (std::int64_t i = 0; i < n && !positive; ++i)
        for (std::int64_t j = 0; j <= i; ++j) l(i, j) = nan;
      write_values<T>(l.data, out[0], k);
    }
  });
}

// With s the tangent, which is Hermitian as the matrix is: l' = l phi(l^-1 s l^-H), phi the lower triangle with half
// the diagonal (Murray, arXiv:1602.07527).
Arrays jvp_cholesky(const Call&, const Arrays&, const Arrays& results, const Arrays& tangents) {
  const Array& l = results[0];
  const Array right = lax::linalg::triangular_solve(
      l, tangents[0], {.left_side = false, .lower = true, .transpose_a = true, .conjugate_a = true});
  const Array both = lax::linalg::triangular_solve(l, right, {.left_side = true, .lower = true});
  return {matmul(l, tril(both) / (1 + identity(l.shape().back(), l)))};
}

}  // namespace

constinit const Home cholesky = [] {
  Op op;
  op.name = "cholesky";
  op.infer = [](const Call& c) {
    check_matrices(c, 0, true);
    return std::vector{type(c.operands[0].dtype, c.operands[0].shape)};
  };
  op.eval = eval_cholesky;
  op.factors = [](const Call& c, const std::vector<Type>& r) { return matrix_factors(c, r, {2}, {2}); };
  op.jvp = jvp_cholesky;
  op.batch = matrix_batch;
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    return static_cast<double>(r[0].num_elements() * cols_of(c.operands[0].shape)) / 3;
  };
  op.samples = {
      {.params = {}, .operands = {type(float32, {1, 1})}, .lo = 0.5},
      {.params = {}, .operands = {type(float32, {3, 1, 1})}, .lo = 0.5},
      {.params = {}, .operands = {type(float32, {2, 3, 3})}, .differentiable = false},  // most have no factor
      {.params = {}, .operands = {type(float64, {2, 2})}, .differentiable = false},
      {.params = {}, .operands = {type(complex64, {2, 2})}, .lo = 0.5, .differentiable = false},
      {.params = {}, .operands = {type(float32, {2, 0, 0})}},
      {.params = {}, .operands = {type(float32, {0, 2, 2})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Array cholesky(const In& a) {
  CallScope scope(a.loc);
  return bind1(ops::cholesky, {}, {a.array});
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
