// Hessenberg, tridiagonal and Schur forms, by LAPACK. Source: jax.lax.linalg.
#include "ops/linalg/forms.hpp"

#include "ops/linalg/lapack_memory.hpp"
#include "ops/linalg/lapack_routines.hpp"
#include "ops/linalg/matrix.hpp"
#include "tutti/lax/linalg.hpp"

namespace tutti::ops {
namespace {

// The routines that only these forms want.
template <class T> struct FormRoutines {
  using R = lapack::Routines<T>;
  using Len = std::size_t;
  using Text = const char*;
  using Int = const int*;
  using Real = ops::Real<T>;
  static constinit inline lapack::Routine<void(Int, Int, Int, T*, Int, T*, T*, Int, int*)> gehrd{R::letter, "gehrd"};
  static constinit inline lapack::Routine<void(Text, Int, T*, Int, Real*, Real*, T*, T*, Int, int*, Len)> sytrd{
      R::letter, R::complex ? "hetrd" : "sytrd"};
  static constinit inline typename R::template Either<
      void(Text, Text, void*, Int, T*, Int, int*, T*, T*, Int, T*, Int, Real*, int*, int*, Len, Len),
      void(Text, Text, void*, Int, T*, Int, int*, T*, T*, T*, Int, T*, Int, int*, int*, Len, Len)>
      gees{R::letter, "gees"};
};

// The matrix at `in` column by column, if all of it is finite; else the results are NaN.
template <class T> T* columns_of(const T* in, int n, Workspace<T>& w) {
  if (!all_finite(in, std::int64_t{n} * n)) return nullptr;
  T* a = sized(w.matrix, std::int64_t{n} * n);
  Lapack<T>::transpose(in, n, n, a);
  return a;
}

template <class T> void to_hessenberg(int n, const T* in, T* out, T* taus, Workspace<T>& w) {
  T* a = columns_of(in, n, w);
  int info = a ? 0 : 1;
  if (a) {
    const int first = 1;
    const int length = room(w.work, [&](T* work, const int* size) {
      FormRoutines<T>::gehrd(&n, &first, &n, a, &n, taus, work, size, &info);
    });
    FormRoutines<T>::gehrd(&n, &first, &n, a, &n, taus, w.work.data(), &length, &info);
  }
  if (info == 0) return Lapack<T>::transpose(a, n, n, out);
  fill_nan(out, std::int64_t{n} * n);
  fill_nan(taus, n - 1);
}

template <class T>
void to_tridiagonal(int n, bool lower, const T* in, T* out, Real<T>* d, Real<T>* e, T* taus, Workspace<T>& w) {
  T* a = columns_of(in, n, w);
  int info = a ? 0 : 1;
  if (a) {
    const char* triangle = lower ? "L" : "U";
    const int length = room(w.work, [&](T* work, const int* size) {
      FormRoutines<T>::sytrd(triangle, &n, a, &n, d, e, taus, work, size, &info, 1);
    });
    FormRoutines<T>::sytrd(triangle, &n, a, &n, d, e, taus, w.work.data(), &length, &info, 1);
  }
  if (info == 0) return Lapack<T>::transpose(a, n, n, out);
  fill_nan(out, std::int64_t{n} * n);
  fill_nan(d, n);
  fill_nan(e, n - 1);
  fill_nan(taus, n - 1);
}

template <class T> void to_schur(int n, const T* in, T* out, T* vectors, Workspace<T>& w) {
  T* a = columns_of(in, n, w);
  int info = a ? 0 : 1;
  std::vector<T> values(2 * static_cast<std::size_t>(n)), v(vectors ? static_cast<std::size_t>(n) * n : 1);
  if (a) {
    int chosen = 0, unused = 0;
    const int width = vectors ? n : 1;
    [[maybe_unused]] Real<T>* real = sized(w.real, n);
    auto call = [&](T* work, const int* size) {
      const char* wanted = vectors ? "V" : "N";
      if constexpr (is_complex<T>)
        FormRoutines<T>::gees(wanted, "N", nullptr, &n, a, &n, &chosen, values.data(), v.data(), &width, work, size,
                              real, &unused, &info, 1, 1);
      else
        FormRoutines<T>::gees(wanted, "N", nullptr, &n, a, &n, &chosen, values.data(), values.data() + n, v.data(),
                              &width, work, size, &unused, &info, 1, 1);
    };
    const int length = room(w.work, call);
    call(w.work.data(), &length);
  }
  if (info == 0) {
    Lapack<T>::transpose(a, n, n, out);
    if (vectors) Lapack<T>::transpose(v.data(), n, n, vectors);
    return;
  }
  fill_nan(out, std::int64_t{n} * n);
  if (vectors) fill_nan(vectors, std::int64_t{n} * n);
}

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
template <class F> void for_each_operand(const Call& c, std::span<const HostView> in, double work, F f) {
  const Shape& shape = in[0].type.shape;
  const std::int64_t n = cols_of(shape), size = n * n;
  with_matrix_element(c.operands[0].dtype, [&]<class T>() {
    for_each_matrix<T>(batch_size(shape), work * static_cast<double>(size * n), [&](std::int64_t k, Workspace<T>& w) {
      f(static_cast<int>(n), k, in[0].as<const T>() + k * size, w);
    });
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
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    for_each_operand(c, in, 10. / 3, [&]<class T>(int n, std::int64_t k, const T* a, Workspace<T>& w) {
      to_hessenberg(n, a, out[0].as<T>() + k * n * n, out[1].as<T>() + k * (n - 1), w);
    });
  };
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
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    const bool lower = c.get<TridiagonalForm>().lower;
    for_each_operand(c, in, 4. / 3, [&]<class T>(int n, std::int64_t k, const T* a, Workspace<T>& w) {
      to_tridiagonal(n, lower, a, out[0].as<T>() + k * n * n, out[1].as<Real<T>>() + k * n,
                     out[2].as<Real<T>>() + k * (n - 1), out[3].as<T>() + k * (n - 1), w);
    });
  };
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
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    for_each_operand(c, in, 25, [&]<class T>(int n, std::int64_t k, const T* a, Workspace<T>& w) {
      T* vectors = c.get<SchurForm>().vectors ? out[1].as<T>() + k * n * n : nullptr;
      to_schur(n, a, out[0].as<T>() + k * n * n, vectors, w);
    });
  };
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
