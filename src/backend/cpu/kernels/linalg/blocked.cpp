#include "backend/cpu/kernels/linalg/blocked.hpp"

#include <algorithm>
#include <complex>

#include "backend/cpu/kernels/linalg/lapack_routines.hpp"
#include "base/tasks.hpp"

namespace tutti::kernels {
namespace {

using lapack::Routines;

constexpr int kLuBlock = 64, kCholeskyBlock = 128;

/// f(k) for k < count: the first one is begun first.
template <class F> void blocks(int count, bool on_workers, F&& f) {
  auto some = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) f(static_cast<int>(k));
  };
  constexpr double kLong = 1e5;  // ns: each is a task of its own
  if (on_workers)
    in_pieces(count, kLong, some);
  else
    some(0, count);
}

}  // namespace

// LAPACK sees the transpose: the upper factor of u^H u, a block of rows of ours as a block of its columns. The strip
// that has the next block on the diagonal comes first, and whoever has it factors that block at once.
template <class T> bool Blocked<T>::cholesky(int n, T* a, bool on_workers) {
  const T one(1), minus(-1);
  const char* turned = "C";
  auto at = [&](int i, int j) { return a + std::int64_t{i} * n + j; };
  auto rows_of = [&](int first) { return std::min(kCholeskyBlock, n - first); };
  bool positive = true;
  auto factor = [&](int k) {
    const int width = rows_of(k);
    int info = 0;
    Routines<T>::potrf("U", &width, at(k, k), &n, &info, 1);
    positive = positive && info == 0;
  };
  factor(0);
  for (int k = 0; positive && k + kCholeskyBlock < n; k += kCholeskyBlock) {
    const int width = kCholeskyBlock, next = k + width, strips = (n - next + kCholeskyBlock - 1) / kCholeskyBlock;
    blocks(strips, on_workers, [&](int s) {
      const int first = next + s * kCholeskyBlock, rows = rows_of(first);
      Routines<T>::trsm("L", "U", turned, "N", &width, &rows, &one, at(k, k), &n, at(first, k), &n, 1, 1, 1, 1);
    });
    blocks(strips, on_workers, [&](int s) {  // behind the next one the longest come first
      const int first = next + (s == 0 ? 0 : strips - s) * kCholeskyBlock, rows = rows_of(first);
      const int columns = first + rows - next;
      Routines<T>::gemm(turned, "N", &columns, &rows, &width, &minus, at(next, k), &n, at(first, k), &n, &one,
                        at(first, next), &n, 1, 1);
      if (s == 0) factor(next);
    });
  }
  return positive;
}

// Each strip of columns swaps its rows and subtracts the product by itself. The strip that is the next panel comes
// first, and whoever has it factors it while the others are still at work.
template <class T> void Blocked<T>::lu(int m, int n, T* a, std::int32_t* pivots, bool on_workers) {
  const T one(1), minus(-1);
  const int steps = std::min(m, n);
  auto at = [&](int i, int j) { return a + std::int64_t{j} * m + i; };
  auto factor = [&](int k) {
    const int rows = m - k, width = std::min(kLuBlock, steps - k);
    int info = 0;
    Routines<T>::getrf(&rows, &width, at(k, k), &m, pivots + k, &info);
    for (int i = k; i < k + width; ++i) pivots[i] += k - 1;  // LAPACK counts from 1
  };
  auto swap_rows = [&](int begin, int end, int first, int last) {
    for (int j = first; j < last; ++j)
      for (int i = begin; i < end; ++i) std::swap(*at(i, j), *at(pivots[i], j));
  };
  factor(0);
  for (int k = 0; k < steps; k += kLuBlock) {
    const int width = std::min(kLuBlock, steps - k), next = k + width, rows = m - next;
    const int panel = std::min(kLuBlock, steps - next), rest = n - next - panel;
    // Few strips, since each brings the panel to the form of the library's kernel anew.
    const int wide = std::max(2 * kLuBlock, (rest + 3) / 4), strips = (rest + wide - 1) / wide;
    blocks(strips + (panel > 0), on_workers, [&](int s) {
      const bool is_panel = panel > 0 && s == 0;
      const int first = is_panel ? next : next + panel + (s - (panel > 0)) * wide;
      const int columns = is_panel ? panel : std::min(wide, n - first);
      swap_rows(k, next, first, first + columns);
      Routines<T>::trsm("L", "L", "N", "U", &width, &columns, &one, at(k, k), &m, at(k, first), &m, 1, 1, 1, 1);
      if (rows > 0)
        Routines<T>::gemm("N", "N", &rows, &columns, &width, &minus, at(next, k), &m, at(k, first), &m, &one,
                          at(next, first), &m, 1, 1);
      if (is_panel) factor(next);
    });
  }
  blocks((steps + kLuBlock - 1) / kLuBlock, on_workers, [&](int s) {
    const int first = s * kLuBlock, last = std::min(steps, first + kLuBlock);
    swap_rows(last, steps, first, last);
  });
}

template struct Blocked<std::complex<float>>;
template struct Blocked<std::complex<double>>;

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
