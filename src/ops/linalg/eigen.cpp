// Eigenvalues and eigenvectors, of Hermitian and of any matrices. Source: jax.lax.linalg.eigh and eig.
#include "ops/linalg/eigen.hpp"

#include "ops/linalg/dense.hpp"
#include "ops/linalg/jacobi.hpp"
#include "ops/linalg/matrix.hpp"
#include "ops/linalg/schur_form.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer_eigh(const Call& c) {
  check_matrices(c, 0, true);
  check_room(c);
  const Type& a = c.operands[0];
  std::vector<Type> out = {type(real_dtype(a.dtype), batch_shape(a.shape, 1))};
  if (c.get<EighForm>().vectors) out.push_back(type(a.dtype, a.shape));
  return out;
}
std::vector<Type> infer_eig(const Call& c) {
  check_matrices(c, 0, true);
  check_room(c);
  const auto& p = c.get<EigForm>();
  const Type& a = c.operands[0];
  const DType dtype = complex_dtype(a.dtype);
  std::vector<Type> out(1 + p.left + p.right, type(dtype, a.shape));
  out[0].shape = batch_shape(a.shape, 1);
  return out;
}

void eval_eigh(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<EighForm>();
  const Shape& shape = in[0].type.shape;
  const std::int64_t n = cols_of(shape);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    for (std::int64_t k = 0; k < batch_size(shape); ++k) {
      const Dense<Precise<T>> a = hermitian_of(read_matrix<T>(in[0], k), p.lower);
      if (!a.finite()) {
        write_nan<Real<T>>(out[0], k, n);
        if (p.vectors) write_nan<T>(out[1], k, n * n);
        continue;
      }
      const auto [values, vectors] = eigenvalues_of_hermitian(a);
      write_values<Real<T>>(values, out[0], k);
      if (p.vectors) write_values<T>(vectors.data, out[1], k);
    }
  });
}

void eval_eig(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<EigForm>();
  const Shape& shape = in[0].type.shape;
  const std::int64_t n = cols_of(shape);
  with_matrix_element(in[0].type.dtype, [&]<class T>() {
    using C = std::complex<Real<T>>;
    for (std::int64_t k = 0; k < batch_size(shape); ++k) {
      const Dense<Precise<T>> a = read_matrix<T>(in[0], k);
      if (!a.finite()) {
        write_nan<C>(out[0], k, n);
        for (std::size_t i = 1; i < out.size(); ++i) write_nan<C>(out[i], k, n * n);
        continue;
      }
      SchurOf<std::complex<double>> form(n);
      std::copy(a.data.begin(), a.data.end(), form.t.data.begin());
      form.run();
      std::vector<std::complex<double>> values;
      for (std::int64_t i = 0; i < n; ++i) values.push_back(form.t(i, i));
      write_values<C>(values, out[0], k);
      if (p.left) write_values<C>(form.left_vectors().data, out[1], k);
      if (p.right) write_values<C>(form.right_vectors().data, out[1 + p.left], k);
    }
  });
}

// 1 / (w_j - w_i), 0 on the diagonal: how much of vector i comes to vector j.
Array inverse_gaps(const Array& w) {
  const Array ones = identity(w.shape().back(), w);
  return 1 / (ones + expand_dims(w, -2) - expand_dims(w, -1)) - ones;
}

// First order perturbation; equal eigenvalues have no derivative of their vectors.
WithTangents jvp_eigh(const Call& c, const Arrays& primals, const Arrays& tangents) {
  const auto& p = c.get<EighForm>();
  const Arrays out = tutti::bind(c.op, EighForm{true, p.lower}, {primals[0]});
  const Array &w = out[0], &v = out[1];
  const Array d = matmul(matmul(adjoint(v), hermitian_from(tangents[0], p.lower)), v);
  const Array dw = real_part(diagonal_of(d));
  if (!p.vectors) return {{w}, {dw}};
  return {out, {dw, matmul(v, lax::convert_element_type(inverse_gaps(w), v.dtype()) * d)}};
}

// The tangent of vectors of length 1 whose largest element is real, which is what LAPACK gives.
Array vector_tangent(const Array& w, const Array& v, const Array& d) {
  const Array u = matmul(v, inverse_gaps(w) * d);
  const Array size = square(lax::real(v)) + square(lax::imag(v));
  const Array largest = lax::convert_element_type(
      lax::iota(int32, v.shape(), v.ndim() - 2) == expand_dims(argmax(size, v.ndim() - 2), -2), real_dtype(v.dtype()));
  const Array along = lax::real(sum(tutti::conj(v) * u, -2));
  const Array turn = sum(largest * lax::imag(u), -2) / sum(largest * lax::real(v), -2);
  return u + v * expand_dims(lax::complex(-along, -turn), -2);
}

WithTangents jvp_eig(const Call& c, const Arrays& primals, const Arrays& tangents) {
  const auto& p = c.get<EigForm>();
  const Arrays all = tutti::bind(c.op, EigForm{p.left, true}, {primals[0]});
  const Array &w = all[0], &right = all.back(), da = lax::convert_element_type(tangents[0], w.dtype());
  const Array d = matmul(solved(right, da), right);
  WithTangents out{{w}, {diagonal_of(d)}};
  if (p.left) {
    const Array& left = all[1];
    const Array mirrored = matmul(solved(left, adjoint(da)), left);
    out.results.push_back(left);
    out.tangents.push_back(vector_tangent(tutti::conj(w), left, mirrored));
  }
  if (p.right) {
    out.results.push_back(right);
    out.tangents.push_back(vector_tangent(w, right, d));
  }
  return out;
}

}  // namespace

constinit const Home eigh = [] {
  Op op;
  op.name = "eigh";
  op.infer = infer_eigh;
  op.eval = eval_eigh;
  op.factors = [](const Call& c, const std::vector<Type>& r) { return matrix_factors(c, r, {2}, {1, 2}); };
  op.jvp_together = jvp_eigh;
  op.batch = matrix_batch;
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    return 10 * static_cast<double>(c.operands[0].num_elements() * r[0].shape.back());
  };
  for (bool vectors : {false, true})
    for (bool lower : {false, true})
      for (const Shape& shape : {Shape{3, 3}, Shape{2, 2, 2}, Shape{1, 1}, Shape{2, 0, 0}})
        op.samples.push_back({.params = EighForm{vectors, lower}, .operands = {type(float32, shape)}});
  op.samples.push_back({.params = EighForm{true, true}, .operands = {type(float64, {5, 5})}});
  op.samples.push_back(
      {.params = EighForm{true, false}, .operands = {type(complex64, {3, 3})}, .differentiable = false});
  return op;
};

constinit const Home eig = [] {
  Op op;
  op.name = "eig";
  op.infer = infer_eig;
  op.eval = eval_eig;
  op.factors = [](const Call& c, const std::vector<Type>& r) { return matrix_factors(c, r, {2}, {1, 2, 2}); };
  op.jvp_together = jvp_eig;
  op.batch = matrix_batch;
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    return 25 * static_cast<double>(c.operands[0].num_elements() * r[0].shape.back());
  };
  for (bool left : {false, true})
    for (bool right : {false, true})
      for (const Shape& shape : {Shape{3, 3}, Shape{2, 2, 2}, Shape{0, 0}})  // derivatives: tests/linalg
        op.samples.push_back(
            {.params = EigForm{left, right}, .operands = {type(float32, shape)}, .differentiable = false});
  op.samples.push_back({.params = EigForm{true, true}, .operands = {type(complex64, {3, 3})}, .differentiable = false});
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Eigh eigh(const In& a, bool lower) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::eigh, ops::EighForm{true, lower}, {a.array});
  return {out[0], out[1]};
}
Array eigvalsh(const In& a, bool lower) {
  CallScope scope(a.loc);
  return bind1(ops::eigh, ops::EighForm{false, lower}, {a.array});
}
Eig eig(const In& a, bool left, bool right) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::eig, ops::EigForm{left, right}, {a.array});
  return {out[0], left ? out[1] : Array(), right ? out.back() : Array()};
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
