#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "backend/cpu/kernels/linalg/ordered_tasks.hpp"
#include "backend/cpu/kernels/linalg/strip_factors.hpp"
#include "backend/cpu/kernels/linalg/tiles.hpp"

namespace tutti::kernels {
namespace {

// The upper factor of u^T u, strip by strip: of row-major memory its columns are the rows that are read and written.
// Block (k, s), rows k * width on of strip s, is what all rows above take away from it and then solved by the block on
// the diagonal: each is read and written once.
template <class T> struct StripCholesky {
  static constexpr int width = Strips<T>::width;

  Strips<T> u;
  Progress strips{u.count()};
  std::atomic<bool> positive = true;

  explicit StripCholesky(int n) : u(n, n) {}

  int columns(int k) const { return u.cols_of(k); }
  void load(int s, const T* a) {
    u.load_turned(s, a, 0, s * width + columns(s));
    strips.reach(s, 1);
  }
  void step(int k, int s) {
    const int first = k * width;
    strips.wait(s, k + 1);
    strips.wait(k, s == k ? k + 1 : k + 2);
    const int rows = std::min(width, u.height() - first);
    if (k > 0) Tiles<T>::subtract_product(rows, first, {u.strip(k), 1, width}, u.strip(s), u.row(s, first), columns(s));
    if (s > k)
      Tiles<T>::solve_lower(columns(k), {u.row(k, first), 1, width}, false, u.row(s, first), columns(s));
    else if (!Tiles<T>::cholesky(columns(k), u.row(k, first)))
      positive.store(false, std::memory_order_relaxed);
    strips.reach(s, k + 2);
  }
  void store(int s, T* a) const {
    const int first = s * width, n = u.rows();
    u.store_turned(s, a, 0, first + columns(s));
    for (std::int64_t i = first; i < first + columns(s); ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, T{});
  }
};

}  // namespace

template <class T> bool StripFactors<T>::cholesky(int n, const T* in, T* out, bool on_workers) {
  on_workers &= worth_workers(std::pow(n, 3) / 3);
  StripCholesky<T> f(n);
  const int strips = f.u.count();
  // The next block on the diagonal comes as soon as one other block is between it and what it waits for.
  std::vector<std::pair<int, int>> tasks;
  for (int s = 0; s < strips; ++s) tasks.emplace_back(-1, s);
  tasks.emplace_back(0, 0);
  for (int k = 0; k < strips; ++k) {
    for (int s = k + 1; s < std::min(strips, k + 3); ++s) tasks.emplace_back(k, s);
    if (k + 1 < strips) tasks.emplace_back(k + 1, k + 1);
    for (int s = k + 3; s < strips; ++s) tasks.emplace_back(k, s);
  }
  in_order(static_cast<int>(tasks.size()), on_workers, [&](int i) {
    const auto [k, s] = tasks[static_cast<std::size_t>(i)];
    if (k < 0)
      f.load(s, in);
    else if (f.positive.load(std::memory_order_relaxed))
      f.step(k, s);
    else
      f.strips.reach(s, k + 2);
  });
  if (!f.positive) return false;
  in_order(strips, on_workers, [&](int s) { f.store(strips - 1 - s, out); });
  return true;
}

template bool StripFactors<float>::cholesky(int, const float*, float*, bool);
template bool StripFactors<double>::cholesky(int, const double*, double*, bool);

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
