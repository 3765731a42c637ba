// Determinants by lu, and their logarithms. Source: jax.numpy.linalg.det and slogdet.
#include "ops/linalg/determinant.hpp"

#include <cmath>

#include "ops/linalg/dense.hpp"
#include "ops/linalg/matrix.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

/// Calls f(k, sign, diagonal of u) for each matrix: the determinant is their product.
template <class T, class F> void with_factors(const HostView& in, F f) {
  for (std::int64_t k = 0; k < batch_size(in.type.shape); ++k) {
    Dense<Precise<T>> a = read_matrix<T>(in, k);
    const std::vector<std::int64_t> pivots = factor_lu(a);
    double sign = 1;
    std::vector<Precise<T>> diagonal;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (pivots[i] != i) sign = -sign;
      diagonal.push_back(a(i, i));
    }
    f(k, sign, diagonal);
  }
}

void eval_det(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    with_factors<T>(in[0], [&](std::int64_t k, double sign, const std::vector<Precise<T>>& diagonal) {
      Precise<T> product = sign;
      for (Precise<T> d : diagonal) product *= d;
      out[0].as<T>()[k] = static_cast<T>(product);
    });
  });
}

void eval_slogdet(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    with_factors<T>(in[0], [&](std::int64_t k, double sign, const std::vector<Precise<T>>& diagonal) {
      Precise<T> phase = sign;
      double log = 0;
      for (Precise<T> d : diagonal) {
        phase = d == Precise<T>{} ? d : phase * (d / std::abs(d));
        log += std::log(std::abs(d));
        if (d == Precise<T>{}) break;
      }
      out[0].as<T>()[k] = static_cast<T>(phase);
      out[1].as<Real<T>>()[k] = static_cast<Real<T>>(log);
    });
  });
}

Array last_row(const Array& x) {
  Dims start(x.shape().size(), 0);
  start[start.size() - 2] = rows_of(x.shape()) - 1;
  return lax::slice(x, start, x.shape().dims());
}
Array other_rows(const Array& x) {
  Dims limit = x.shape().dims();
  --limit[limit.size() - 2];
  return lax::slice(x, Dims(x.shape().size(), 0), limit);
}

// The trace of det(a) a^-1 a', by cofactors, so that it stays right where a has lost one rank: det / u_nn is the
// product of the other pivots, the leading ones, and never divides by u_nn. Of matrices that have lost more, cofactors
// are 0.
Arrays jvp_det(const Call&, const Arrays& primals, const Arrays& results, const Arrays& tangents) {
  const Array &a = primals[0], &da = tangents[0];
  const std::int64_t n = cols_of(a.shape());
  if (n == 0) return {Array()};
  if (n == 1) return {lax::reshape(da, results[0].shape())};
  const auto [lu, pivots, permutation] = lax::linalg::lu(a);
  const Array diagonal = diagonal_of(lu);
  Dims limit = diagonal.shape().dims();
  --limit.back();
  const Array swapped = pivots != lax::iota(int32, pivots.shape(), pivots.ndim() - 1);
  const Array parity = sum(swapped, -1) % 2;
  const Array sign = lax::convert_element_type(1 - 2 * parity, a.dtype());
  const Array leading =
      lax::reduce_prod(lax::slice(diagonal, Dims(limit.size(), 0), limit), {diagonal.ndim() - 1}) * sign;
  // With 1 / leading for its last pivot, u^-1 gives the last row of det(a) a^-1 as it is.
  const Shape square{n, n};
  const Array corner = lax::bitwise_and(lax::eq(lax::iota(int32, square, 0), literal(int32, n - 1)),
                                        lax::eq(lax::iota(int32, square, 1), literal(int32, n - 1)));
  const Array factors = where(corner, expand_dims(1 / leading, std::vector<int>{-2, -1}), lu);
  const Array zero = zeros(a.dtype(), Shape{});
  const Array usable = all(isfinite(real_part(1 / diagonal_of(factors))), -1);
  const Array given =
      where(expand_dims(usable, std::vector<int>{-2, -1}), take_along_axis(da, expand_dims(permutation, -1), -2), zero);
  Array x = lax::linalg::triangular_solve(factors, given, {.left_side = true, .lower = true, .unit_diagonal = true});
  const Array det = expand_dims(results[0], std::vector<int>{-2, -1});
  x = concatenate({other_rows(x) * det, last_row(x)}, -2);
  x = lax::linalg::triangular_solve(factors, x, {.left_side = true});
  return {where(usable, sum(diagonal_of(x), -1), zero)};
}

Arrays jvp_slogdet(const Call&, const Arrays& primals, const Arrays& results, const Arrays& tangents) {
  const Array trace = sum(diagonal_of(solved(primals[0], tangents[0])), -1);
  if (!trace.dtype().is_complex()) return {Array(), trace};
  return {lax::complex(zeros_like(lax::imag(trace)), lax::imag(trace)) * results[0], lax::real(trace)};
}

Op frame(std::string name) {
  Op op;
  op.name = std::move(name);
  op.batch = matrix_batch;
  op.factors = [](const Call& c, const std::vector<Type>& r) { return matrix_factors(c, r, {2}, {0, 0}); };
  op.flops = [](const Call& c, const std::vector<Type>&) {
    return static_cast<double>(c.operands[0].num_elements() * cols_of(c.operands[0].shape)) * 2 / 3;
  };
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 4, 4}, Shape{2, 2}, Shape{1, 1}, Shape{20, 20}, Shape{2, 0, 0}})
    op.samples.push_back({.params = {}, .operands = {type(float32, shape)}});
  op.samples.push_back({.params = {}, .operands = {type(complex64, {3, 3})}, .differentiable = false});
  return op;
}

}  // namespace

constinit const Home det = [] {
  Op op = frame("det");
  op.infer = [](const Call& c) {
    check_matrices(c, 0, true);
    return std::vector{type(c.operands[0].dtype, batch_shape(c.operands[0].shape))};
  };
  op.eval = eval_det;
  op.jvp = jvp_det;
  return op;
};

constinit const Home slogdet = [] {
  Op op = frame("slogdet");
  op.infer = [](const Call& c) {
    check_matrices(c, 0, true);
    const Type& a = c.operands[0];
    return std::vector{type(a.dtype, batch_shape(a.shape)), type(real_dtype(a.dtype), batch_shape(a.shape))};
  };
  op.eval = eval_slogdet;
  op.jvp = jvp_slogdet;
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Array det(const In& a) {
  CallScope scope(a.loc);
  return bind1(ops::det, {}, {a.array});
}
Slogdet slogdet(const In& a) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::slogdet, {}, {a.array});
  return {out[0], out[1]};
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
