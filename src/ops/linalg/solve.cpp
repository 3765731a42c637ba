// a x = b by factors of a that are there already. Derivatives are those of the solve itself and use the same factors.
// Source: jax.lax.custom_linear_solve as jax.numpy.linalg.solve uses it.
#include "ops/linalg/solve.hpp"

#include "ops/linalg/dense.hpp"
#include "ops/linalg/matrix.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer_solve(const Call& c) {
  check_matrices(c, 0, true);
  check_matrices(c, 3, false);
  check_batches(c, {2, 2, 1, 2});
  const Type &a = c.operands[0], &b = c.operands[3];
  if (c.operands[1].shape != a.shape || c.operands[2].dtype != int32 || c.operands[2].shape.back() != cols_of(a.shape))
    raise<ShapeError>(c.op.name,
                      "factors " + c.operands[1].str() + " and pivots " + c.operands[2].str() + " of " + a.str(),
                      "Give what lax::linalg::lu makes of a.");
  if (rows_of(b.shape) != cols_of(a.shape))
    raise<ShapeError>(c.op.name, "a is " + a.str() + ", b is " + b.str(), "b needs as many rows as a.");
  return {type(b.dtype, b.shape)};
}

// a = p^T l u: p b, then l, then u; of the transpose u^T, then l^T, then p^T.
void eval_solve(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[3].type.shape;
  const std::int64_t n = rows_of(shape);
  const bool transposed = c.get<Solve>().transposed;
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    for (std::int64_t k = 0; k < batch_size(shape); ++k) {
      Dense<Precise<T>> lu = read_matrix<T>(in[1], k), x = read_matrix<T>(in[3], k);
      const std::int32_t* pivots = in[2].as<const std::int32_t>() + k * n;
      auto swap_rows = [&](std::int64_t i) {
        for (std::int64_t j = 0; j < x.cols && pivots[i] != i; ++j) std::swap(x(i, j), x(pivots[i], j));
      };
      if (transposed) {
        lu = transpose_of(lu);
        substitute(lu, true, false, x);
        substitute(lu, false, true, x);
        for (std::int64_t i = n; i-- > 0;) swap_rows(i);
      } else {
        for (std::int64_t i = 0; i < n; ++i) swap_rows(i);
        substitute(lu, true, true, x);
        substitute(lu, false, false, x);
      }
      write_values<T>(x.data, out[0], k);
    }
  });
}

Batched batch_solve(const Call& c, const Arrays& operands, const std::vector<bool>& mapped, const BatchAxis& axis) {
  if (mapped[0] || mapped[1] || mapped[2] || c.operands[0].ndim() != 2) return matrix_batch(c, operands, mapped, axis);
  const Array& b = operands[3];
  const std::int64_t m = b.shape()[1], n = b.shape()[2];
  Array wide = lax::reshape(lax::transpose(b, {1, 0, 2}), Shape{m, axis.size * n});
  Array x = bind1(c.op, c.params, {operands[0], operands[1], operands[2], wide});
  return {{lax::transpose(lax::reshape(x, Shape{m, axis.size, n}), {1, 0, 2})}, {true}};
}

}  // namespace

constinit const Home solve = [] {
  Op op;
  op.name = "solve";
  op.infer = infer_solve;
  op.eval = eval_solve;
  op.factors = [](const Call& c, const std::vector<Type>& r) {
    return matrix_factors(c, r, {2, 2, 1, 2}, {2}, {3, -1});
  };
  op.linear = {{3}};
  op.adds_up = [](const Call&, const auto&, const auto&) { return false; };
  op.jvp = [](const Call& c, const Arrays& x, const Arrays& y, const Arrays& t) -> Arrays {
    if (!t[0].has_value()) return {Array()};
    const Array da = c.get<Solve>().transposed ? turned(t[0]) : t[0];
    return {bind1(c.op, c.params, {x[0], x[1], x[2], -matmul(da, y[0])})};
  };
  op.transpose = [](const Call& c, const Arrays& ct, const Arrays& operands, const std::vector<bool>&) -> Arrays {
    if (!ct[0].has_value()) return Arrays(4);
    const Solve p{!c.get<Solve>().transposed};
    return {Array(), Array(), Array(), bind1(c.op, p, {operands[0], operands[1], operands[2], ct[0]})};
  };
  op.batch = batch_solve;
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    return 2 * static_cast<double>(r[0].num_elements() * cols_of(c.operands[0].shape));
  };
  op.without = {{"samples", "pivots drawn at random are none: tests/linalg"}};
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Array solve(const In& a, const Lu& factors, const In& b) {
  CallScope scope(a.loc);
  return bind1(ops::solve, ops::Solve{}, {a.array, stop_gradient(factors.lu), factors.pivots, b.array});
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
