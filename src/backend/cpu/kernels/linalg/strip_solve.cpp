#include <algorithm>

#include "backend/cpu/kernels/linalg/ordered_tasks.hpp"
#include "backend/cpu/kernels/linalg/strip_factors.hpp"
#include "backend/cpu/kernels/linalg/tiles.hpp"

namespace tutti::kernels {
namespace {

// op(a) x = b, from the first block of rows on or from the last one. What is on the right of x is the transpose of what
// is on the left of x^T.
template <class T> struct StripSolve {
  static constexpr int width = Strips<T>::width;

  Strips<T> a, x;
  bool turned, forward, unit;
  const T* whole = nullptr;  // a itself, where its rows are read as they lie: then the strips are empty
  Progress solved{x.count()};

  int blocks() const { return (x.rows() + width - 1) / width; }
  Factor<T> block(int i, int k) const {  // of op(a): row i and column k come first
    if (whole) return {whole + std::int64_t{i} * x.rows() + k, x.rows(), 1};
    if (turned) return {a.row(i / width, k), 1, width};
    return {a.row(k / width, i), width, 1};
  }
  /// What unknowns `begin` to `end` of strip s bring to rows from `first` on.
  void subtract(int first, int rows, int begin, int end, int s) const {
    const int together = whole || turned ? end - begin : width;  // what lies side by side
    for (int k = begin; k < end; k += together)
      Tiles<T>::subtract_product(rows, std::min(together, end - k), block(first, k), x.row(s, k), x.row(s, first),
                                 x.cols_of(s));
  }
  /// The unknowns of block `step` of strip s: what those before bring is taken away.
  void solve(int step, int s) {
    const int columns = x.cols_of(s);
    auto first_of = [&](int at) { return (forward ? at : blocks() - 1 - at) * width; };
    const int first = first_of(step), n = std::min(width, x.rows() - first), rows = std::min(width, x.height() - first);
    T* to = x.row(s, first);
    // Those far away were solved long ago, and are one product.
    if (step > 1) {
      const int far = forward ? 0 : first_of(step - 2), end = forward ? first_of(step - 1) : x.rows();
      solved.wait(s, step - 1);
      subtract(first, rows, far, end, s);
    }
    if (step > 0) {
      const int near = first_of(step - 1);
      solved.wait(s, step);
      subtract(first, rows, near, std::min(near + width, x.rows()), s);
    }
    if (forward)
      Tiles<T>::solve_lower(n, block(first, first), unit, to, columns);
    else
      Tiles<T>::solve_upper(n, block(first, first), unit, to, columns);
    solved.reach(s, step + 1);
  }
};

}  // namespace

template <class T>
void StripFactors<T>::triangular_solve(bool left, bool lower, Turn turn, bool unit, int rows, int cols, const T* a,
                                       T* b, bool on_workers) {
  constexpr int width = Strips<T>::width;
  const int n = left ? rows : cols, others = left ? cols : rows;
  on_workers &= worth_workers(1.0 * n * n * others);
  const bool turned = (turn == Turn::none) != left;
  // A strip of unknowns is work for one; of few strips blocks are, and they are not worth strips of a.
  constexpr int kFew = 4;
  const bool few = others <= kFew * width, direct = few && !turned && n % Strips<T>::tile == 0;
  const int extent = direct ? 0 : n;
  StripSolve<T> f{Strips<T>(extent, extent), Strips<T>(n, others), turned, lower != turned, unit, direct ? a : nullptr};
  const int blocks = f.blocks(), strips = f.x.count();
  in_order(f.a.count(), on_workers,
           [&](int s) { f.a.load(s, a, lower ? s * width : 0, lower ? n : std::min(n, (s + 1) * width)); });
  auto load = [&](int s) { left ? f.x.load(s, b, 0, n) : f.x.load_turned(s, b, 0, n); };
  auto store = [&](int s) { left ? f.x.store(s, b, 0, n) : f.x.store_turned(s, b, 0, n); };
  if (few) {
    for (int s = 0; s < strips; ++s) load(s);
    in_order(blocks * strips, on_workers, [&](int i) { f.solve(i / strips, i % strips); });
    for (int s = 0; s < strips; ++s) store(s);
  } else {
    in_order(strips, on_workers, [&](int s) {
      load(s);
      for (int step = 0; step < blocks; ++step) f.solve(step, s);
      store(s);
    });
  }
}

template void StripFactors<float>::triangular_solve(bool, bool, Turn, bool, int, int, const float*, float*, bool);
template void StripFactors<double>::triangular_solve(bool, bool, Turn, bool, int, int, const double*, double*, bool);

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
