#include <algorithm>

#include "backend/cpu/kernels/linalg/ordered_tasks.hpp"
#include "backend/cpu/kernels/linalg/strip_reflections.hpp"

namespace tutti::kernels {

template <class T>
void StripFactors<T>::reflect(const Reflections<T>& h, int cols, Matrix c, T* out, bool out_turned, bool on_workers) {
  constexpr int width = Strips<T>::width;
  on_workers &= worth_workers(4.0 * h.n * h.count * cols);
  const StripReflections<T> f(h.n, h.count, h.count);
  in_order(f.panels(), on_workers, [&](int k) {
    const int first = k * width;
    if (h.row == 1)
      f.x.load_turned(k, h.v, 0, h.n, h.column);
    else
      f.x.load(k, h.v, 0, h.n, h.row);
    for (int i = first; i < std::min(h.n, first + h.offset + width); ++i)
      for (int j = 0; j < f.columns(k); ++j) {
        const int one = first + j + h.offset;
        if (i <= one) f.x.row(k, i)[j] = i == one ? T(1) : T{};
      }
    f.make_t(k, h.tau);
  });
  const Strips<T> made(h.n, cols);
  in_order(made.count(), on_workers, [&](int s) {
    if (c.row == 1)
      made.load_turned(s, c.data, 0, c.rows, c.column);
    else
      made.load(s, c.data, 0, c.rows, c.row);
    std::fill(made.row(s, c.rows), made.row(s, made.height()), T{});
    f.apply_all(made, s, f.panels());
    if (out_turned)
      made.store_turned(s, out, 0, h.n);
    else
      made.store(s, out, 0, h.n);
  });
}

template void StripFactors<float>::reflect(const Reflections<float>&, int, Matrix, float*, bool, bool);
template void StripFactors<double>::reflect(const Reflections<double>&, int, Matrix, double*, bool, bool);

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
