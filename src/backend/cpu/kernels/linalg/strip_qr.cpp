#include <algorithm>
#include <utility>
#include <vector>

#include "backend/cpu/kernels/linalg/ordered_tasks.hpp"
#include "backend/cpu/kernels/linalg/strip_reflections.hpp"

namespace tutti::kernels {
namespace {

// Each strip behind a panel is multiplied with its reflections by itself; whoever does this to the next panel factors
// it at once, while others are still at work.
template <class T> struct StripQr : StripReflections<T> {
  using StripReflections<T>::width, StripReflections<T>::square, StripReflections<T>::x, StripReflections<T>::panels,
      StripReflections<T>::columns, StripReflections<T>::t_of, StripReflections<T>::apply;

  HostPtr rows;
  std::vector<T> scales;  // of columns: with them R is that of the matrix
  Progress strips{x.count()}, factored{1};

  StripQr(int m, int n)
      : StripReflections<T>(m, n, std::min(m, n)),
        rows(allocate_buffer(static_cast<std::size_t>(panels() * square) * sizeof(T))),
        scales(static_cast<std::size_t>(x.count() * width)) {}

  /// The rows of R that panel k has.
  T* r_of(int k) const { return static_cast<T*>(rows->data()) + k * square; }

  void factor(int k) {
    const int first = k * width;
    Tiles<T>::reflect(x.rows() - first, columns(k), x.row(k, first), t_of(k));
    for (int i = 0; i < columns(k); ++i) {
      T *row = x.row(k, first + i), *r = r_of(k) + i * width;
      std::copy_n(row, width, r);
      std::fill_n(r, i, T{});
      row[i] = T(1);
      std::fill(row + i + 1, row + width, T{});
    }
    factored.reach(0, k + 1);
  }
  void load(int s, const T* a) {
    x.load(s, a, 0, x.rows());
    Tiles<T>::scale_columns(x.rows(), x.strip(s), scales.data() + s * width);
    if (s == 0) factor(0);
    strips.reach(s, 1);
  }
  void step(int k, int s) {
    strips.wait(s, k + 1);
    factored.wait(0, k + 1);
    apply(k, true, x, s);
    if (s == k + 1 && s < panels()) factor(s);
    strips.reach(s, k + 2);
  }
  /// Strip s of R, of which `rows` rows are wanted.
  void store_r(int s, int rows, T* r) const {
    const int first = s * width, own = s < panels() ? columns(s) : 0;
    for (int i = 0; i < rows; ++i) {
      const T* from = i < first ? x.row(s, i) : i < first + own ? r_of(s) + (i - first) * width : nullptr;
      T* to = r + std::int64_t{i} * x.cols() + first;
      for (int j = 0; j < x.cols_of(s); ++j) to[j] = from ? from[j] * scales[static_cast<std::size_t>(first + j)] : T{};
    }
  }
  void factor_all(const T* a, bool on_workers) {
    std::vector<std::pair<int, int>> tasks;
    for (int k = -1; k < panels(); ++k)
      for (int s = k < 0 ? 0 : k + 1; s < x.count(); ++s) tasks.emplace_back(k, s);
    in_order(static_cast<int>(tasks.size()), on_workers, [&](int i) {
      const auto [k, s] = tasks[static_cast<std::size_t>(i)];
      if (k < 0)
        load(s, a);
      else
        step(k, s);
    });
  }
};

}  // namespace

template <class T> void StripFactors<T>::qr(int m, int n, bool full, const T* a, T* q, T* r, bool on_workers) {
  constexpr int width = Strips<T>::width;
  on_workers &= worth_workers(2.0 * m * n * std::min(m, n));
  StripQr<T> f(m, n);
  f.factor_all(a, on_workers);
  const int rows = full ? m : f.count;
  const Strips<T> made(m, rows);
  in_order(made.count() + f.x.count(), on_workers, [&](int i) {  // the longest first
    if (i >= made.count()) return f.store_r(i - made.count(), rows, r);
    const int s = made.count() - 1 - i;
    std::fill(made.strip(s), made.row(s, made.height()), T{});
    for (int j = 0; j < made.cols_of(s); ++j) made.row(s, s * width + j)[j] = T(1);
    f.apply_all(made, s, std::min(s + 1, f.panels()));
    made.store(s, q, 0, m);
  });
}

template <class T>
void StripFactors<T>::around_r(int m, int n, const T* a, T* r, const std::function<void()>& between, const T* b, T* out,
                               bool on_workers) {
  StripQr<T> f(m, n);
  f.factor_all(a, on_workers);
  for (int s = 0; s < f.x.count(); ++s) f.store_r(s, n, r);
  between();
  if (!out) return;
  const Strips<T> made(m, n);
  in_order(made.count(), on_workers, [&](int s) {
    std::fill(made.row(s, n), made.row(s, made.height()), T{});
    made.load(s, b, 0, n);
    f.apply_all(made, s, f.panels());
    made.store(s, out, 0, m);
  });
}

template void StripFactors<float>::qr(int, int, bool, const float*, float*, float*, bool);
template void StripFactors<double>::qr(int, int, bool, const double*, double*, double*, bool);
template void StripFactors<float>::around_r(int, int, const float*, float*, const std::function<void()>&, const float*,
                                            float*, bool);
template void StripFactors<double>::around_r(int, int, const double*, double*, const std::function<void()>&,
                                             const double*, double*, bool);

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
