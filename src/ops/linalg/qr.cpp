// a = q r by Householder reflections. Source: jax.lax.linalg.qr.
#include "ops/linalg/qr.hpp"

#include "ops/linalg/dense.hpp"
#include "ops/linalg/matrix.hpp"
#include "ops/linalg/qr_across.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer_qr(const Call& c) {
  check_matrices(c, 0, false);
  const Type& a = c.operands[0];
  const std::int64_t m = rows_of(a.shape), n = cols_of(a.shape), k = c.get<QrForm>().full ? m : std::min(m, n);
  const Shape batch = batch_shape(a.shape);
  return {type(a.dtype, with_core(batch, {m, k})), type(a.dtype, with_core(batch, {k, n}))};
}

// A reflection for each column makes what is below the diagonal 0; their product is q.
void eval_qr(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  const std::int64_t m = rows_of(shape), n = cols_of(shape), width = cols_of(out[0].type.shape);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    using W = Precise<T>;
    for (std::int64_t k = 0; k < batch_size(shape); ++k) {
      Dense<W> a = read_matrix<T>(in[0], k), q(m, width), r(width, n);
      std::vector<Reflection<W>> reflections;
      for (std::int64_t j = 0; j < std::min(m, n); ++j) {
        reflections.emplace_back(part_of_column(a, j, m, j));
        reflections.back().from_left(a, j, j, true);
      }
      for (std::int64_t i = 0; i < std::min(m, width); ++i) q(i, i) = 1;
      for (std::int64_t j = std::ssize(reflections); j-- > 0;) reflections[j].from_left(q, j, 0, false);
      for (std::int64_t i = 0; i < std::min(m, width); ++i)
        for (std::int64_t j = i; j < n; ++j) r(i, j) = a(i, j);
      write_values<T>(q.data, out[0], k);
      write_values<T>(r.data, out[1], k);
    }
  });
}

Array columns(const Array& x, std::int64_t from, std::int64_t to) {
  Dims start(x.shape().size(), 0), limit = x.shape().dims();
  start.back() = from;
  limit.back() = to;
  return lax::slice(x, start, limit);
}
Array rows(const Array& x, std::int64_t from, std::int64_t to) {
  Dims start(x.shape().size(), 0), limit = x.shape().dims();
  start[start.size() - 2] = from;
  limit[limit.size() - 2] = to;
  return lax::slice(x, start, limit);
}

struct Pair {
  Array q, r;
};
// Of q (m x n) and square r: with b = q^H a' r^-1, q' = q (o - b) + a' r^-1 and r' = (b - o) r, where o is the
// skew-Hermitian matrix with b's lower triangle (j-towns.github.io/papers/qr-derivative.pdf).
Pair thin_tangents(const Array& q, const Array& r, const Array& da) {
  const Array dar = lax::linalg::triangular_solve(r, da, {.left_side = false});
  const Array b = matmul(adjoint(q), dar), lower = tril(b, -1);
  Array o = lower - adjoint(lower);
  if (b.dtype().is_complex()) {
    const Array d = diagonal_of(b);
    o = o + diagonal_matrix(d - lax::convert_element_type(lax::real(d), d.dtype()));
  }
  return {matmul(q, o - b) + dar, matmul(b - o, r)};
}

Arrays jvp_qr(const Call& c, const Arrays& primals, const Arrays& results, const Arrays& tangents) {
  const Array &a = primals[0], &q = results[0], &r = results[1], &da = tangents[0];
  const std::int64_t m = rows_of(a.shape()), n = cols_of(a.shape());
  if (m == 0 || n == 0) return {Array(), Array()};
  if (m < n) {  // the square part on the left decides q
    const Pair left = thin_tangents(q, columns(r, 0, m), columns(da, 0, m));
    const Array rest = matmul(adjoint(left.q), columns(a, m, n)) + matmul(adjoint(q), columns(da, m, n));
    return {left.q, concatenate({left.r, rest}, -1)};
  }
  if (!c.get<QrForm>().full || m == n) {
    const Pair thin = thin_tangents(q, r, da);
    return {thin.q, thin.r};
  }
  // The columns that complete q turn with the others, as the reflections have them (arXiv:2409.13374).
  const Array thin_q = columns(q, 0, n), more = columns(q, n, m);
  const Pair thin = thin_tangents(thin_q, rows(r, 0, n), da);
  const Array top = rows(thin_q, 0, n), bottom = rows(thin_q, n, m);
  const Array z_adjoint = solved(adjoint(top - identity(n, q)), adjoint(bottom)), z = adjoint(z_adjoint);
  const Array turn = rows(thin.q, n, m) - matmul(z, rows(thin.q, 0, n));
  const Array dmore = matmul(thin.q, z_adjoint) - matmul(thin_q + matmul(more, z), adjoint(turn));
  return {concatenate({thin.q, dmore}, -1), concatenate({thin.r, zeros_like(rows(r, n, m))}, -2)};
}

}  // namespace

constinit const Home qr = [] {
  Op op;
  op.name = "qr";
  op.infer = infer_qr;
  op.eval = eval_qr;
  op.factors = [](const Call& c, const std::vector<Type>& r) {
    Factors f = matrix_factors(c, r, {2}, {2, 2});
    const auto rows = static_cast<std::size_t>(c.operands[0].ndim() - 2);  // q has the rows of a
    f.results[0][rows] = f.operands[0][rows];
    return f;
  };
  op.across = qr_across();
  op.jvp = jvp_qr;
  op.batch = matrix_batch;
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    return 4 * static_cast<double>(r[0].num_elements() * cols_of(c.operands[0].shape));
  };
  for (bool full : {false, true})
    for (const Shape& shape : {Shape{3, 3}, Shape{2, 4, 2}, Shape{2, 4}, Shape{1, 1}, Shape{18, 17}, Shape{3, 0}})
      op.samples.push_back({.params = QrForm{full}, .operands = {type(float32, shape)}});
  op.samples.push_back({.params = QrForm{false}, .operands = {type(float64, {2, 0, 3})}});
  op.samples.push_back({.params = QrForm{false}, .operands = {type(complex64, {3, 2})}, .differentiable = false});
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Qr qr(const In& a, bool full_matrices) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::qr, ops::QrForm{full_matrices}, {a.array});
  return {out[0], out[1]};
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
