// Hessenberg, tridiagonal and Schur forms. Source: jax.lax.linalg.
#include "ops/linalg/forms.hpp"

#include "ops/linalg/dense.hpp"
#include "ops/linalg/jacobi.hpp"
#include "ops/linalg/matrix.hpp"
#include "ops/linalg/schur_form.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

// Of one operand, square matrices; `extents` are those of the results behind the batch dims.
void check_form(const Call& c) {
  check_matrices(c, 0, true);
  check_room(c);
  if (cols_of(c.operands[0].shape) == 0)
    raise<ShapeError>(c.op.name, "the matrices of " + c.operands[0].str() + " are empty", "Give 1 row or more.");
}
Type vector_type(const Call& c, DType dtype, std::int64_t shorter) {
  const Shape& shape = c.operands[0].shape;
  return type(dtype, with_core(batch_shape(shape), {cols_of(shape) - shorter}));
}

// What the homes say alike.
Op form_op(const char* name, std::vector<int> result_core, double work) {
  Op op;
  op.name = name;
  op.factors = [result_core](const Call& c, const std::vector<Type>& r) {
    return matrix_factors(c, r, {2}, std::vector<int>(result_core.begin(), result_core.begin() + std::ssize(r)));
  };
  op.not_differentiable = "no derivative of this form is known";
  op.batch = matrix_batch;
  op.flops = [work](const Call& c, const std::vector<Type>&) {
    return work * static_cast<double>(c.operands[0].num_elements() * cols_of(c.operands[0].shape));
  };
  return op;
}
template <class F> void for_each_operand(const Call& c, std::span<const HostView> in, F f) {
  with_matrix_element(c.operands[0].dtype, [&]<class T>() {
    for (std::int64_t k = 0; k < batch_size(in[0].type.shape); ++k)
      f.template operator()<T>(k, read_matrix<T>(in[0], k));
  });
}

void eval_hessenberg(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  for_each_operand(c, in, [&]<class T>(std::int64_t k, Dense<Precise<T>> a) {
    if (!a.finite()) {
      write_nan<T>(out[0], k, a.rows * a.rows);
      return write_nan<T>(out[1], k, a.rows - 1);
    }
    std::vector<Precise<T>> taus;
    reduce_to_hessenberg(a, [&](std::int64_t j, const Reflection<Precise<T>>& h) {
      taus.push_back(h.tau);
      for (std::size_t i = 1; i < h.v.size(); ++i) a(j + 1 + static_cast<std::int64_t>(i), j) = h.v[i];
    });
    write_values<T>(a.data, out[0], k);
    write_values<T>(taus, out[1], k);
  });
}

// Of the lower triangle the columns become zero below the subdiagonal from the first one on; of the upper one, which is
// the same with rows and columns counted from the end, above the superdiagonal from the last one on.
void eval_tridiagonal(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const bool lower = c.get<TridiagonalForm>().lower;
  for_each_operand(c, in, [&]<class T>(std::int64_t k, Dense<Precise<T>> given) {
    using W = Precise<T>;
    const std::int64_t n = given.rows;
    if (!given.finite()) {
      write_nan<T>(out[0], k, n * n);
      write_nan<Real<T>>(out[1], k, n);
      write_nan<Real<T>>(out[2], k, n - 1);
      return write_nan<T>(out[3], k, n - 1);
    }
    auto place = [&](std::int64_t i) { return lower ? i : n - 1 - i; };
    const Dense<W> whole = hermitian_of(given, lower);
    Dense<W> a = whole, kept = given;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) a(place(i), place(j)) = whole(i, j);
    std::vector<double> diagonal(static_cast<std::size_t>(n)), beside(static_cast<std::size_t>(n - 1));
    std::vector<W> taus(beside.size());
    reduce_to_hessenberg(a, [&](std::int64_t j, const Reflection<W>& h) {
      const std::int64_t at = lower ? j : n - 2 - j;
      taus[at] = h.tau;
      beside[at] = h.beta;
      kept(place(j + 1), place(j)) = h.beta;
      for (std::size_t i = 1; i < h.v.size(); ++i) kept(place(j + 1 + static_cast<std::int64_t>(i)), place(j)) = h.v[i];
    });
    for (std::int64_t i = 0; i < n; ++i) kept(i, i) = diagonal[i] = std::real(a(place(i), place(i)));
    write_values<T>(kept.data, out[0], k);
    write_values<Real<T>>(diagonal, out[1], k);
    write_values<Real<T>>(beside, out[2], k);
    write_values<T>(taus, out[3], k);
  });
}

void eval_schur(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  for_each_operand(c, in, [&]<class T>(std::int64_t k, const Dense<Precise<T>>& a) {
    SchurOf<Precise<T>> form(a.rows);
    form.t = a;
    const bool found = a.finite() && form.run();
    for (std::size_t i = 0; i < out.size() && !found; ++i) write_nan<T>(out[i], k, a.rows * a.rows);
    if (!found) return;
    write_values<T>(form.t.data, out[0], k);
    if (c.get<SchurForm>().vectors) write_values<T>(form.q.data, out[1], k);
  });
}

}  // namespace

constinit const Home hessenberg = [] {
  Op op = form_op("hessenberg", {2, 1}, 10. / 3);
  op.infer = [](const Call& c) {
    check_form(c);
    const Type& a = c.operands[0];
    return std::vector{type(a.dtype, a.shape), vector_type(c, a.dtype, 1)};
  };
  op.eval = eval_hessenberg;
  for (const Shape& shape : {Shape{4, 4}, Shape{2, 3, 3}, Shape{1, 1}, Shape{0, 3, 3}})
    op.samples.push_back({.params = {}, .operands = {type(float32, shape)}, .differentiable = false});
  op.samples.push_back({.params = {}, .operands = {type(complex64, {3, 3})}, .differentiable = false});
  return op;
};

constinit const Home tridiagonal = [] {
  Op op = form_op("tridiagonal", {2, 1, 1, 1}, 4. / 3);
  op.infer = [](const Call& c) {
    check_form(c);
    const Type& a = c.operands[0];
    const DType real = real_dtype(a.dtype);
    return std::vector{type(a.dtype, a.shape), vector_type(c, real, 0), vector_type(c, real, 1),
                       vector_type(c, a.dtype, 1)};
  };
  op.eval = eval_tridiagonal;
  for (bool lower : {true, false})
    for (const Shape& shape : {Shape{4, 4}, Shape{2, 3, 3}, Shape{1, 1}})
      op.samples.push_back(
          {.params = TridiagonalForm{lower}, .operands = {type(float32, shape)}, .differentiable = false});
  op.samples.push_back(
      {.params = TridiagonalForm{true}, .operands = {type(complex64, {3, 3})}, .differentiable = false});
  return op;
};

constinit const Home schur = [] {
  Op op = form_op("schur", {2, 2}, 25);
  op.infer = [](const Call& c) {
    check_form(c);
    return std::vector(c.get<SchurForm>().vectors ? 2 : 1, type(c.operands[0].dtype, c.operands[0].shape));
  };
  op.eval = eval_schur;
  for (bool vectors : {true, false})
    for (const Shape& shape : {Shape{4, 4}, Shape{2, 3, 3}, Shape{1, 1}})
      op.samples.push_back({.params = SchurForm{vectors}, .operands = {type(float32, shape)}, .differentiable = false});
  op.samples.push_back({.params = SchurForm{true}, .operands = {type(complex64, {3, 3})}, .differentiable = false});
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax::linalg {

Hessenberg hessenberg(const In& a) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::hessenberg, {}, {a.array});
  return {out[0], out[1]};
}
Tridiagonal tridiagonal(const In& a, bool lower) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::tridiagonal, ops::TridiagonalForm{lower}, {a.array});
  return {out[0], out[1], out[2], out[3]};
}
Schur schur(const In& a, bool vectors) {
  CallScope scope(a.loc);
  std::vector<Array> out = bind(ops::schur, ops::SchurForm{vectors}, {a.array});
  return {out[0], vectors ? out[1] : Array()};
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
