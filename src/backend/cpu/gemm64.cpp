// Products of doubles: a panel of 16 columns is copied so that its rows are two vectors, and goes past 4 rows at a
// time.
#include "backend/cpu/gemm64.hpp"

#include <algorithm>
#include <vector>

#include "backend/cpu/isa.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kDepth64 = 256, kRows64 = 4;

// As many as a vector of the machine has: GCC keeps no larger ones in registers.
template <int lanes> struct DoublesOf {
  typedef double type __attribute__((vector_size(8 * lanes))) __attribute__((aligned(8)));
};

// `rows` rows of a against a panel of `depth` rows; only `columns` columns are written.
template <int lanes, int rows>
[[gnu::always_inline]] inline void block64(std::int64_t depth, const double* a, std::int64_t a_row,
                                           std::int64_t a_column, const double* panel, double* c, std::int64_t c_row,
                                           std::int64_t columns, bool adds) {
  using Doubles = typename DoublesOf<lanes>::type;
  constexpr std::int64_t kColumns64 = 2 * lanes;
  Doubles left[rows]{}, right[rows]{};
  for (std::int64_t l = 0; l < depth; ++l) {
    const Doubles x = *reinterpret_cast<const Doubles*>(panel + l * kColumns64),
                  y = *reinterpret_cast<const Doubles*>(panel + l * kColumns64 + lanes);
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      const double s = a[i * a_row + l * a_column];
      left[i] += s * x;
      right[i] += s * y;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
    double* const to = c + i * c_row;
    for (std::int64_t j = 0; j < columns; ++j) {
      const double sum = j < lanes ? left[i][j] : right[i][j - lanes];
      to[j] = adds ? to[j] + sum : sum;
    }
  }
}

template <int lanes>
[[gnu::always_inline]] inline void blocks64(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix64& a,
                                            const Matrix64& b, double* c, std::int64_t c_row) {
  constexpr std::int64_t kColumns64 = 2 * lanes;
  alignas(64) double panel[kDepth64 * kColumns64];
  for (std::int64_t from = 0; from < k; from += kDepth64) {
    const std::int64_t depth = std::min(kDepth64, k - from);
    for (std::int64_t j = 0; j < n; j += kColumns64) {
      const std::int64_t columns = std::min(kColumns64, n - j);
      if (columns < kColumns64) std::fill_n(panel, depth * kColumns64, 0.0);
      for (std::int64_t l = 0; l < depth; ++l) {
        const double* row = b.data + (from + l) * b.row + j * b.column;
        for (std::int64_t q = 0; q < columns; ++q) panel[l * kColumns64 + q] = row[q * b.column];
      }
      const double* x = a.data + from * a.column;
      double* const to = c + j;
      std::int64_t i = 0;
      for (; i + kRows64 <= m; i += kRows64)
        block64<lanes, kRows64>(depth, x + i * a.row, a.row, a.column, panel, to + i * c_row, c_row, columns, from > 0);
      for (; i < m; ++i)
        block64<lanes, 1>(depth, x + i * a.row, a.row, a.column, panel, to + i * c_row, c_row, columns, from > 0);
    }
  }
}

// Rows of a, which lie in order, with x: sums in lanes, of four rows side by side.
template <int lanes>
[[gnu::always_inline]] inline void dots64(std::int64_t m, std::int64_t k, const double* a, std::int64_t a_row,
                                          const double* x, double* y, std::int64_t y_step) {
  using Doubles = typename DoublesOf<lanes>::type;
  for (std::int64_t i = 0; i < m; i += kRows64) {
    const std::int64_t rows = std::min(kRows64, m - i);
    Doubles sums[kRows64]{};
    std::int64_t l = 0;
    for (; l + lanes <= k; l += lanes) {
      const Doubles v = *reinterpret_cast<const Doubles*>(x + l);
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kRows64; ++r)
        sums[r] += *reinterpret_cast<const Doubles*>(a + (i + std::min(r, rows - 1)) * a_row + l) * v;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (std::int64_t rest = l; rest < k; ++rest) sum += a[(i + r) * a_row + rest] * x[rest];
      double in_lanes = 0;
      for (int j = 0; j < lanes; ++j) in_lanes += sums[r][j];
      y[(i + r) * y_step] = in_lanes + sum;
    }
  }
}

// y = sum of x[l] times row l of b, whose elements lie in order.
[[gnu::always_inline]] inline void rows64(std::int64_t n, std::int64_t k, const double* x, std::int64_t x_step,
                                          const double* b, std::int64_t b_row, double* y) {
  std::fill_n(y, n, 0.0);
  for (std::int64_t l = 0; l < k; ++l) {
    const double s = x[l * x_step];
    const double* row = b + l * b_row;
    for (std::int64_t j = 0; j < n; ++j) y[j] += s * row[j];
  }
}

template <int lanes>
[[gnu::always_inline]] inline void product64(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix64& a,
                                             const Matrix64& b, double* c, std::int64_t c_row) {
  // A vector: the other operand is read as it lies.
  const bool right = n == 1 && (a.column == 1 || a.row == 1);
  if (!right && !(m == 1 && (b.column == 1 || b.row == 1))) return blocks64<lanes>(m, n, k, a, b, c, c_row);
  const std::int64_t size = right ? m : n, step = right ? c_row : 1;
  const Matrix64 matrix = right ? a : Matrix64{b.data, b.column, b.row};  // element (i of the result, l)
  const double* x = right ? b.data : a.data;
  const std::int64_t x_step = right ? b.row : a.column;
  std::vector<double> in_order;
  if (matrix.column == 1) {
    if (x_step != 1) {
      for (std::int64_t l = 0; l < k; ++l) in_order.push_back(x[l * x_step]);
      x = in_order.data();
    }
    return dots64<lanes>(size, k, matrix.data, matrix.row, x, c, step);
  }
  if (step == 1) return rows64(size, k, x, x_step, matrix.data, matrix.column, c);
  in_order.resize(static_cast<std::size_t>(size));
  rows64(size, k, x, x_step, matrix.data, matrix.column, in_order.data());
  for (std::int64_t i = 0; i < size; ++i) c[i * step] = in_order[static_cast<std::size_t>(i)];
}

// The same loops for each kind of machine (as in gemm.cpp).
using Product64 = void (*)(std::int64_t, std::int64_t, std::int64_t, const Matrix64&, const Matrix64&, double*,
                           std::int64_t);
void plain64(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix64& a, const Matrix64& b, double* c,
             std::int64_t c_row) {
  product64<2>(m, n, k, a, b, c, c_row);
}
TUTTI_AVX2 void avx2_64(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix64& a, const Matrix64& b, double* c,
                        std::int64_t c_row) {
  product64<4>(m, n, k, a, b, c, c_row);
}
TUTTI_AVX512 void avx512_64(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix64& a, const Matrix64& b,
                            double* c, std::int64_t c_row) {
  product64<8>(m, n, k, a, b, c, c_row);
}

}  // namespace

void gemm64(std::int64_t m, std::int64_t n, std::int64_t k, Matrix64 a, Matrix64 b, double* c, std::int64_t c_row) {
  static const Product64 run = isa() == Isa::avx512 ? avx512_64 : isa() == Isa::avx2 ? avx2_64 : plain64;
  run(m, n, k, a, b, c, c_row);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
