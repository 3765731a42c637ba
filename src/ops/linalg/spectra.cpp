// LAPACK reads matrices column by column: singular values are had from the transpose, other matrices are turned on the
// way in and out.
#include "ops/linalg/spectra.hpp"

#include <utility>

#include "ops/linalg/lapack_memory.hpp"
#include "ops/linalg/lapack_routines.hpp"
#include "ops/linalg/strip_factors.hpp"
#include "ops/linalg/turn_matrix.hpp"

namespace tutti::ops {
namespace {

using lapack::Routines;

// Singular values and vectors of a matrix with many more rows than columns are those of r, of q r.
template <class T> void tall_svd(int m, int n, const T* a, T* s, T* u, T* vh, Workspace<T>& w, bool on_workers) {
  std::vector<T> r(static_cast<std::size_t>(n) * n), left(u ? r.size() : 0);
  StripFactors<T>::around_r(
      m, n, a, r.data(), [&] { Spectra<T>::svd(n, n, false, r.data(), s, u ? left.data() : nullptr, vh, w); },
      left.data(), u, on_workers);
}

}  // namespace

template <class T>
void Spectra<T>::svd(int m, int n, bool full, const T* a, Real<T>* s, T* u, T* vh, Workspace<T>& w, bool on_workers) {
  const int k = std::min(m, n), columns_u = full ? m : k, rows_v = full ? n : k;
  if (k == 0) {
    if (!u) return;
    fill_eye(u, m, columns_u);
    return fill_eye(vh, rows_v, n);
  }
  auto give_up = [&] {
    fill_nan(s, k);
    if (!u) return;
    fill_nan(u, std::int64_t{m} * columns_u);
    fill_nan(vh, std::int64_t{rows_v} * n);
  };
  const std::int64_t size = std::int64_t{m} * n;
  if (!all_finite(a, size)) return give_up();
  if constexpr (!is_complex<T>)
    if ((!full || !u) && k >= StripFactors<T>::least_reflections && std::max(m, n) > k + k / 2) {
      if (m > n) return tall_svd(m, n, a, s, u, vh, w, on_workers);
      std::vector<T> turned(static_cast<std::size_t>(size)), left(u ? turned.size() : 0),
          right(u ? static_cast<std::size_t>(k) * k : 0);
      turn_matrix(a, m, n, turned.data(), on_workers);
      tall_svd(n, m, turned.data(), s, u ? left.data() : nullptr, u ? right.data() : nullptr, w, on_workers);
      if (!u) return;
      turn_matrix(left.data(), n, m, vh, on_workers);
      return turn_matrix(right.data(), m, m, u, on_workers);
    }
  // Of the transpose (n x m) u and vh have changed places, and lie as they are wanted.
  T* copy = sized(w.matrix, size);
  std::copy_n(a, size, copy);
  const char* job = !u ? "N" : full ? "A" : "S";
  int info = 0, *integers = sized(w.integers, 8 * std::int64_t{k});
  Real<T>* real = nullptr;
  if constexpr (is_complex<T>) {
    const std::int64_t small = k, large = std::max(m, n);
    real = sized(w.real, std::max(5 * small * small + 7 * small, 2 * large * small + 2 * small * small + small));
  }
  auto call = [&](T* work, const int* length) {
    if constexpr (is_complex<T>)
      Routines<T>::gesdd(job, &n, &m, copy, &n, s, vh, &n, u, &columns_u, work, length, real, integers, &info, 1);
    else
      Routines<T>::gesdd(job, &n, &m, copy, &n, s, vh, &n, u, &columns_u, work, length, integers, &info, 1);
  };
  const int length = room(w.work, call);
  call(w.work.data(), &length);
  if (info != 0) give_up();
}

template <class T> void Spectra<T>::eigh(int n, bool lower, const T* a, Real<T>* w, T* v, Workspace<T>& space) {
  if (n == 0) return;
  const std::int64_t size = std::int64_t{n} * n;
  auto give_up = [&] {
    fill_nan(w, n);
    if (v) fill_nan(v, size);
  };
  for (std::int64_t i = 0; i < n; ++i)
    if (!all_finite(a + i * n + (lower ? 0 : i), lower ? i + 1 : n - i)) return give_up();
  // Turned, though the transpose would do: the signs of vectors are then those that others get of LAPACK.
  T* copy = sized(space.matrix, size);
  turn_matrix(a, n, n, copy);
  const char *job = v ? "V" : "N", *half = lower ? "L" : "U";
  int info = 0;
  const int real_length = is_complex<T> ? (v ? 1 + 5 * n + 2 * n * n : n) : 0;
  Real<T>* real = sized(space.real, real_length);
  const int integer_length = v ? 3 + 5 * n : 1;
  int* integers = sized(space.integers, integer_length);
  auto call = [&](T* work, const int* length) {
    const int ask = *length < 0 ? -1 : integer_length;
    if constexpr (is_complex<T>) {
      const int ask_real = *length < 0 ? -1 : real_length;
      Routines<T>::syevd(job, half, &n, copy, &n, w, work, length, real, &ask_real, integers, &ask, &info, 1, 1);
    } else {
      Routines<T>::syevd(job, half, &n, copy, &n, w, work, length, integers, &ask, &info, 1, 1);
    }
  };
  const int length = room(space.work, call);
  call(space.work.data(), &length);
  if (info != 0) return give_up();
  if (v) turn_matrix(copy, n, n, v);
}

template <class T>
void Spectra<T>::eig(int n, const T* a, std::complex<Real<T>>* w, std::complex<Real<T>>* left,
                     std::complex<Real<T>>* right, Workspace<T>& space) {
  using C = std::complex<Real<T>>;
  if (n == 0) return;
  const std::int64_t size = std::int64_t{n} * n;
  auto give_up = [&] {
    const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
    for (auto [values, count] : {std::pair{w, std::int64_t{n}}, {left, size}, {right, size}})
      if (values) std::fill_n(values, count, C(nan, nan));
  };
  if (!all_finite(a, size)) return give_up();
  T* copy = sized(space.matrix, size);
  turn_matrix(a, n, n, copy);
  T* vectors = sized(space.other, 2 * size);
  T *vl = left ? vectors : nullptr, *vr = right ? vectors + size : nullptr;
  const char *job_left = left ? "V" : "N", *job_right = right ? "V" : "N";
  Real<T>* real = sized(space.real, 2 * std::int64_t{n});
  int info = 0;
  auto call = [&](T* work, const int* length) {
    if constexpr (is_complex<T>)
      Routines<T>::geev(job_left, job_right, &n, copy, &n, w, vl, &n, vr, &n, work, length, real, &info, 1, 1);
    else
      Routines<T>::geev(job_left, job_right, &n, copy, &n, real, real + n, vl, &n, vr, &n, work, length, &info, 1, 1);
  };
  const int length = room(space.work, call);
  call(space.work.data(), &length);
  if (info != 0) return give_up();
  if constexpr (is_complex<T>) {
    if (left) turn_matrix(vl, n, n, left);
    if (right) turn_matrix(vr, n, n, right);
  } else {
    for (int j = 0; j < n; ++j) w[j] = C(real[j], real[n + j]);
    // The vectors of a pair of conjugates lie as real and imaginary part side by side.
    for (auto [from, to] : {std::pair{vl, left}, {vr, right}})
      for (std::int64_t j = 0; to && j < n; ++j) {
        const bool pair = real[n + j] > 0 && j + 1 < n;
        for (std::int64_t i = 0; i < n; ++i) {
          const T re = from[j * n + i], im = pair ? from[(j + 1) * n + i] : T{};
          to[i * n + j] = C(re, im);
          if (pair) to[i * n + j + 1] = C(re, -im);
        }
        j += pair;
      }
  }
}

template struct Spectra<float>;
template struct Spectra<double>;
template struct Spectra<std::complex<float>>;
template struct Spectra<std::complex<double>>;

}  // namespace tutti::ops
