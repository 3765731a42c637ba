// a = l l^H. Source: jax.lax.linalg.cholesky, without its symmetrization.
#include "ops/linalg/cholesky.hpp"

#include "ops/linalg/matrix.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

void eval_cholesky(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  const std::int64_t n = cols_of(shape), size = n * n;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    if constexpr (!is_complex<T>)
      if (SmallMatrices<T>::takes(n, batch_size(shape)))
        return for_each_group<T>(batch_size(shape), static_cast<double>(size * n) / 3,
                                 [&](std::int64_t k, std::int64_t count, SmallMatrices<T>& kernels) {
                                   kernels.cholesky(count, static_cast<int>(n), in[0].as<const T>() + k * size,
                                                    out[0].as<T>() + k * size);
                                 });
    for_each_matrix<T>(batch_size(shape), static_cast<double>(size * n) / 3, [&](std::int64_t k, Workspace<T>&) {
      Lapack<T>::cholesky(static_cast<int>(n), in[0].as<const T>() + k * size, out[0].as<T>() + k * size,
                          batch_size(shape) == 1);
    });
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
