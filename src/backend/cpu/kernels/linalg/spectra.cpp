// LAPACK reads matrices column by column: singular values are had from the transpose, other matrices are turned on the
// way in and out.
#include "backend/cpu/kernels/linalg/spectra.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "backend/cpu/kernels/linalg/lapack_memory.hpp"
#include "backend/cpu/kernels/linalg/lapack_routines.hpp"
#include "backend/cpu/kernels/linalg/ordered_tasks.hpp"
#include "backend/cpu/kernels/linalg/strip_factors.hpp"
#include "backend/cpu/kernels/linalg/turn_matrix.hpp"
#include "device/buffer.hpp"

namespace tutti::kernels {
namespace {

using lapack::Routines;

// Singular values and vectors of a matrix with many more rows than columns are those of r, of q r.
template <class T> void tall_svd(int m, int n, const T* a, T* s, T* u, T* vh, Workspace<T>& w, bool on_workers) {
  std::vector<T> r(static_cast<std::size_t>(n) * n), left(u ? r.size() : 0);
  StripFactors<T>::around_r(
      m, n, a, r.data(), [&] { Spectra<T>::svd(n, n, false, r.data(), s, u ? left.data() : nullptr, vh, w); },
      left.data(), u, on_workers);
}

// LAPACK makes its routines' steps larger or smaller where their squares are no numbers.
template <class T> bool is_moderate(T largest) {
  constexpr T high = std::numeric_limits<T>::digits < 32 ? T(1e12) : T(1e140);
  return largest > 1 / high && largest < high;
}
template <class T> T largest_of(const T* a, std::int64_t n) {
  return std::accumulate(a, a + n, T{}, [](T x, T y) { return std::max(x, std::abs(y)); });
}

// What gesdd does with a matrix about as wide as high, but vectors come back by strips. `wide`: n >= m; else the other
// way round. False where it does not converge.
template <class T> bool square_svd(int m, int n, const T* a, T* s, T* u, T* vh, Workspace<T>& w, bool on_workers) {
  const bool wide = n >= m;
  const int rows = wide ? n : m, cols = wide ? m : n;
  const std::int64_t square = std::int64_t{cols} * cols, size = std::int64_t{m} * n;
  const int length = static_cast<int>(3 * square + 4 * std::int64_t{cols});  // what bdsdc wants, more than gebrd does
  const HostPtr memory =
      allocate_buffer(static_cast<std::size_t>(size + 2 * square + 3 * std::int64_t{cols} + length) * sizeof(T));
  T* b = static_cast<T*>(memory->data());  // rows x cols, column by column
  T *left = b + size, *right = left + square, *above = right + square, *tau_left = above + cols,
    *tau_right = tau_left + cols, *work = tau_right + cols;
  if (wide)
    std::copy_n(a, size, b);
  else
    turn_matrix(a, m, n, b, on_workers);
  int info = 0, *integers = sized(w.integers, 8 * std::int64_t{cols}), unused_integer = 0;
  T unused = 0;
  Routines<T>::gebrd(&rows, &cols, b, &rows, s, above, tau_left, tau_right, work, &length, &info);
  Routines<T>::bdsdc("U", "I", &cols, s, above, left, &cols, right, &cols, &unused, &unused_integer, work, integers,
                     &info, 1, 1);
  if (info != 0) return false;
  // Of the transpose left and right have changed places.
  StripFactors<T>::reflect({rows, cols, 0, b, 1, rows, tau_left}, cols, {cols, left, 1, cols}, wide ? vh : u, wide,
                           on_workers);
  StripFactors<T>::reflect({cols, cols - 1, 1, b, rows, 1, tau_right}, cols, {cols, right, cols, 1}, wide ? u : vh,
                           !wide, on_workers);
  return true;
}

// Eigenvalues d, ascending, and vectors, as columns, of the tridiagonal matrix with d and e: as stedc, but its two
// halves at once (J. J. M. Cuppen: A divide and conquer method for the symmetric tridiagonal eigenproblem, 1981).
template <class T> bool tridiagonal(int n, T* d, T* e, T* vectors, bool on_workers) {
  const int half = n / 2, sizes[] = {half, n - half}, starts[] = {0, half};
  const std::int64_t square = std::int64_t{n} * n, room = square / 2 + 8 * std::int64_t{n}, whole = 3 + 5 * n;
  const HostPtr memory = allocate_buffer(static_cast<std::size_t>(std::max(2 * room, square + 4 * n)) * sizeof(T));
  T* work = static_cast<T*>(memory->data());
  std::vector<int> integers(static_cast<std::size_t>(2 * whole)), order(static_cast<std::size_t>(n));
  const T scale = std::max(largest_of(d, n), largest_of(e, n - 1));  // what is small is judged beside 1
  std::for_each(d, d + n, [&](T& x) { x /= scale; });
  std::for_each(e, e + n - 1, [&](T& x) { x /= scale; });
  const T between = e[half - 1];
  d[half - 1] -= std::abs(between);
  d[half] -= std::abs(between);
  std::fill_n(vectors, square, T{});
  int infos[] = {0, 0};
  in_order(2, on_workers, [&](int i) {
    const int first = starts[i], size = sizes[i], length = static_cast<int>(room), count = static_cast<int>(whole);
    Routines<T>::stedc("I", &size, d + first, e + first, vectors + std::int64_t{first} * n + first, &n, work + i * room,
                       &length, integers.data() + i * whole, &count, &infos[i], 1);
    std::iota(order.data() + first, order.data() + first + size, 1);
  });
  int info = 0;
  if (infos[0] != 0 || infos[1] != 0) return false;
  Routines<T>::laed1(&n, d, vectors, &n, order.data(), &between, &half, work, integers.data(), &info);
  if (info != 0) return false;
  std::copy_n(vectors, square, work);
  const std::vector<T> values(d, d + n);
  for (int j = 0; j < n; ++j) {
    const int from = order[static_cast<std::size_t>(j)] - 1;
    d[j] = values[static_cast<std::size_t>(from)] * scale;
    std::copy_n(work + std::int64_t{from} * n, n, vectors + std::int64_t{j} * n);
  }
  return true;
}

// What syevd does with a lower triangle, but vectors come back by strips.
template <class T> bool eigenvectors(int n, T* a, T* w, T* v, bool on_workers) {
  const std::int64_t square = std::int64_t{n} * n;
  const int length = 64 * n;  // of blocks of 64 columns
  const HostPtr memory = allocate_buffer(static_cast<std::size_t>(square + 2 * std::int64_t{n} + length) * sizeof(T));
  T *vectors = static_cast<T*>(memory->data()), *below = vectors + square, *tau = below + n, *work = tau + n;
  int info = 0;
  Routines<T>::sytrd("L", &n, a, &n, w, below, tau, work, &length, &info, 1);
  if (!tridiagonal(n, w, below, vectors, on_workers)) return false;
  StripFactors<T>::reflect({n, n - 1, 1, a, 1, n, tau}, n, {n, vectors, 1, n}, v, false, on_workers);
  return true;
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
  if constexpr (!is_complex<T>)
    if (u && (!full || m == n) && k >= StripFactors<T>::least_vectors && is_moderate(largest_of(a, size))) {
      if (!square_svd(m, n, a, s, u, vh, w, on_workers)) give_up();
      return;
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

template <class T>
void Spectra<T>::eigh(int n, bool lower, const T* a, Real<T>* w, T* v, Workspace<T>& space, bool on_workers) {
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
  turn_matrix(a, n, n, copy, on_workers);
  if constexpr (!is_complex<T>) {
    T largest = 0;
    for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, largest_of(a + i * n, i + 1));
    if (v && lower && n >= StripFactors<T>::least_vectors && is_moderate(largest)) {
      if (!eigenvectors(n, copy, w, v, on_workers)) give_up();
      return;
    }
  }
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

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
