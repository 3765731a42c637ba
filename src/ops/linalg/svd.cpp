// a = u diag(s) vh. Source: jax.lax.linalg.svd.
#include "ops/linalg/svd.hpp"

#include "ops/linalg/dense.hpp"
#include "ops/linalg/jacobi.hpp"
#include "ops/linalg/matrix.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer_svd(const Call& c) {
  check_matrices(c, 0, false);
  check_room(c);
  const auto& p = c.get<SvdForm>();
  const Type& a = c.operands[0];
  const std::int64_t m = rows_of(a.shape), n = cols_of(a.shape), k = std::min(m, n);
  const Shape batch = batch_shape(a.shape);
  std::vector<Type> out = {type(real_dtype(a.dtype), with_core(batch, {k}))};
  if (!p.vectors) return out;
  out.push_back(type(a.dtype, with_core(batch, {m, p.full ? m : k})));
  out.push_back(type(a.dtype, with_core(batch, {p.full ? n : k, n})));
  return out;
}

void eval_svd(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<SvdForm>();
  const Shape& shape = in[0].type.shape;
  const std::int64_t m = rows_of(shape), n = cols_of(shape), k = std::min(m, n), columns = p.full ? m : k,
                     rows = p.full ? n : k;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < batch_size(shape); ++i) {
      const Dense<Precise<T>> a = read_matrix<T>(in[0], i);
      if (!a.finite()) {
        write_nan<Real<T>>(out[0], i, k);
        if (p.vectors) write_nan<T>(out[1], i, m * columns);
        if (p.vectors) write_nan<T>(out[2], i, rows * n);
        continue;
      }
      auto found = singular_values(m < n ? adjoint_of(a) : a, p.full);
      if (m < n) std::swap(found.left, found.right);
      write_values<Real<T>>(found.values, out[0], i);
      if (!p.vectors) continue;
      write_values<T>(found.left.data, out[1], i);
      write_values<T>(adjoint_of(found.right).data, out[2], i);
    }
  });
}

// Singular values and vectors are those of a Hermitian problem (Giles, An extended collection of matrix derivative
// results, 2008); equal singular values have no derivative of their vectors.
WithTangents jvp_svd(const Call& c, const Arrays& primals, const Arrays& tangents) {
  const auto& p = c.get<SvdForm>();
  const Array &a = primals[0], &da = tangents[0];
  const DType dtype = a.dtype();
  const std::int64_t m = rows_of(a.shape()), n = cols_of(a.shape());
  if (p.vectors && p.full && m != n)
    raise<UnsupportedError>("svd",
                            "the vectors that complete u or vh have no derivative: the matrices are " + a.type().str(),
                            "Use full_matrices = false, or stop_gradient.");
  const Arrays out = tutti::bind(c.op, SvdForm{true, false}, {a});
  const Array &s = out[0], &u = out[1], &vh = out[2], v = adjoint(vh);
  const Array d = matmul(matmul(adjoint(u), da), v);
  const Array ds = real_part(diagonal_of(d));
  if (!p.vectors) return {{s}, {ds}};
  auto in_full = [&](const Array& x) { return lax::convert_element_type(x, dtype); };
  const Array row = expand_dims(s, -2), column = expand_dims(s, -1), ones = identity(s.shape().back(), s);
  const Array gap = (row + column) * (row - column), f = in_full(1 / (gap + ones) - ones);
  const Array none = lax::convert_element_type(s == 0, s.dtype()), inverse = 1 / (s + none) - none;
  const Array right = in_full(row) * d, left = in_full(column) * d;
  Array du = f * (right + adjoint(right));
  if (dtype.is_complex()) {  // the phases: only u turns with them
    const Array twist = diagonal_of(d) - in_full(ds);
    du = du + diagonal_matrix(twist * in_full(inverse));
  }
  du = matmul(u, du);
  Array dv = matmul(v, f * (left + adjoint(left)));
  if (m > n) {
    const Array x = matmul(da, v);
    du = du + (x - matmul(u, matmul(adjoint(u), x))) / in_full(row);
  }
  if (n > m) {
    const Array x = matmul(adjoint(da), u);
    dv = dv + (x - matmul(v, matmul(vh, x))) / in_full(row);
  }
  return {out, {ds, du, adjoint(dv)}};
}

}  // namespace

constinit const Home svd = [] {
  Op op;
  op.name = "svd";
  op.infer = infer_svd;
  op.eval = eval_svd;
  op.factors = [](const Call& c, const std::vector<Type>& r) { return matrix_factors(c, r, {2}, {1, 2, 2}); };
  op.jvp_together = jvp_svd;
  op.batch = matrix_batch;
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    return 20 * static_cast<double>(c.operands[0].num_elements() * r[0].shape.back());
  };
  for (bool vectors : {false, true})
    for (const Shape& shape : {Shape{3, 3}, Shape{2, 4, 2}, Shape{2, 4}, Shape{1, 1}, Shape{3, 0}})
      op.samples.push_back({.params = SvdForm{vectors, false}, .operands = {type(float32, shape)}});
  op.samples.push_back({.params = SvdForm{true, true}, .operands = {type(float32, {2, 4})}, .differentiable = false});
  op.samples.push_back({.params = SvdForm{true, true}, .operands = {type(float64, {0, 2})}, .differentiable = false});
  op.samples.push_back({.params = SvdForm{true, true}, .operands = {type(float32, {3, 3})}});
  op.samples.push_back(
      {.params = SvdForm{true, false}, .operands = {type(complex64, {3, 2})}, .differentiable = false});
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Svd svd(const In& a, bool full_matrices) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::svd, ops::SvdForm{true, full_matrices}, {a.array});
  return {out[1], out[0], out[2]};
}
Array svdvals(const In& a) {
  CallScope scope(a.loc);
  return bind1(ops::svd, ops::SvdForm{false, false}, {a.array});
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
