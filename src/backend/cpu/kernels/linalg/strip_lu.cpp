#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "backend/cpu/kernels/linalg/ordered_tasks.hpp"
#include "backend/cpu/kernels/linalg/strip_factors.hpp"
#include "backend/cpu/kernels/linalg/tiles.hpp"

namespace tutti::kernels {
namespace {

// Panel k is strip k from row k * width on. Each strip behind it swaps its rows, solves and subtracts the product by
// itself; whoever does this to the next panel factors it at once, while others are still at work.
template <class T> struct StripLu {
  static constexpr int width = Strips<T>::width;

  int steps;
  std::int32_t* pivots;
  Strips<T> x;
  Progress strips{x.count()}, factored{1};

  StripLu(int m, int n, std::int32_t* p) : steps(std::min(m, n)), pivots(p), x(m, n) {}

  int panels() const { return (steps + width - 1) / width; }
  int columns(int k) const { return std::min(width, steps - k * width); }

  void factor(int k) {
    const int first = k * width;
    Tiles<T>::lu(x.rows() - first, columns(k), x.row(k, first), pivots + first);
    for (int i = first; i < first + columns(k); ++i) pivots[i] += first;
    factored.reach(0, k + 1);
  }
  void swap(int k, int s) const {
    for (int i = k * width; i < k * width + columns(k); ++i)
      if (pivots[i] != i) x.swap_rows(s, i, pivots[i]);
  }
  void load(int s, const T* a) {
    x.load(s, a, 0, x.rows());
    if (s == 0) factor(0);
    strips.reach(s, 1);
  }
  void step(int k, int s) {
    const int first = k * width, next = first + columns(k);
    strips.wait(s, k + 1);
    factored.wait(0, k + 1);
    swap(k, s);
    Tiles<T>::solve_lower(columns(k), {x.row(k, first), width, 1}, true, x.row(s, first), x.cols_of(s));
    if (next < x.rows())
      Tiles<T>::subtract_product(x.height() - next, columns(k), {x.row(k, next), width, 1}, x.row(s, first),
                                 x.row(s, next), x.cols_of(s));
    if (s == k + 1 && s < panels()) factor(s);
    strips.reach(s, k + 2);
  }
  /// Strip s with the swaps of the panels behind it.
  void store(int s, T* a) const {
    std::vector<int> rows(static_cast<std::size_t>(x.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    for (int i = std::min(steps, (s + 1) * width); i < steps; ++i)
      std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(pivots[i])]);
    x.store(s, a, 0, x.rows(), [&](int i) { return rows[static_cast<std::size_t>(i)]; });
  }
};

}  // namespace

template <class T> void StripFactors<T>::lu(int m, int n, const T* in, T* out, std::int32_t* pivots, bool on_workers) {
  on_workers &= worth_workers(1.0 * m * n * std::min(m, n));
  StripLu<T> f(m, n, pivots);
  const int strips = f.x.count();
  std::vector<std::pair<int, int>> tasks;
  for (int k = -1; k < f.panels(); ++k)
    for (int s = k < 0 ? 0 : k + 1; s < strips; ++s) tasks.emplace_back(k, s);
  in_order(static_cast<int>(tasks.size()), on_workers, [&](int i) {
    const auto [k, s] = tasks[static_cast<std::size_t>(i)];
    if (k < 0)
      f.load(s, in);
    else
      f.step(k, s);
  });
  in_order(strips, on_workers, [&](int s) { f.store(s, out); });
}

template void StripFactors<float>::lu(int, int, const float*, float*, std::int32_t*, bool);
template void StripFactors<double>::lu(int, int, const double*, double*, std::int32_t*, bool);

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
