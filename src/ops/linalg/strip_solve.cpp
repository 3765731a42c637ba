#include <algorithm>

#include "ops/linalg/ordered_tasks.hpp"
#include "ops/linalg/strip_factors.hpp"
#include "ops/linalg/tiles.hpp"

namespace tutti::ops {
namespace {

// op(a) x = b, from the first block of rows on or from the last one. What is on the right of x is the transpose of what
// is on the left of x^T.
template <class T> struct StripSolve {
  static constexpr int width = Strips<T>::width;

  Strips<T> a, x;
  bool turned, forward, unit;
  Progress solved{x.count()};

  Factor<T> block(int i, int k) const {  // of op(a): row i and column k come first
    if (turned) return {a.row(i / width, k), 1, width};
    return {a.row(k / width, i), width, 1};
  }
  /// The unknowns of block `step` of strip s: what those before bring is taken away.
  void solve(int step, int s) {
    const int columns = x.cols_of(s);
    auto first_of = [&](int at) { return (forward ? at : a.count() - 1 - at) * width; };
    const int first = first_of(step), n = a.cols_of(first / width), rows = std::min(width, x.height() - first);
    T* to = x.row(s, first);
    for (int before = 0; before < step; ++before) {
      const int k = first_of(before);
      solved.wait(s, before + 1);
      Tiles<T>::subtract_product(rows, a.cols_of(k / width), block(first, k), x.row(s, k), to, columns);
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
  const bool turned = (turn == Turn::none) != left;
  StripSolve<T> f{Strips<T>(n, n), Strips<T>(n, others), turned, lower != turned, unit};
  const int blocks = f.a.count(), strips = f.x.count();
  in_order(blocks, on_workers,
           [&](int s) { f.a.load(s, a, lower ? s * width : 0, lower ? n : std::min(n, (s + 1) * width)); });
  auto load = [&](int s) { left ? f.x.load(s, b, 0, n) : f.x.load_turned(s, b, 0, n); };
  auto store = [&](int s) { left ? f.x.store(s, b, 0, n) : f.x.store_turned(s, b, 0, n); };
  // A strip is work for one; of few strips blocks are.
  constexpr int kFew = 4;
  if (strips < kFew) {
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

}  // namespace tutti::ops
