// Reflections, a strip of them at a time.
#pragma once

#include <algorithm>

#include "backend/cpu/kernels/linalg/strip_factors.hpp"
#include "backend/cpu/kernels/linalg/tiles.hpp"

namespace tutti::kernels {

/// Panel k is strip k of x from row k * width on: V, whose reflections together are I - V T V^T (R. Schreiber, C. Van
/// Loan: A storage-efficient WY representation for products of Householder transformations, 1989).
template <class T> struct StripReflections {
  static constexpr int width = Strips<T>::width, square = width * width;

  int count;  // of reflections
  Strips<T> x;
  HostPtr memory;

  StripReflections(int rows, int cols, int reflections)
      : count(reflections),
        x(rows, cols),
        memory(allocate_buffer(static_cast<std::size_t>(panels() * square) * sizeof(T))) {}

  int panels() const { return (count + width - 1) / width; }
  int columns(int k) const { return std::min(width, count - k * width); }
  T* t_of(int k) const { return static_cast<T*>(memory->data()) + k * square; }

  /// Strip s of c is multiplied with panel k's reflections, or with their product's transpose.
  void apply(int k, bool transposed, const Strips<T>& c, int s) const {
    const int first = k * width, columns = c.cols_of(s);
    alignas(64) T products[square], turned[square];
    const T *v = x.row(k, first), *t = t_of(k);
    Tiles<T>::product(width, x.rows() - first, {v, 1, width}, c.row(s, first), products, columns);
    Tiles<T>::product(width, width, transposed ? Factor<T>{t, 1, width} : Factor<T>{t, width, 1}, products, turned,
                      columns);
    Tiles<T>::subtract_product(x.height() - first, width, {v, width, 1}, turned, c.row(s, first), columns);
  }
  /// Strip s of what the reflections make of c, the last one first. Those from panel `end` on leave it as it is.
  void apply_all(const Strips<T>& c, int s, int end) const {
    for (int k = end - 1; k >= 0; --k) apply(k, false, c, s);
  }
  /// T of panel k, of which V is there.
  void make_t(int k, const T* tau) const {
    const int first = k * width;
    alignas(64) T products[square];
    Tiles<T>::product(width, x.rows() - first, {x.row(k, first), 1, width}, x.row(k, first), products);
    T* t = t_of(k);
    std::fill_n(t, square, T{});
    for (int j = 0; j < columns(k); ++j) {
      t[j * width + j] = tau[first + j];
      for (int i = 0; i < j; ++i) {
        T sum = 0;
        for (int q = i; q < j; ++q) sum += t[i * width + q] * products[q * width + j];
        t[i * width + j] = -tau[first + j] * sum;
      }
    }
  }
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
