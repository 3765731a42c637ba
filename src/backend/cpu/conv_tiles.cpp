#include "backend/cpu/conv_tiles.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <type_traits>

#include "backend/cpu/isa.hpp"

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace tutti::cpu {
namespace {

// The same tile for each kind of machine: instructions that a function may use cannot be a parameter of a template.
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512 load512(const float* p) { return _mm512_loadu_ps(p); }
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512d load512(const double* p) { return _mm512_loadu_pd(p); }
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512 all512(float x) { return _mm512_set1_ps(x); }
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512d all512(double x) { return _mm512_set1_pd(x); }
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512 fma512(__m512 x, __m512 y, __m512 z) {
  return _mm512_fmadd_ps(x, y, z);
}
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512d fma512(__m512d x, __m512d y, __m512d z) {
  return _mm512_fmadd_pd(x, y, z);
}
[[gnu::target("avx512f"), gnu::always_inline]] inline void store512(float* p, __m512 x) { _mm512_storeu_ps(p, x); }
[[gnu::target("avx512f"), gnu::always_inline]] inline void store512(double* p, __m512d x) { _mm512_storeu_pd(p, x); }

template <class T, bool paired, int rows, int vectors> [[gnu::target("avx512f")]] void tile512(const Tile<T>& t) {
  using V = decltype(load512(t.b));
  constexpr int lanes = 64 / sizeof(T);
  V sum[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sum[i][v] = t.adds ? load512(t.c + t.c_rows[i] + v * lanes) : all512(T(0));
  for (std::int64_t k = 0; k < t.num_runs; ++k) {
    const T *x[rows], *y = t.b + t.runs[k].b;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) x[i] = t.a + t.runs[k].a + t.rows[i];
    std::int64_t at = 0;
    for (std::int64_t l = t.length; l > 0; --l, at += t.a_step, y += t.b_step) {
      V right[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) right[v] = load512(y + v * lanes);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        if constexpr (paired) {
#pragma GCC unroll 4
          for (int v = 0; v < vectors; ++v) sum[i][v] = fma512(load512(x[i] + at + v * lanes), right[v], sum[i][v]);
        } else {
          const V left = all512(x[i][at]);
#pragma GCC unroll 4
          for (int v = 0; v < vectors; ++v) sum[i][v] = fma512(left, right[v], sum[i][v]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) store512(t.c + t.c_rows[i] + v * lanes, sum[i][v]);
}

[[gnu::target("avx512f"), gnu::always_inline]] inline float total512(__m512 x) { return _mm512_reduce_add_ps(x); }
[[gnu::target("avx512f"), gnu::always_inline]] inline double total512(__m512d x) { return _mm512_reduce_add_pd(x); }

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

[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 load256(const float* p) { return _mm256_loadu_ps(p); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256d load256(const double* p) { return _mm256_loadu_pd(p); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 all256(float x) { return _mm256_set1_ps(x); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256d all256(double x) { return _mm256_set1_pd(x); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 fma256(__m256 x, __m256 y, __m256 z) {
  return _mm256_fmadd_ps(x, y, z);
}
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256d fma256(__m256d x, __m256d y, __m256d z) {
  return _mm256_fmadd_pd(x, y, z);
}
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void store256(float* p, __m256 x) { _mm256_storeu_ps(p, x); }
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void store256(double* p, __m256d x) { _mm256_storeu_pd(p, x); }

template <class T, bool paired, int rows, int vectors> [[gnu::target("avx2,fma")]] void tile256(const Tile<T>& t) {
  using V = decltype(load256(t.b));
  constexpr int lanes = 32 / sizeof(T);
  V sum[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sum[i][v] = t.adds ? load256(t.c + t.c_rows[i] + v * lanes) : all256(T(0));
  for (std::int64_t k = 0; k < t.num_runs; ++k) {
    const T *x[rows], *y = t.b + t.runs[k].b;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) x[i] = t.a + t.runs[k].a + t.rows[i];
    std::int64_t at = 0;
    for (std::int64_t l = t.length; l > 0; --l, at += t.a_step, y += t.b_step) {
      V right[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) right[v] = load256(y + v * lanes);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
          sum[i][v] = fma256(paired ? load256(x[i] + at + v * lanes) : all256(x[i][at]), right[v], sum[i][v]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) store256(t.c + t.c_rows[i] + v * lanes, sum[i][v]);
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

template <class T, bool paired, int rows, int vectors> void tile_plain(const Tile<T>& t) {
  constexpr int columns = vectors * 16 / sizeof(T);
  T sum[rows][columns];
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < columns; ++v) sum[i][v] = t.adds ? t.c[t.c_rows[i] + v] : T(0);
  for (std::int64_t k = 0; k < t.num_runs; ++k) {
    const T *x = t.a + t.runs[k].a, *y = t.b + t.runs[k].b;
    for (std::int64_t l = t.length; l > 0; --l, x += t.a_step, y += t.b_step)
      for (int i = 0; i < rows; ++i)
        for (int v = 0; v < columns; ++v) sum[i][v] += x[t.rows[i] + (paired ? v : 0)] * y[v];
  }
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < columns; ++v) t.c[t.c_rows[i] + v] = sum[i][v];
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

// Rows of a tile: as many as leave registers for the columns' factors.
constexpr std::array<std::int64_t, 5> kTileRows = {1, 2, 4, 6, 8};

template <class T> using TileFunction = void (*)(const Tile<T>&);
// By rows (as above), vectors.
template <class T, bool paired>
constexpr TileFunction<T> tiles512[5][4] = {
    {tile512<T, paired, 1, 1>, tile512<T, paired, 1, 2>, tile512<T, paired, 1, 3>, tile512<T, paired, 1, 4>},
    {tile512<T, paired, 2, 1>, tile512<T, paired, 2, 2>, tile512<T, paired, 2, 3>, tile512<T, paired, 2, 4>},
    {tile512<T, paired, 4, 1>, tile512<T, paired, 4, 2>, tile512<T, paired, 4, 3>, tile512<T, paired, 4, 4>},
    {tile512<T, paired, 6, 1>, tile512<T, paired, 6, 2>, tile512<T, paired, 6, 3>, tile512<T, paired, 6, 4>},
    {tile512<T, paired, 8, 1>, tile512<T, paired, 8, 2>, nullptr, nullptr},
};
template <class T, bool paired>
constexpr TileFunction<T> tiles256[5][2] = {{tile256<T, paired, 1, 1>, tile256<T, paired, 1, 2>},
                                            {tile256<T, paired, 2, 1>, tile256<T, paired, 2, 2>},
                                            {tile256<T, paired, 4, 1>, tile256<T, paired, 4, 2>},
                                            {tile256<T, paired, 6, 1>, tile256<T, paired, 6, 2>},
                                            {tile256<T, paired, 8, 1>, nullptr}};
template <class T, bool paired>
constexpr TileFunction<T> plain_tiles[3][2] = {{tile_plain<T, paired, 1, 1>, tile_plain<T, paired, 1, 2>},
                                               {tile_plain<T, paired, 2, 1>, tile_plain<T, paired, 2, 2>},
                                               {tile_plain<T, paired, 4, 1>, tile_plain<T, paired, 4, 2>}};

Isa machine() {
  static const Isa isa = cpu::isa();
  return isa;
}

std::int64_t most_rows(std::int64_t vectors) {
  switch (machine()) {
    case Isa::avx512: return vectors > 2 ? 6 : 8;
    case Isa::avx2: return vectors > 1 ? 6 : 8;
    default: return 4;
  }
}

template <class T, bool paired> void run_on(const Tile<T>& tile, std::size_t rows, std::size_t vectors) {
  switch (machine()) {
    case Isa::avx512: return tiles512<T, paired>[rows][vectors](tile);
    case Isa::avx2: return tiles256<T, paired>[rows][vectors](tile);
    default: return plain_tiles<T, paired>[rows][vectors](tile);
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

template <class T> std::int64_t tile_lanes() {
  const std::int64_t bytes = machine() == Isa::avx512 ? 64 : machine() == Isa::avx2 ? 32 : 16;
  return bytes / static_cast<std::int64_t>(sizeof(T));
}
std::int64_t tile_vectors() { return machine() == Isa::avx512 ? 4 : 2; }

std::int64_t tile_rows(std::int64_t left, std::int64_t vectors) {
  const std::int64_t most = std::min(left, most_rows(vectors));
  return *std::prev(std::upper_bound(kTileRows.begin(), kTileRows.end(), most));
}

template <class T> void run_tile(const Tile<T>& tile, std::int64_t rows, std::int64_t vectors, bool paired) {
  const auto r = static_cast<std::size_t>(std::lower_bound(kTileRows.begin(), kTileRows.end(), rows) -
                                          kTileRows.begin()),
             v = static_cast<std::size_t>(vectors - 1);
  return paired ? run_on<T, true>(tile, r, v) : run_on<T, false>(tile, r, v);
}

std::int64_t dot_rows(std::int64_t left) { return machine() == Isa::plain ? 1 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }
std::int64_t dot_columns(std::int64_t left) {
  return std::min<std::int64_t>(left, machine() == Isa::avx512 ? 4 : machine() == Isa::avx2 ? 2 : 1);
}
template <class T> void run_dots(const DotTile<T>& tile, std::int64_t rows, std::int64_t columns) {
  const auto r = static_cast<std::size_t>(rows / 2), c = static_cast<std::size_t>(columns - 1);
  switch (machine()) {
    case Isa::avx512: return dots_of512<T>[r][c](tile);
    case Isa::avx2: return dots_of256<T>[r][c](tile);
    default: return dots_plain<T, 1, 1>(tile);
  }
}

template void run_dots<float>(const DotTile<float>&, std::int64_t, std::int64_t);
template void run_dots<double>(const DotTile<double>&, std::int64_t, std::int64_t);
template std::int64_t tile_lanes<float>();
template std::int64_t tile_lanes<double>();
template void run_tile<float>(const Tile<float>&, std::int64_t, std::int64_t, bool);
template void run_tile<double>(const Tile<double>&, std::int64_t, std::int64_t, bool);

}  // namespace tutti::cpu
#pragma GCC diagnostic pop
