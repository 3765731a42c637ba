#include <algorithm>
#include <iterator>
#include <numeric>
#include <type_traits>

#include "backend/cpu/conv_tiles.hpp"
#include "backend/cpu/conv_vectors.hpp"

namespace tutti::cpu {
namespace {

// The same tile for each kind of machine: instructions that a function may use cannot be a parameter of a template.
template <class T, int rows, int columns> [[gnu::target("avx512f")]] void dots512(const DotTile<T>& t) {
  using V = decltype(load512(t.b));
  constexpr int lanes = 64 / sizeof(T);
  V sum[rows][columns];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) sum[i][j] = all512(T(0));
  for (std::int64_t k = 0; k < t.num_runs; ++k) {
    const T *x[rows], *y[columns];
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) x[i] = t.a + t.runs[k].a + t.rows[i];
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) y[j] = t.b + t.runs[k].b + t.columns[j];
    for (std::int64_t l = 0; l < t.length; l += lanes) {
      V left[rows];
#pragma GCC unroll 4
      for (int i = 0; i < rows; ++i) left[i] = load512(x[i] + l);
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) {
        const V right = load512(y[j] + l);
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) sum[i][j] = fma512(left[i], right, sum[i][j]);
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) {
      T& to = t.c[t.c_rows[i] + t.c_columns[j]];
      to = t.adds ? to + total512(sum[i][j]) : total512(sum[i][j]);
    }
}

template <class V> [[gnu::target("avx2,fma"), gnu::always_inline]] inline auto total256(V x) {
  alignas(32) std::remove_cvref_t<decltype(x[0])> lanes[sizeof(V) / sizeof(x[0])];
  store256(lanes, x);
  for (std::size_t n = std::size(lanes) / 2; n > 0; n /= 2)
    for (std::size_t i = 0; i < n; ++i) lanes[i] += lanes[i + n];
  return lanes[0];
}

template <class T, int rows, int columns> [[gnu::target("avx2,fma")]] void dots256(const DotTile<T>& t) {
  using V = decltype(load256(t.b));
  constexpr int lanes = 32 / sizeof(T);
  V sum[rows][columns];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) sum[i][j] = all256(T(0));
  for (std::int64_t k = 0; k < t.num_runs; ++k) {
    const T *x[rows], *y[columns];
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) x[i] = t.a + t.runs[k].a + t.rows[i];
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) y[j] = t.b + t.runs[k].b + t.columns[j];
    for (std::int64_t l = 0; l < t.length; l += lanes) {
      V left[rows];
#pragma GCC unroll 4
      for (int i = 0; i < rows; ++i) left[i] = load256(x[i] + l);
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) {
        const V right = load256(y[j] + l);
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) sum[i][j] = fma256(left[i], right, sum[i][j]);
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j) {
      T& to = t.c[t.c_rows[i] + t.c_columns[j]];
      to = t.adds ? to + total256(sum[i][j]) : total256(sum[i][j]);
    }
}

template <class T, int rows, int columns> void dots_plain(const DotTile<T>& t) {
  constexpr int lanes = 16 / sizeof(T);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      T sum[lanes] = {};
      for (std::int64_t k = 0; k < t.num_runs; ++k) {
        const T *x = t.a + t.runs[k].a + t.rows[i], *y = t.b + t.runs[k].b + t.columns[j];
        for (std::int64_t l = 0; l < t.length; l += lanes)
          for (int v = 0; v < lanes; ++v) sum[v] += x[l + v] * y[l + v];
      }
      T& to = t.c[t.c_rows[i] + t.c_columns[j]];
      to = std::accumulate(sum, sum + lanes, t.adds ? to : T(0));
    }
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

std::int64_t dot_rows(std::int64_t left) { return tile_isa() == Isa::plain ? 1 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }
std::int64_t dot_columns(std::int64_t left) {
  return std::min<std::int64_t>(left, tile_isa() == Isa::avx512 ? 4 : tile_isa() == Isa::avx2 ? 2 : 1);
}
template <class T> void run_dots(const DotTile<T>& tile, std::int64_t rows, std::int64_t columns) {
  const auto r = static_cast<std::size_t>(rows / 2), c = static_cast<std::size_t>(columns - 1);
  switch (tile_isa()) {
    case Isa::avx512: return dots_of512<T>[r][c](tile);
    case Isa::avx2: return dots_of256<T>[r][c](tile);
    default: return dots_plain<T, 1, 1>(tile);
  }
}

template void run_dots<float>(const DotTile<float>&, std::int64_t, std::int64_t);
template void run_dots<double>(const DotTile<double>&, std::int64_t, std::int64_t);
}  // namespace tutti::cpu
