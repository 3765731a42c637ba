// Hessenberg, tridiagonal and Schur forms by LAPACK.
#include "ops/linalg/forms.hpp"
#include "backend/cpu/kernels/linalg/lapack_memory.hpp"
#include "backend/cpu/kernels/linalg/lapack_routines.hpp"
#include "backend/cpu/kernels/linalg/matrices.hpp"

namespace tutti::kernels {
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

void hessenberg(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  for_each_operand(c, in, 10. / 3, [&]<class T>(int n, std::int64_t k, const T* a, Workspace<T>& w) {
    to_hessenberg(n, a, out[0].as<T>() + k * n * n, out[1].as<T>() + k * (n - 1), w);
  });
}

void tridiagonal(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const bool lower = c.get<TridiagonalForm>().lower;
  for_each_operand(c, in, 4. / 3, [&]<class T>(int n, std::int64_t k, const T* a, Workspace<T>& w) {
    to_tridiagonal(n, lower, a, out[0].as<T>() + k * n * n, out[1].as<Real<T>>() + k * n,
                   out[2].as<Real<T>>() + k * (n - 1), out[3].as<T>() + k * (n - 1), w);
  });
}

void schur(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  for_each_operand(c, in, 25, [&]<class T>(int n, std::int64_t k, const T* a, Workspace<T>& w) {
    T* vectors = c.get<SchurForm>().vectors ? out[1].as<T>() + k * n * n : nullptr;
    to_schur(n, a, out[0].as<T>() + k * n * n, vectors, w);
  });
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
