#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/kernels/linalg/tiles.hpp"
#include "lane/vectors.hpp"

namespace tutti::kernels {
namespace vectors {
using namespace lane::vectors;
namespace {

// Sums of few rows each are added: their error grows with the root of the number of rows.
constexpr int kTogether = 32;
template <class V, int count> struct Totals {
  V total[count] = {};
  [[gnu::always_inline]] void add(V (&sum)[count]) {
#pragma GCC unroll 12
    for (int v = 0; v < count; ++v) {
      total[v] += sum[v];
      sum[v] = V{};
    }
  }
  template <class T> [[gnu::always_inline]] void store(T* sums) const {
#pragma GCC unroll 12
    for (int v = 0; v < count; ++v) at<V>(sums)[v] = total[v];
  }
};

template <class V, class T> [[gnu::always_inline]] inline void squares(int rows, const T* a, T* sums) {
  constexpr int count = 192 / sizeof(V);
  V sum[count] = {};
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 12
    for (int v = 0; v < count; ++v) {
      const V x = at<V>(a + std::int64_t{i} * Strips<T>::width)[v];
      sum[v] = plus_product(sum[v], x, x);
    }
#pragma GCC unroll 12
  for (int v = 0; v < count; ++v) at<V>(sums)[v] = sum[v];
}

/// sums = what the column below row k is, times all columns.
template <class V, class T> [[gnu::always_inline]] inline void column_products(int rows, int k, const T* a, T* sums) {
  constexpr int width = Strips<T>::width, count = 192 / sizeof(V);
  V sum[count] = {};
  Totals<V, count> totals;
  for (int i = k + 1; i < rows; ++i) {
    const T* row = a + std::int64_t{i} * width;
    const V factor = all_of<V>(row[k]);
#pragma GCC unroll 12
    for (int v = 0; v < count; ++v) sum[v] = plus_product(sum[v], factor, at<V>(row)[v]);
    if (i % kTogether == 0) totals.add(sum);
  }
  totals.add(sum);
  totals.store(sums);
}

/// Column k from row `begin` on times a power of two, so that its squares are numbers; by what it becomes what it was.
template <class T> T scaled_column(int begin, int end, int k, T* a) {
  constexpr int width = Strips<T>::width, most = std::numeric_limits<T>::max_exponent - 2;
  T largest = 0;
  for (int i = begin; i < end; ++i) largest = std::max(largest, std::abs(a[std::int64_t{i} * width + k]));
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  const int exponent = std::clamp(std::ilogb(largest), -most, most);
  for (int i = begin; i < end; ++i)
    a[std::int64_t{i} * width + k] = std::ldexp(a[std::int64_t{i} * width + k], -exponent);
  return std::ldexp(T(1), exponent);
}

// H = I - tau v v^T with v = (1, scale x) makes (alpha, x) to (beta, 0). Source: LAPACK's larfg.
template <class T> struct Reflection { T beta, tau, scale; };
template <class T> Reflection<T> reflection(T alpha, T squares, bool is_zero) {
  if (is_zero) return {alpha, 0, 0};
  const T beta = -std::copysign(std::sqrt(alpha * alpha + squares), alpha);
  return {beta, (beta - alpha) / beta, 1 / (alpha - beta)};
}

// A row is changed by a reflection, and what it has in the next column multiplied with it, in one go: so the next
// column's length, its products with the columns behind, and those with the reflections before (for T) are known when
// it is reached. Columns of V get their scale at the end.
template <class V, class T> [[gnu::always_inline]] inline void reflect(int rows, int steps, T* a, T* t) {
  constexpr int width = Strips<T>::width, count = 192 / sizeof(V);
  constexpr T low = std::numeric_limits<T>::min() /
                    (std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon()),
              high = std::numeric_limits<T>::max() / 16;
  alignas(64) T sums[width], scales[width], subtracted[width];
  std::fill_n(t, width * width, T{});
  std::fill_n(scales, width, T(1));
  column_products<V>(rows, 0, a, sums);
  for (int k = 0; k < steps; ++k) {
    T *row = a + k * width, before = 1, size = row[k] * row[k] + sums[k];
    if (!(size > low && size < high)) {
      before = scaled_column(k, rows, k, a);
      column_products<V>(rows, k, a, sums);
    }
    bool is_zero = sums[k] == 0;
    for (int i = k + 1; is_zero && i < rows; ++i) is_zero = a[std::int64_t{i} * width + k] == 0;
    const auto [beta, tau, scale] = reflection(row[k], sums[k], is_zero);
    for (int j = 0; j < width; ++j) {
      const T product = row[j] * (j < k ? scales[j] : T(1)) + scale * (sums[j] * (j < k ? scales[j] : T(1)));
      sums[j] = product;
      subtracted[j] = j > k ? tau * product : T{};
    }
    for (int i = 0; i < k; ++i) {
      T sum = 0;
      for (int j = i; j < k; ++j) sum += t[i * width + j] * sums[j];
      t[i * width + k] = -tau * sum;
    }
    t[k * width + k] = tau;
    for (int j = k + 1; j < width; ++j) row[j] -= subtracted[j];
    row[k] = beta * before;
    scales[k] = scale;
    const int next = std::min(k + 1, width - 1);
    V whole[count], sum[count] = {};
#pragma GCC unroll 12
    for (int v = 0; v < count; ++v) whole[v] = at<V>(subtracted)[v];
    auto change = [&](int i, bool adds) __attribute__((always_inline)) {
      T* to = a + std::int64_t{i} * width;
      const V factor = all_of<V>(to[k] * scale);
      V x[count];
#pragma GCC unroll 12
      for (int v = 0; v < count; ++v) at<V>(to)[v] = x[v] = minus_product(at<V>(to)[v], factor, whole[v]);
      if (!adds) return;
      const V other = all_of<V>(to[next]);
#pragma GCC unroll 12
      for (int v = 0; v < count; ++v) sum[v] = plus_product(sum[v], other, x[v]);
    };
    if (k + 1 < rows) change(k + 1, false);
    Totals<V, count> totals;
    for (int i = k + 2; i < rows; ++i) {
      change(i, true);
      if (i % kTogether == 0) totals.add(sum);
    }
    totals.add(sum);
    totals.store(sums);
  }
  for (int i = 0; i < rows; ++i) {
    T* row = a + std::int64_t{i} * width;
    if (i >= steps)
#pragma GCC unroll 12
      for (int v = 0; v < count; ++v) at<V>(row)[v] *= at<V>(scales)[v];
    else
      for (int j = 0; j < i; ++j) row[j] *= scales[j];
  }
}

}  // namespace
}  // namespace vectors

template <class T> void Tiles<T>::reflect(int rows, int steps, T* a, T* t) {
  vectors::with_vectors<T>([&]<class V>() __attribute__((always_inline)) { vectors::reflect<V>(rows, steps, a, t); });
}

template <class T> void Tiles<T>::scale_columns(int rows, T* a, T* scales) {
  constexpr T high = std::numeric_limits<T>::digits < 32 ? T(1e10) : T(1e100);
  alignas(64) T sums[width];
  vectors::with_vectors<T>([&]<class V>() __attribute__((always_inline)) { vectors::squares<V>(rows, a, sums); });
  for (int k = 0; k < width; ++k)
    scales[k] = sums[k] > 1 / high && sums[k] < high ? T(1) : vectors::scaled_column(0, rows, k, a);
}

template void Tiles<float>::scale_columns(int, float*, float*);
template void Tiles<double>::scale_columns(int, double*, double*);
template void Tiles<float>::reflect(int, int, float*, float*);
template void Tiles<double>::reflect(int, int, double*, double*);

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
