// Rows of a, permuted, = l u, by partial pivoting. Source: jax.lax.linalg.lu.
#include "ops/linalg/lu.hpp"

#include "ops/linalg/dense.hpp"
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
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    for (std::int64_t k = 0; k < batch_size(shape); ++k) {
      Dense<Precise<T>> a = read_matrix<T>(in[0], k);
      const std::vector<std::int64_t> pivots = factor_lu(a);
      std::vector<std::int64_t> permutation(static_cast<std::size_t>(a.rows));
      std::iota(permutation.begin(), permutation.end(), 0);
      for (std::size_t i = 0; i < pivots.size(); ++i) std::swap(permutation[i], permutation[pivots[i]]);
      write_values<T>(a.data, out[0], k);
      write_values<std::int32_t>(pivots, out[1], k);
      write_values<std::int32_t>(permutation, out[2], k);
    }
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
