// Compiled with products and additions fused where the target has such instructions.
#include "backend/cpu/product_tiles.hpp"

#include <algorithm>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/large_tiles.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kPackedAtOnce = 32;  // inner elements of an operand that is turned

template <std::int64_t width, class T>
[[gnu::always_inline]] inline void pack(std::int64_t k, std::int64_t n, const T* x, std::int64_t x_l, std::int64_t x_j,
                                        void* packed) {
  T* const to = static_cast<T*>(packed);
  if (n < width) std::fill_n(to, k * width, T(0));
  if (x_j == 1) {
    for (std::int64_t l = 0; l < k; ++l) std::copy_n(x + l * x_l, n, to + l * width);
    return;
  }
  for (std::int64_t from = 0; from < k; from += kPackedAtOnce)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t l = from; l < std::min(k, from + kPackedAtOnce); ++l) to[l * width + j] = x[l * x_l + j * x_j];
}

// Tiles of `rows` x (2 * lanes) sums.
template <class T, int lanes, int rows> struct VectorTiles {
  typedef T Vector __attribute__((vector_size(sizeof(T) * lanes)));
  static constexpr std::int64_t columns = 2 * lanes;

  [[gnu::always_inline]] static Vector load(const T* at) {
    Vector x;
    __builtin_memcpy(&x, at, sizeof x);
    return x;
  }
  [[gnu::always_inline]] static void store(T* at, Vector x) { __builtin_memcpy(at, &x, sizeof x); }

  [[gnu::always_inline]] static void tile(const TileProduct<T>& p) {
    Vector sum[rows][2]{};
    const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
    for (std::int64_t l = 0; l < p.k; ++l, a += rows, b += columns) {
      const Vector x = load(b), y = load(b + lanes);
#pragma GCC unroll 14
      for (int i = 0; i < rows; ++i) {
        const Vector s = a[i] - Vector{};
        sum[i][0] += s * x;
        sum[i][1] += s * y;
      }
    }
    if (p.rows == rows && p.columns == columns) {
#pragma GCC unroll 14
      for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          T* const to = p.c + i * p.c_row + v * lanes;
          store(to, p.sums == Sums::added       ? load(to) + sum[i][v]
                    : p.sums == Sums::plus_zero ? sum[i][v] + T(0)
                                                : sum[i][v]);
        }
      return;
    }
    T all[rows][columns];
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) store(&all[i][v * lanes], sum[i][v]);
    for (std::int64_t i = 0; i < p.rows; ++i)
      for (std::int64_t j = 0; j < p.columns; ++j) {
        T& to = p.c[i * p.c_row + j];
        to = p.sums == Sums::added ? to + all[i][j] : p.sums == Sums::plus_zero ? all[i][j] + T(0) : all[i][j];
      }
  }
  [[gnu::always_inline]] static void multiply(const TileProduct<T>& p) {
    for (std::int64_t i = 0; i < p.rows; i += rows)
      tile({p.k, static_cast<const T*>(p.a) + i * p.k, p.b, p.c + i * p.c_row, p.c_row,
            std::min<std::int64_t>(rows, p.rows - i), p.columns, p.sums});
  }
};

// The same for each kind of machine (as in gemm.cpp).
#define TUTTI_TILES(name, target, T, lanes, rows)                                                                      \
  target void multiply_##name(const TileProduct<T>& p, const NextLines&) { VectorTiles<T, lanes, rows>::multiply(p); } \
  target void pack_rows_##name(std::int64_t k, std::int64_t n, const T* x, std::int64_t x_l, std::int64_t x_j,         \
                               void* to) {                                                                             \
    pack<rows>(k, n, x, x_l, x_j, to);                                                                                 \
  }                                                                                                                    \
  target void pack_columns_##name(std::int64_t k, std::int64_t n, const T* x, std::int64_t x_l, std::int64_t x_j,      \
                                  void* to) {                                                                          \
    pack<2 * lanes>(k, n, x, x_l, x_j, to);                                                                            \
  }                                                                                                                    \
  constexpr Tiles<T> tiles_##name {                                                                                    \
    rows, 2 * lanes, 1, sizeof(T), 512, 1, pack_rows_##name, pack_columns_##name, multiply_##name                      \
  }

TUTTI_TILES(plain32, , float, 4, 6);
TUTTI_TILES(plain64, , double, 2, 6);
TUTTI_TILES(avx2_32, TUTTI_AVX2, float, 8, 6);
TUTTI_TILES(avx2_64, TUTTI_AVX2, double, 4, 6);
TUTTI_TILES(avx512_64, TUTTI_AVX512, double, 8, 8);
#undef TUTTI_TILES

#if TUTTI_X86
// float32 with 512-bit instructions.
void multiply_wide(const TileProduct<float>& p, const NextLines& lines) {
  const std::int64_t heights = (p.rows + kSumRows - 1) / kSumRows,
                     asks = heights * ((p.k + kLookAhead - 1) / kLookAhead);
  NextRead next{static_cast<const float*>(lines.at), lines.row_bytes / 4, lines.lines, lines.rows};
  const std::int64_t asked = (next.rows * next.lines + asks - 1) / asks;
  const bool is_wide = p.columns > kSumLanes;
  const __mmask16 lanes = first_of_lanes(is_wide ? p.columns - kSumLanes : p.columns);
  for (std::int64_t r = 0; r < p.rows; r += kSumRows) {
    const LargeTile compute =
        (is_wide ? wide_tiles : narrow_tiles)[static_cast<std::size_t>(std::min(kSumRows, p.rows - r) - 1)];
    compute(p.k, static_cast<const float*>(p.a) + r * p.k, static_cast<const float*>(p.b),
            {p.c + r * p.c_row, p.c_row, lanes, p.sums}, next, asked);
  }
}
template <std::int64_t width>
void pack_wide(std::int64_t k, std::int64_t n, const float* x, std::int64_t x_l, std::int64_t x_j, void* to) {
  pack_panel<width>(k, n, x, x_l, x_j, static_cast<float*>(to));
}
constexpr Tiles<float> tiles_avx512_32{
    kSumRows, kSumColumns, 1, sizeof(float), kMostDeep, 1, pack_wide<kSumRows>, pack_wide<kSumColumns>, multiply_wide};
#else
const Tiles<float>& tiles_avx512_32 = tiles_plain32;
#endif

}  // namespace

template <> const Tiles<float>& tiles<float>() {
  return isa() == Isa::avx512 ? tiles_avx512_32 : isa() == Isa::avx2 ? tiles_avx2_32 : tiles_plain32;
}
template <> const Tiles<double>& tiles<double>() {
  return isa() == Isa::avx512 ? tiles_avx512_64 : isa() == Isa::avx2 ? tiles_avx2_64 : tiles_plain64;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
