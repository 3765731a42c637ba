#include "backend/cpu/conv_tiles.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "backend/cpu/isa.hpp"
#include "lane/vectors.hpp"

namespace tutti::cpu {
namespace {

template <class V, bool paired, int rows, int vectors, class T>
[[gnu::always_inline]] inline void sum_tile(const Tile<T>& t) {
  constexpr int lanes = sizeof(V) / sizeof(T);
  V sum[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sum[i][v] = t.adds ? lane::vectors::load<V>(t.c + t.c_rows[i] + v * lanes) : V{};
  for (std::int64_t k = 0; k < t.num_runs; ++k) {
    const T *x[rows], *y = t.b + t.runs[k].b;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) x[i] = t.a + t.runs[k].a + t.rows[i];
    std::int64_t at = 0;
    for (std::int64_t l = t.length; l > 0; --l, at += t.a_step, y += t.b_step) {
      V right[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) right[v] = lane::vectors::load<V>(y + v * lanes);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const V left = paired ? V{} : lane::vectors::all_of<V>(x[i][at]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
          sum[i][v] =
              lane::vectors::fused(paired ? lane::vectors::load<V>(x[i] + at + v * lanes) : left, right[v], sum[i][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) lane::vectors::store(t.c + t.c_rows[i] + v * lanes, sum[i][v]);
}

// For each kind of machine.
template <class T, bool paired, int rows, int vectors> TUTTI_AVX512 void tile512(const Tile<T>& t) {
  sum_tile<typename lane::vectors::Of<T, 64>::V, paired, rows, vectors>(t);
}
template <class T, bool paired, int rows, int vectors> TUTTI_AVX2 void tile256(const Tile<T>& t) {
  sum_tile<typename lane::vectors::Of<T, 32>::V, paired, rows, vectors>(t);
}
template <class T, bool paired, int rows, int vectors> void tile_plain(const Tile<T>& t) {
  sum_tile<typename lane::vectors::Of<T, 16>::V, paired, rows, vectors>(t);
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

std::int64_t most_rows(std::int64_t vectors) {
  switch (isa()) {
    case Isa::avx512: return vectors > 2 ? 6 : 8;
    case Isa::avx2: return vectors > 1 ? 6 : 8;
    default: return 4;
  }
}

template <class T, bool paired> void run_on(const Tile<T>& tile, std::size_t rows, std::size_t vectors) {
  switch (isa()) {
    case Isa::avx512: return tiles512<T, paired>[rows][vectors](tile);
    case Isa::avx2: return tiles256<T, paired>[rows][vectors](tile);
    default: return plain_tiles<T, paired>[rows][vectors](tile);
  }
}

}  // namespace

template <class T> std::int64_t tile_lanes() {
  const std::int64_t bytes = isa() == Isa::avx512 ? 64 : isa() == Isa::avx2 ? 32 : 16;
  return bytes / static_cast<std::int64_t>(sizeof(T));
}
std::int64_t tile_vectors() { return isa() == Isa::avx512 ? 4 : 2; }

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

template std::int64_t tile_lanes<float>();
template std::int64_t tile_lanes<double>();
template void run_tile<float>(const Tile<float>&, std::int64_t, std::int64_t, bool);
template void run_tile<double>(const Tile<double>&, std::int64_t, std::int64_t, bool);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
