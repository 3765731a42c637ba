// Rows of a, permuted, = l u, by partial pivoting. Source: jax.lax.linalg.lu.
#include "ops/linalg/lu.hpp"

#include <numeric>

#include "ops/linalg/matrix.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer_lu(const Call& c) {
  check_matrices(c, 0, false);
  const Type& a = c.operands[0];
  const std::int64_t m = rows_of(a.shape), n = cols_of(a.shape);
  const Shape batch = batch_shape(a.shape);
  return {type(a.dtype, a.shape), type(int32, with_core(batch, {std::min(m, n)})), type(int32, with_core(batch, {m}))};
}

void eval_lu(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  const std::int64_t m = rows_of(shape), n = cols_of(shape), size = m * n, steps = std::min(m, n);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    if constexpr (!is_complex<T>)
      if (SmallMatrices<T>::takes(std::max(m, n), batch_size(shape)) && steps > 0)
        return for_each_group<T>(batch_size(shape), static_cast<double>(size * steps),
                                 [&](std::int64_t k, std::int64_t count, SmallMatrices<T>& kernels) {
                                   kernels.lu(count, static_cast<int>(m), static_cast<int>(n),
                                              in[0].as<const T>() + k * size, out[0].as<T>() + k * size,
                                              out[1].as<std::int32_t>() + k * steps, out[2].as<std::int32_t>() + k * m);
                                 });
    for_each_matrix<T>(batch_size(shape), static_cast<double>(size * steps), [&](std::int64_t k, Workspace<T>& space) {
      T* to = out[0].as<T>() + k * size;
      auto* pivots = out[1].as<std::int32_t>() + k * steps;
      auto* permutation = out[2].as<std::int32_t>() + k * m;
      Lapack<T>::lu(static_cast<int>(m), static_cast<int>(n), in[0].as<const T>() + k * size, to, pivots, space,
                    batch_size(shape) == 1);
      std::iota(permutation, permutation + m, 0);
      for (std::int64_t i = 0; i < steps; ++i) std::swap(permutation[i], permutation[pivots[i]]);
    });
  });
}

// With b = l^-1 (p a') u^-1: l' = l tril(b, -1), u' = triu(b) u; both factors made square by ones on the diagonal
// (de Hoog, Anderssen, Lukas: Differentiation of matrix functionals using triangular factorization).
Arrays jvp_lu(const Call&, const Arrays&, const Arrays& results, const Arrays& tangents) {
  const Array& both = results[0];
  if (both.size() == 0) return Arrays(3);
  const std::int64_t m = rows_of(both.shape()), n = cols_of(both.shape()), k = std::min(m, n);
  const int last = both.ndim() - 1;
  auto padded = [&](const Array& x, int dim, std::int64_t by) {
    std::vector<lax::PadDim> config(static_cast<std::size_t>(both.ndim()));
    config[static_cast<std::size_t>(dim)].high = by;
    return lax::pad(x, zeros(both.dtype(), Shape{}), config);
  };
  auto part = [&](std::int64_t rows, std::int64_t cols) {
    return lax::slice(both, Dims(both.shape().size(), 0), with_core(batch_shape(both.shape()), {rows, cols}).dims());
  };
  const Array l = padded(tril(part(m, k), -1), last, m - k) + identity(m, both);
  const Array ones =
      where(lax::ge(lax::iota(int32, Shape{n}, 0), lax::broadcast_in_dim(literal(int32, k), Shape{n}, {})),
            identity(n, both), zeros(both.dtype(), Shape{}));
  const Array u = padded(triu(part(k, n)), last - 1, n - k) + ones;
  const Array moved = take_along_axis(tangents[0], expand_dims(results[2], -1), -2);
  const Array left = lax::linalg::triangular_solve(l, moved, {.left_side = true, .lower = true, .unit_diagonal = true});
  const Array b = lax::linalg::triangular_solve(u, left, {.left_side = false});
  return {matmul(l, tril(b, -1)) + matmul(triu(b), u), Array(), Array()};
}

}  // namespace

constinit const Home lu = [] {
  Op op;
  op.name = "lu";
  op.infer = infer_lu;
  op.eval = eval_lu;
  op.factors = [](const Call& c, const std::vector<Type>& r) { return matrix_factors(c, r, {2}, {2, 1, 1}); };
  op.jvp = jvp_lu;
  op.batch = matrix_batch;
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    return static_cast<double>(r[0].num_elements() * cols_of(c.operands[0].shape)) * 2 / 3;
  };
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 4, 2}, Shape{2, 4}, Shape{1, 1}, Shape{20, 18}, Shape{2, 0, 3}})
    op.samples.push_back({.params = {}, .operands = {type(float32, shape)}});
  op.samples.push_back({.params = {}, .operands = {type(float64, {2, 3, 3})}});
  op.samples.push_back({.params = {}, .operands = {type(complex64, {3, 3})}, .differentiable = false});
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Lu lu(const In& a) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::lu, {}, {a.array});
  return {out[0], out[1], out[2]};
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
