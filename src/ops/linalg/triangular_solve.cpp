// op(a) x = b or x op(a) = b for a triangular a. Source: jax.lax.linalg.triangular_solve.
#include "ops/linalg/triangular_solve.hpp"

#include "ops/linalg/dense.hpp"
#include "ops/linalg/matrix.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer_triangular_solve(const Call& c) {
  check_matrices(c, 0, true);
  check_matrices(c, 1, false);
  check_batches(c, {2, 2});
  const Type &a = c.operands[0], &b = c.operands[1];
  const bool left = c.get<Triangular>().left;
  if (cols_of(a.shape) != (left ? rows_of(b.shape) : cols_of(b.shape)))
    raise<ShapeError>(c.op.name, "a is " + a.str() + ", b is " + b.str(),
                      left ? "b needs as many rows as a, or to stand on the left." : "b needs as many columns as a.");
  return {type(b.dtype, b.shape)};
}

// Substitution, from the first row of op(a) on where it is lower, from the last where it is upper. x op(a) = b is
// op(a)^T x^T = b^T.
void eval_triangular_solve(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Triangular>();
  const Shape& shape = in[1].type.shape;
  const bool turned = p.transpose == p.left;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    using W = Precise<T>;
    for (std::int64_t k = 0; k < batch_size(shape); ++k) {
      Dense<W> a = read_matrix<T>(in[0], k), x = read_matrix<T>(in[1], k);
      if (turned) a = transpose_of(a);
      if (p.conjugate) a = conjugate_of(a);
      if (!p.left) x = transpose_of(x);
      substitute(a, p.lower != turned, p.unit, x);
      if (!p.left) x = transpose_of(x);
      write_values<T>(x.data, out[0], k);
    }
  });
}

// x' = -op(a)^-1 op(a') x, the product first where that is the smaller one.
Arrays jvp_triangular_solve(const Call& c, const Arrays& primals, const Arrays& results, const Arrays& tangents) {
  if (!tangents[0].has_value()) return {Array()};
  const auto& p = c.get<Triangular>();
  Array da = p.lower ? tril(tangents[0], p.unit ? -1 : 0) : triu(tangents[0], p.unit ? 1 : 0);
  if (p.transpose) da = turned(da);
  if (p.conjugate) da = tutti::conj(da);
  da = -da;
  const Array& x = results[0];
  auto inverse = [&](const Array& b) { return bind1(c.op, p, {primals[0], b}); };
  const std::int64_t m = rows_of(x.shape()), n = cols_of(x.shape());
  if (p.left) return {m > n ? inverse(matmul(da, x)) : matmul(inverse(da), x)};
  return {m < n ? inverse(matmul(x, da)) : matmul(x, inverse(da))};
}

// One matrix for many right-hand sides: these stand side by side.
Batched batch_triangular_solve(const Call& c, const Arrays& operands, const std::vector<bool>& mapped,
                               const BatchAxis& axis) {
  if (mapped[0] || c.operands[0].ndim() != 2) return matrix_batch(c, operands, mapped, axis);
  const Array& b = operands[1];
  const std::int64_t m = b.shape()[1], n = b.shape()[2];
  if (!c.get<Triangular>().left) {
    Array x = bind1(c.op, c.params, {operands[0], lax::reshape(b, Shape{axis.size * m, n})});
    return {{lax::reshape(x, b.shape())}, {true}};
  }
  Array wide = lax::reshape(lax::transpose(b, {1, 0, 2}), Shape{m, axis.size * n});
  Array x = lax::reshape(bind1(c.op, c.params, {operands[0], wide}), Shape{m, axis.size, n});
  return {{lax::transpose(x, {1, 0, 2})}, {true}};
}

}  // namespace

constinit const Home triangular_solve = [] {
  Op op;
  op.name = "triangular_solve";
  op.infer = infer_triangular_solve;
  op.eval = eval_triangular_solve;
  op.factors = [](const Call& c, const std::vector<Type>& r) {
    return matrix_factors(c, r, {2, 2}, {2}, {1, c.get<Triangular>().left ? -1 : -2});
  };
  op.linear = {{1}};
  op.adds_up = [](const Call&, const auto&, const auto&) { return false; };  // a small a enlarges
  op.jvp = jvp_triangular_solve;
  op.transpose = [](const Call& c, const Arrays& ct, const Arrays& operands, const std::vector<bool>&) -> Arrays {
    Triangular p = c.get<Triangular>();
    p.transpose = !p.transpose;
    return {Array(), ct[0].has_value() ? bind1(c.op, p, {operands[0], ct[0]}) : Array()};
  };
  op.batch = batch_triangular_solve;
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    return static_cast<double>(r[0].num_elements() * cols_of(c.operands[0].shape));
  };
  for (bool left : {true, false})
    for (bool lower : {true, false})
      for (bool transpose : {false, true}) {
        const Shape b = left ? Shape{3, 2} : Shape{2, 3};
        const Triangular p{left, lower, transpose, transpose && lower, false};
        op.samples.push_back({.params = p, .operands = {type(float32, {3, 3}), type(float32, b)}, .lo = 0.5});
        op.samples.push_back({.params = p,
                              .operands = {type(complex64, {3, 3}), type(complex64, b)},
                              .lo = 0.5,
                              .differentiable = false});
      }
  const Triangular lower{true, true, false, false, false}, unit{false, false, false, false, true};
  op.samples.push_back({.params = unit, .operands = {type(float32, {2, 3, 3}), type(float32, {2, 4, 3})}});
  op.samples.push_back({.params = lower, .operands = {type(float32, {20, 20}), type(float32, {20, 2})}, .lo = 1.5});
  op.samples.push_back({.params = lower, .operands = {type(float32, {2, 0, 0}), type(float32, {2, 0, 3})}});
  op.samples.push_back({.params = lower, .operands = {type(float64, {2, 2}), type(float64, {2, 0})}});
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Array triangular_solve(const In& a, const In& b, const TriangularSolve& o) {
  CallScope scope(a.loc);
  const bool conjugate = o.conjugate_a && a.array.dtype().is_complex();
  return bind1(ops::triangular_solve, ops::Triangular{o.left_side, o.lower, o.transpose_a, conjugate, o.unit_diagonal},
               {a.array, b.array});
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
