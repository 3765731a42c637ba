#include <algorithm>

#include "backend/cpu/conv_tiles.hpp"
#include "backend/cpu/isa.hpp"
#include "lane/vectors.hpp"

namespace tutti::cpu {
namespace {

template <class V, int rows, int columns, class T> [[gnu::always_inline]] inline void sum_dots(const DotTile<T>& t) {
  constexpr int lanes = sizeof(V) / sizeof(T);
  V sum[rows][columns]{};
  for (std::int64_t k = 0; k < t.num_runs; ++k) {
    const T *x[rows], *y[columns];
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) x[i] = t.a + t.runs[k].a + t.rows[i];
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) y[j] = t.b + t.runs[k].b + t.columns[j];
    for (std::int64_t l = 0; l < t.length; l += lanes) {
      V left[rows];
#pragma GCC unroll 4
      for (int i = 0; i < rows; ++i) left[i] = lane::vectors::load<V>(x[i] + l);
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) {
        const V right = lane::vectors::load<V>(y[j] + l);
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) sum[i][j] = lane::vectors::fused(left[i], right, sum[i][j]);
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) {
      T& to = t.c[t.c_rows[i] + t.c_columns[j]];
      to = t.adds ? to + lane::vectors::total(sum[i][j]) : lane::vectors::total(sum[i][j]);
    }
}

// For each kind of machine.
template <class T, int rows, int columns> TUTTI_AVX512 void dots512(const DotTile<T>& t) {
  sum_dots<typename lane::vectors::Of<T, 64>::V, rows, columns>(t);
}
template <class T, int rows, int columns> TUTTI_AVX2 void dots256(const DotTile<T>& t) {
  sum_dots<typename lane::vectors::Of<T, 32>::V, rows, columns>(t);
}
template <class T, int rows, int columns> void dots_plain(const DotTile<T>& t) {
  sum_dots<typename lane::vectors::Of<T, 16>::V, rows, columns>(t);
}

template <class T> using DotsFunction = void (*)(const DotTile<T>&);
// By rows (1, 2, 4), columns.
template <class T>
constexpr DotsFunction<T> dots_of512[3][4] = {{dots512<T, 1, 1>, dots512<T, 1, 2>, dots512<T, 1, 3>, dots512<T, 1, 4>},
                                              {dots512<T, 2, 1>, dots512<T, 2, 2>, dots512<T, 2, 3>, dots512<T, 2, 4>},
                                              {dots512<T, 4, 1>, dots512<T, 4, 2>, dots512<T, 4, 3>, dots512<T, 4, 4>}};
template <class T>
constexpr DotsFunction<T> dots_of256[3][2] = {
    {dots256<T, 1, 1>, dots256<T, 1, 2>}, {dots256<T, 2, 1>, dots256<T, 2, 2>}, {dots256<T, 4, 1>, dots256<T, 4, 2>}};

}  // namespace

std::int64_t dot_rows(std::int64_t left) { return isa() == Isa::plain ? 1 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }
std::int64_t dot_columns(std::int64_t left) {
  return std::min<std::int64_t>(left, isa() == Isa::avx512 ? 4 : isa() == Isa::avx2 ? 2 : 1);
}
template <class T> void run_dots(const DotTile<T>& tile, std::int64_t rows, std::int64_t columns) {
  const auto r = static_cast<std::size_t>(rows / 2), c = static_cast<std::size_t>(columns - 1);
  switch (isa()) {
    case Isa::avx512: return dots_of512<T>[r][c](tile);
    case Isa::avx2: return dots_of256<T>[r][c](tile);
    default: return dots_plain<T, 1, 1>(tile);
  }
}

template void run_dots<float>(const DotTile<float>&, std::int64_t, std::int64_t);
template void run_dots<double>(const DotTile<double>&, std::int64_t, std::int64_t);
}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
