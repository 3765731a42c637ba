#include "backend/cpu/kernels/linalg/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "lane/vectors.hpp"

namespace tutti::kernels {
namespace vectors {
using namespace lane::vectors;
namespace {

// Sums of tiles: three vectors wide, or one at the end, and as many rows as leave registers for what is added.
template <class V> constexpr int kRows = sizeof(V) == 64 ? 8 : 4;
template <class V, int rows, int count> struct Sums { V v[rows][count]; };

template <class V, int rows, int count, class T>
[[gnu::always_inline]] inline void load(const T* c, Sums<V, rows, count>& s) {
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < count; ++v) s.v[r][v] = at<V>(c + r * Strips<T>::width)[v];
}
template <class V, int rows, int count, class T>
[[gnu::always_inline]] inline void store(const Sums<V, rows, count>& s, T* c) {
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < count; ++v) at<V>(c + r * Strips<T>::width)[v] = s.v[r][v];
}

template <bool minus, class V, int rows, int count, class T>
[[gnu::always_inline]] inline void add_products(int k, const Factor<T>& a, const T* b, Sums<V, rows, count>& s) {
  const T* x = a.data;
  for (int l = 0; l < k; ++l, x += a.column, b += Strips<T>::width) {
    V y[count];
#pragma GCC unroll 3
    for (int v = 0; v < count; ++v) y[v] = at<V>(b)[v];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const V factor = all_of<V>(x[r * a.row]);
#pragma GCC unroll 3
      for (int v = 0; v < count; ++v)
        s.v[r][v] = minus ? minus_product(s.v[r][v], factor, y[v]) : plus_product(s.v[r][v], factor, y[v]);
    }
  }
}

// What b brings to all rows stays in the first-level cache.
constexpr int kInner = 96;

template <class T> Factor<T> part(const Factor<T>& a, std::int64_t i, std::int64_t k) {
  return {a.data + i * a.row + k * a.column, a.row, a.column};
}

/// f(j, count) for the columns from j on, `count` vectors of them.
template <class V, class T, class F> [[gnu::always_inline]] inline void in_columns(int columns, F&& f) {
  constexpr int lanes = sizeof(V) / sizeof(T);
  int j = 0;
  for (; j + 2 * lanes < columns; j += 3 * lanes) f(j, std::integral_constant<int, 3>{});
  for (; j < columns; j += lanes) f(j, std::integral_constant<int, 1>{});
}

template <class V, bool plain, class T>
[[gnu::always_inline]] inline void products(int rows, int k, const Factor<T>& a, const T* b, T* c, int columns) {
  constexpr int step = kRows<V>;
  for (int from = 0; from == 0 || from < k; from += kInner) {
    const int inner = std::min(kInner, k - from);
    for (int i = 0; i < rows; i += step)
      in_columns<V, T>(
          columns, [&](int j, auto vectors) __attribute__((always_inline)) {
            constexpr int count = vectors;
            T* to = c + std::int64_t{i} * Strips<T>::width + j;
            Sums<V, step, count> s;
            if (plain && from == 0)
              s = {};
            else
              load(to, s);
          // The next ones are far away, perhaps.
#pragma GCC unroll 8
            for (int r = 0; r < step; ++r)
#pragma GCC unroll 3
              for (int v = 0; v < count; ++v) __builtin_prefetch(at<V>(to + (step + r) * Strips<T>::width) + v, 1);
            add_products<!plain>(inner, part(a, i, from), b + std::int64_t{from} * Strips<T>::width + j, s);
            store(s, to);
          });
  }
}

// Rows i..i + rows are the next ones: what the others bring to them is taken away, and what they bring to each other.
template <bool lower, class V, int rows, class T>
[[gnu::always_inline]] inline void solve_rows(int n, int i, const Factor<T>& a, bool unit, T* x, int columns) {
  T diagonal[rows], inverse[rows];
  bool tiny = false;  // a reciprocal may overflow
  for (int r = 0; r < rows; ++r) {
    diagonal[r] = unit ? T(1) : *part(a, i + r, i + r).data;
    inverse[r] = T(1) / diagonal[r];
    tiny |= diagonal[r] != 0 && std::abs(diagonal[r]) < std::numeric_limits<T>::min();
  }
  const int done = lower ? 0 : i + rows, others = lower ? i : n - i - rows;
  in_columns<V, T>(
      columns, [&](int j, auto vectors) __attribute__((always_inline)) {
        constexpr int count = vectors;
        T* to = x + std::int64_t{i} * Strips<T>::width + j;
        Sums<V, rows, count> s;
        load(to, s);
        add_products<true>(others, part(a, i, done), x + std::int64_t{done} * Strips<T>::width + j, s);
#pragma GCC unroll 8
        for (int step = 0; step < rows; ++step) {
          const int r = lower ? step : rows - 1 - step;
#pragma GCC unroll 8
          for (int before = 0; before < step; ++before) {
            const int q = lower ? before : rows - 1 - before;
            const V factor = all_of<V>(*part(a, i + r, i + q).data);
#pragma GCC unroll 3
            for (int v = 0; v < count; ++v) s.v[r][v] = minus_product(s.v[r][v], factor, s.v[q][v]);
          }
          if (!unit)
#pragma GCC unroll 3
            for (int v = 0; v < count; ++v) s.v[r][v] = tiny ? s.v[r][v] / diagonal[r] : s.v[r][v] * inverse[r];
        }
        store(s, to);
      });
}

template <bool lower, class V, class T>
[[gnu::always_inline]] inline void solve_triangle(int n, const Factor<T>& a, bool unit, T* x, int columns) {
  constexpr int step = kRows<V>;
  const int whole = n - n % step;
  if constexpr (lower) {
    for (int i = 0; i < whole; i += step) solve_rows<true, V, step>(n, i, a, unit, x, columns);
    for (int i = whole; i < n; ++i) solve_rows<true, V, 1>(n, i, a, unit, x, columns);
  } else {
    for (int i = n; i-- > whole;) solve_rows<false, V, 1>(n, i, a, unit, x, columns);
    for (int i = whole; (i -= step) >= 0;) solve_rows<false, V, step>(n, i, a, unit, x, columns);
  }
}

template <class V, class T> [[gnu::always_inline]] inline bool factor_positive(int n, T* a) {
  constexpr int width = Strips<T>::width, vectors = width * static_cast<int>(sizeof(T)) / static_cast<int>(sizeof(V));
  for (int k = 0; k < n; ++k) {
    T* row = a + k * width;
    const T pivot = row[k];
    if (!(pivot > 0)) return false;
    const T root = std::sqrt(pivot), inverse = 1 / root;
    V whole[vectors];
#pragma GCC unroll 12
    for (int v = 0; v < vectors; ++v) at<V>(row)[v] = whole[v] = at<V>(row)[v] * inverse;
    row[k] = root;
    for (int i = k + 1; i < n; ++i) {
      const V factor = all_of<V>(row[i]);
      V* to = at<V>(a + i * width);
#pragma GCC unroll 12
      for (int v = 0; v < vectors; ++v) to[v] = minus_product(to[v], factor, whole[v]);
    }
  }
  return true;
}

// Columns `begin` to `end`, which share a vector of those from `begin` on. A row is changed and what it has in the next
// column looked at in one go: the largest is the next pivot.
template <class V, int first, class T>
[[gnu::always_inline]] inline void factor_columns(int rows, int begin, int end, T* a, std::int32_t* pivots, int& next) {
  constexpr int width = Strips<T>::width, lanes = sizeof(V) / sizeof(T), count = width / lanes - first;
  for (int k = begin; k < end; ++k) {
    pivots[k] = next;
    T* row = a + k * width;
    if (next != k) std::swap_ranges(row, row + width, a + std::int64_t{next} * width);
    const T pivot = row[k];
    next = k + 1;
    if (pivot == 0) {  // its column is 0 from here on, and stays
      for (int i = k + 1; i < rows && k + 1 < width; ++i)
        if (std::abs(a[std::int64_t{i} * width + k + 1]) > std::abs(a[std::int64_t{next} * width + k + 1])) next = i;
      continue;
    }
    const bool large = std::abs(pivot) >= std::numeric_limits<T>::min();
    const T inverse = large ? 1 / pivot : T(1);
    alignas(64) T right[width];
    for (int j = 0; j < width; ++j) right[j] = j > k ? row[j] : T{};
    V whole[count];
#pragma GCC unroll 12
    for (int v = 0; v < count; ++v) whole[v] = at<V>(right)[first + v];
    const auto keep = lanes_up_to<V>(k - first * lanes);
    const int column = std::min(k + 1, width - 1);
    T most = -1;
    for (int i = k + 1; i < rows; ++i) {
      T* to = a + std::int64_t{i} * width;
      const T factor = large ? to[k] * inverse : to[k] / pivot;
      const V factors = all_of<V>(factor);
      V* x = at<V>(to) + first;
      x[0] = chosen(keep, x[0], minus_product(x[0], factors, whole[0]));
#pragma GCC unroll 12
      for (int v = 1; v < count; ++v) x[v] = minus_product(x[v], factors, whole[v]);
      to[k] = factor;
      const T size = std::abs(to[column]);
      if (__builtin_expect(size > most, false)) {
        most = size;
        next = i;
      }
    }
    if (k + 1 < rows && std::isnan(a[std::int64_t{k + 1} * width + column])) next = k + 1;  // nothing is larger
  }
}

template <class V, class T, int... first>
[[gnu::always_inline]] inline void factor_all(int rows, int steps, T* a, std::int32_t* pivots,
                                              std::integer_sequence<int, first...>) {
  constexpr int lanes = sizeof(V) / sizeof(T);
  int next = 0;
  for (int i = 1; i < rows; ++i)
    if (std::abs(a[std::int64_t{i} * Strips<T>::width]) > std::abs(a[std::int64_t{next} * Strips<T>::width])) next = i;
  (factor_columns<V, first>(rows, std::min(steps, first * lanes), std::min(steps, (first + 1) * lanes), a, pivots,
                            next),
   ...);
}

}  // namespace
}  // namespace vectors

template <class T> void Tiles<T>::product(int rows, int k, Factor<T> a, const T* b, T* c, int columns) {
  vectors::with_vectors<T>([&]<class V>() __attribute__((always_inline)) {
    vectors::products<V, true>(rows, k, a, b, c, columns);
  });
}
template <class T> void Tiles<T>::subtract_product(int rows, int k, Factor<T> a, const T* b, T* c, int columns) {
  vectors::with_vectors<T>([&]<class V>() __attribute__((always_inline)) {
    vectors::products<V, false>(rows, k, a, b, c, columns);
  });
}
template <class T> void Tiles<T>::solve_lower(int n, Factor<T> l, bool unit, T* x, int columns) {
  vectors::with_vectors<T>([&]<class V>() __attribute__((always_inline)) {
    vectors::solve_triangle<true, V>(n, l, unit, x, columns);
  });
}
template <class T> void Tiles<T>::solve_upper(int n, Factor<T> u, bool unit, T* x, int columns) {
  vectors::with_vectors<T>([&]<class V>() __attribute__((always_inline)) {
    vectors::solve_triangle<false, V>(n, u, unit, x, columns);
  });
}
template <class T> bool Tiles<T>::cholesky(int n, T* a) {
  bool positive = false;
  vectors::with_vectors<T>([&]<class V>()
                               __attribute__((always_inline)) { positive = vectors::factor_positive<V>(n, a); });
  return positive;
}
template <class T> void Tiles<T>::lu(int rows, int steps, T* a, std::int32_t* pivots) {
  vectors::with_vectors<T>([&]<class V>() __attribute__((always_inline)) {
    vectors::factor_all<V>(rows, steps, a, pivots, std::make_integer_sequence<int, 192 / sizeof(V)>{});
  });
}

template struct Tiles<float>;
template struct Tiles<double>;

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
