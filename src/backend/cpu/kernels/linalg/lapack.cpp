// LAPACK reads matrices column by column: a row-major matrix is its transpose there. Cholesky factors, triangular
// solves and singular values are had from the transpose by asking for the mirrored thing; the rest is turned on the way
// in and out.
#include "backend/cpu/kernels/linalg/lapack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "backend/cpu/kernels/linalg/blocked.hpp"
#include "backend/cpu/kernels/linalg/lapack_memory.hpp"
#include "backend/cpu/kernels/linalg/lapack_routines.hpp"
#include "backend/cpu/kernels/linalg/strip_factors.hpp"
#include "backend/cpu/kernels/linalg/turn_matrix.hpp"
#include "base/stack.hpp"
#include "tutti/base/error.hpp"

namespace tutti::kernels {

void* lapack::find(const std::string& name) {
  static void* const library = [] {
    // It starts threads as it is loaded, and ends the process where it gets none.
    const bool alone = !start_thread([] {}) && !std::getenv("OPENBLAS_NUM_THREADS");
    if (alone) setenv("OPENBLAS_NUM_THREADS", "1", 0);
    void* opened = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (alone) unsetenv("OPENBLAS_NUM_THREADS");
    if (!opened)
      raise<UnsupportedError>("linalg", std::string("OpenBLAS could not be loaded: ") + dlerror(),
                              "Install it (on Debian: libopenblas0).");
    // One thread inside the library: its own would make results depend on their number, and get in the way of our
    // workers, who take whole matrices.
    if (void* set = dlsym(opened, "openblas_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
    return opened;
  }();
  void* found = dlsym(library, name.c_str());
  if (!found)
    raise<UnsupportedError>("linalg", "OpenBLAS has no function " + name,
                            "Install one with LAPACK (on Debian: libopenblas0).");
  return found;
}

namespace {

using lapack::Routines;

template <class T> using Large = std::conditional_t<is_complex<T>, Blocked<T>, StripFactors<T>>;

template <class T> T conjugate(T x) {
  if constexpr (is_complex<T>)
    return std::conj(x);
  else
    return x;
}
template <class T> Real<T> magnitude(T x) {
  if constexpr (is_complex<T>)
    return std::abs(x.real()) + std::abs(x.imag());  // as LAPACK chooses pivots
  else
    return std::abs(x);
}
// Whether the reciprocal of a number on the diagonal may overflow, by which the library multiplies.
template <class T> bool has_tiny_diagonal(int n, std::int64_t step, const T* a) {
  for (int k = 0; k < n; ++k)
    if (const Real<T> size = magnitude(a[k * step]); size > 0 && size < std::numeric_limits<Real<T>>::min())
      return true;
  return false;
}
template <class T> void small_lu(int m, int n, T* a, std::int32_t* pivots) {
  for (int k = 0; k < std::min(m, n); ++k) {
    int at = k;
    for (int i = k + 1; i < m; ++i)
      if (magnitude(a[i * n + k]) > magnitude(a[at * n + k])) at = i;
    pivots[k] = at;
    if (at != k) std::swap_ranges(a + k * n, a + k * n + n, a + at * n);
    if (a[k * n + k] == T{}) continue;
    // Below the smallest normal number the reciprocal may overflow.
    constexpr Real<T> raised = sizeof(Real<T>) == 4 ? Real<T>(0x1p64) : Real<T>(0x1p128);
    const Real<T> scale = magnitude(a[k * n + k]) < std::numeric_limits<Real<T>>::min() ? raised : Real<T>(1);
    const T inverse = T(1) / (a[k * n + k] * scale);
    for (int i = k + 1; i < m; ++i) {
      const T factor = a[i * n + k] = a[i * n + k] * scale * inverse;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
}

// Rows of b one after the other, from the first unknown on (the last where op(a) is upper).
template <class T> void small_solve(bool lower, Turn turn, bool unit, int n, int cols, const T* a, T* b) {
  const bool forward = lower == (turn == Turn::none);
  auto element = [&](int i, int j) {
    return turn == Turn::none ? a[i * n + j] : turn == Turn::transpose ? a[j * n + i] : conjugate(a[j * n + i]);
  };
  for (int step = 0; step < n; ++step) {
    const int i = forward ? step : n - 1 - step;
    T* row = b + std::int64_t{i} * cols;
    for (int done = 0; done < step; ++done) {
      const int j = forward ? done : n - 1 - done;
      const T factor = element(i, j);
      const T* other = b + std::int64_t{j} * cols;
      for (int c = 0; c < cols; ++c) row[c] -= factor * other[c];
    }
    if (unit) continue;
    const T diagonal = element(i, i);
    for (int c = 0; c < cols; ++c) row[c] /= diagonal;
  }
}

// op(a) x = b for one vector, in place: rows of a are read as they lie.
constexpr int kVector = 256;
template <class T> void solve_vector(bool lower, Turn turn, bool unit, int n, const T* a, T* x) {
  const bool forward = lower == (turn == Turn::none);
  for (int step = 0; step < n; ++step) {
    const int i = forward ? step : n - 1 - step, first = lower ? 0 : i + 1, count = lower ? i : n - 1 - i;
    const T* row = a + std::int64_t{i} * n;
    const T* beside = row + first;
    T* others = x + first;
    if (turn == Turn::none) {
      constexpr int kSums = 8;
      T sums[kSums] = {};
      int c = 0;
      for (; c + kSums <= count; c += kSums)
        for (int k = 0; k < kSums; ++k) sums[k] += beside[c + k] * others[c + k];
      for (int k = 0; c < count; ++c, ++k) sums[k] += beside[c] * others[c];
      for (int half = kSums / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
      x[i] -= sums[0];
      if (!unit) x[i] /= row[i];
    } else {
      const bool conjugates = turn == Turn::adjoint;
      if (!unit) x[i] /= conjugates ? conjugate(row[i]) : row[i];
      const T known = x[i];
      if (conjugates)
        for (int c = 0; c < count; ++c) others[c] -= conjugate(beside[c]) * known;
      else
        for (int c = 0; c < count; ++c) others[c] -= beside[c] * known;
    }
  }
}

}  // namespace

template <class T>
void Lapack<T>::transpose(const T* in, std::int64_t rows, std::int64_t cols, T* out, bool on_workers) {
  turn_matrix(in, rows, cols, out, on_workers);
}

template <class T> void Lapack<T>::cholesky(int n, const T* in, T* a, bool on_workers) {
  if (n == 0) return;
  auto by_library = [&] {
    int info = 0;
    Routines<T>::potrf("U", &n, a, &n, &info, 1);
    return info == 0;
  };
  bool is_positive = false;
  if constexpr (is_complex<T>) {
    std::copy_n(in, std::int64_t{n} * n, a);
    is_positive = n < Blocked<T>::least ? by_library() : Blocked<T>::cholesky(n, a, on_workers);
  } else if (n < StripFactors<T>::least) {
    std::copy_n(in, std::int64_t{n} * n, a);
    is_positive = by_library();
  } else if (StripFactors<T>::cholesky(n, in, a, on_workers)) {
    return;  // with zeros above
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (!is_positive) fill_nan(a + i * n, i + 1);
    std::fill(a + i * n + i + 1, a + (i + 1) * n, T{});
  }
}

template <class T>
void Lapack<T>::triangular_solve(bool left, bool lower, Turn turn, bool unit, int rows, int cols, const T* a, T* b,
                                 bool on_workers) {
  if (rows == 0 || cols == 0) return;
  const int n = left ? rows : cols;
  if (left && cols == 1 && n <= kVector) return solve_vector(lower, turn, unit, n, a, b);
  if (left && (n <= kSmallMatrix || (!unit && has_tiny_diagonal(n, std::int64_t{n} + 1, a))))
    return small_solve(lower, turn, unit, n, cols, a, b);
  if constexpr (!is_complex<T>)
    if (n >= Large<T>::least && (left ? cols : rows) >= StripFactors<T>::least_columns)
      return StripFactors<T>::triangular_solve(left, lower, turn, unit, rows, cols, a, b, on_workers);
  const T one(1);
  const char* turned = turn == Turn::none ? "N" : turn == Turn::transpose ? "T" : "C";
  Routines<T>::trsm(left ? "R" : "L", lower ? "U" : "L", turned, unit ? "U" : "N", &cols, &rows, &one, a, &n, b, &cols,
                    1, 1, 1, 1);
}

template <class T>
void Lapack<T>::lu(int m, int n, const T* in, T* a, std::int32_t* pivots, Workspace<T>& w, bool on_workers) {
  if (m == 0 || n == 0) return;
  if (std::max(m, n) <= kSmallMatrix) {
    std::copy_n(in, m * n, a);
    return small_lu(m, n, a, pivots);
  }
  const bool is_large = std::min(m, n) >= Large<T>::least;
  if constexpr (!is_complex<T>)
    if (is_large) return StripFactors<T>::lu(m, n, in, a, pivots, on_workers);
  T* columns = sized(w.matrix, std::int64_t{m} * n);
  transpose(in, m, n, columns, on_workers);
  auto by_library = [&] {
    int info = 0;
    Routines<T>::getrf(&m, &n, columns, &m, pivots, &info);
    for (int i = 0; i < std::min(m, n); ++i) --pivots[i];
    return !has_tiny_diagonal(std::min(m, n), std::int64_t{m} + 1, columns);
  };
  bool is_right = true;
  if constexpr (is_complex<T>)
    is_large ? Blocked<T>::lu(m, n, columns, pivots, on_workers) : void(is_right = by_library());
  else
    is_right = by_library();
  if (!is_right) {
    std::copy_n(in, std::int64_t{m} * n, a);
    return small_lu(m, n, a, pivots);
  }
  transpose(columns, n, m, a, on_workers);
}

template <class T>
void Lapack<T>::lu_solve(int n, int cols, const T* lu, const std::int32_t* pivots, Turn turn, T* b, bool on_workers) {
  auto swap = [&](int i) {
    if (pivots[i] != i)
      std::swap_ranges(b + std::int64_t{i} * cols, b + (std::int64_t{i} + 1) * cols,
                       b + std::int64_t{pivots[i]} * cols);
  };
  if (turn == Turn::none) {
    for (int i = 0; i < n; ++i) swap(i);
    triangular_solve(true, true, turn, true, n, cols, lu, b, on_workers);
    triangular_solve(true, false, turn, false, n, cols, lu, b, on_workers);
  } else {
    triangular_solve(true, false, turn, false, n, cols, lu, b, on_workers);
    triangular_solve(true, true, turn, true, n, cols, lu, b, on_workers);
    for (int i = n; i-- > 0;) swap(i);
  }
}

template <class T>
void Lapack<T>::qr(int m, int n, bool full, const T* a, T* q, T* r, Workspace<T>& w, bool on_workers) {
  const int reflectors = std::min(m, n), k = full ? m : reflectors;
  if (m == 0 || n == 0) {
    fill_eye(q, m, k);
    return;
  }
  if constexpr (!is_complex<T>)
    if (reflectors >= StripFactors<T>::least_reflections) return StripFactors<T>::qr(m, n, full, a, q, r, on_workers);
  T* columns = sized(w.matrix, std::int64_t{m} * std::max(n, k));
  transpose(a, m, n, columns);
  T* tau = sized(w.other, reflectors);
  int info = 0;
  // Both routines ask for n times their block at most: the same room will do.
  const int most = std::max(n, k);
  const int length = room(w.work, [&](T* work, const int* size) {
    T first{}, second{};
    Routines<T>::geqrf(&m, &n, columns, &m, tau, &first, size, &info);
    Routines<T>::orgqr(&m, &k, &reflectors, columns, &m, tau, &second, size, &info);
    *work = T(std::max({std::real(first), std::real(second), static_cast<Real<T>>(most)}));
  });
  Routines<T>::geqrf(&m, &n, columns, &m, tau, w.work.data(), &length, &info);
  for (std::int64_t i = 0; i < k; ++i)
    for (std::int64_t j = 0; j < n; ++j) r[i * n + j] = i <= j ? columns[j * m + i] : T{};
  Routines<T>::orgqr(&m, &k, &reflectors, columns, &m, tau, w.work.data(), &length, &info);
  transpose(columns, k, m, q);
}

template struct Lapack<float>;
template struct Lapack<double>;
template struct Lapack<std::complex<float>>;
template struct Lapack<std::complex<double>>;

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
