#include "backend/cpu/matvec.hpp"

#include <algorithm>

#include "backend/cpu/isa.hpp"
#include "lane/vectors.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kInner = 4096;  // elements of x, and of y, at a time: they stay in the first-level cache
constexpr int kLanes = 16, kAtOnce = 8;
constexpr std::int64_t kFewColumns = 63;
constexpr std::int64_t kPiece = 32;  // rows or columns of products that lie side by side

// Lanes do not know of each other until the end, whatever vectors hold them.
template <int bytes> using Lanes = lane::vectors::Wide<float, kLanes, bytes>;
// Rows at a time, with two sums of 16 lanes each: processors with AVX-512 have twice the registers.
template <int bytes> constexpr int kRows = bytes == 64 ? 4 : 2;

// Rows of a against x, which lie in order: sums in lanes, `rows` of them and two of each row side by side.
template <int bytes, int rows>
[[gnu::always_inline]] inline void along(std::int64_t k, const float* a, std::int64_t a_row, const float* x,
                                         float* sums) {
  using L = Lanes<bytes>;
  L even[rows], odd[rows];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) even[i] = odd[i] = L::zero();
  std::int64_t l = 0;
  for (; l + 2 * kLanes <= k; l += 2 * kLanes) {
    const L x0 = L::load(x + l), x1 = L::load(x + l + kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      even[i] = even[i] + L::load(a + i * a_row + l) * x0;
      odd[i] = odd[i] + L::load(a + i * a_row + l + kLanes) * x1;
    }
  }
  if (l + kLanes <= k) {
    const L x0 = L::load(x + l);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) even[i] = even[i] + L::load(a + i * a_row + l) * x0;
    l += kLanes;
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    float sum = 0;
    for (std::int64_t rest = l; rest < k; ++rest) sum += a[i * a_row + rest] * x[rest];
    sums[i] += (even[i] + odd[i]).total() + sum;
  }
}

// Columns of a, added up for `vectors` times 16 rows of it that lie in order.
template <int bytes, int vectors>
[[gnu::always_inline]] inline void across(std::int64_t k, const float* a, std::int64_t a_column, const float* x,
                                          float* sums) {
  using L = Lanes<bytes>;
  L sum[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) sum[v] = L::load(sums + v * kLanes);
  for (std::int64_t l = 0; l < k; ++l)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sum[v] = sum[v] + L::load(a + l * a_column + v * kLanes) * x[l];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) sum[v].store(sums + v * kLanes);
}

// A few long rows of a at a time, each read from end to end, on to sums that lie in order.
template <int bytes, int rows>
[[gnu::always_inline]] inline void on_to(std::int64_t m, const float* a, std::int64_t a_column, const float* x,
                                         float* sums) {
  std::int64_t i = 0;
  for (; i + kLanes <= m; i += kLanes) {
    Lanes<bytes> sum = Lanes<bytes>::load(sums + i);
#pragma GCC unroll 8
    for (int l = 0; l < rows; ++l) sum = sum + Lanes<bytes>::load(a + l * a_column + i) * x[l];
    sum.store(sums + i);
  }
  for (; i < m; ++i)
    for (int l = 0; l < rows; ++l) sums[i] += a[l * a_column + i] * x[l];
}
// Sums of rows that lie in order.
template <int bytes>
[[gnu::always_inline]] inline void by_rows(std::int64_t m, std::int64_t k, const float* a, std::int64_t a_row,
                                           const float* x, float* sums) {
  std::int64_t i = 0;
  for (; i + kRows<bytes> <= m; i += kRows<bytes>) along<bytes, kRows<bytes>>(k, a + i * a_row, a_row, x, sums + i);
  for (; i < m; ++i) along<bytes, 1>(k, a + i * a_row, a_row, x, sums + i);
}
// Sums of columns, whose elements of one row of a lie in order: of many columns row by row, as memory likes it, of few
// each in a register.
template <int bytes>
[[gnu::always_inline]] inline void by_columns(std::int64_t m, std::int64_t k, const float* a, std::int64_t a_column,
                                              const float* x, float* sums) {
  std::int64_t l = 0, i = 0;
  if (m > kFewColumns) {
    for (; l + kAtOnce <= k; l += kAtOnce) on_to<bytes, kAtOnce>(m, a + l * a_column, a_column, x + l, sums);
    for (; l < k; ++l) on_to<bytes, 1>(m, a + l * a_column, a_column, x + l, sums);
    return;
  }
  for (; i + 4 * kLanes <= m; i += 4 * kLanes) across<bytes, 4>(k, a + i, a_column, x, sums + i);
  for (; i + 2 * kLanes <= m; i += 2 * kLanes) across<bytes, 2>(k, a + i, a_column, x, sums + i);
  for (; i + kLanes <= m; i += kLanes) across<bytes, 1>(k, a + i, a_column, x, sums + i);
  if (i == m) return;
  for (; l < k; ++l)
    for (std::int64_t r = i; r < m; ++r) sums[r] += a[l * a_column + r] * x[l];
}

// To y, or to what is there already.
template <int bytes>
[[gnu::always_inline]] inline void product(std::int64_t m, std::int64_t k, const Matrix& a, const InOut& v, bool add) {
  alignas(64) float in_order[kInner], sums[kInner];
  const bool rows = a.column == 1 || k == 1;
  for (std::int64_t to = 0; to < m; to += kInner) {
    const std::int64_t n = std::min(kInner, m - to);
    float* const y = v.y + to * v.y_step;
    float* const out = v.y_step == 1 ? y : sums;
    if (!add)
      std::fill_n(out, n, 0.f);
    else if (out != y)
      for (std::int64_t j = 0; j < n; ++j) sums[j] = y[j * v.y_step];
    for (std::int64_t from = 0; from < k; from += kInner) {
      const std::int64_t inner = std::min(kInner, k - from);
      const float* x = v.x + from * v.x_step;
      if (v.x_step != 1) {
        for (std::int64_t l = 0; l < inner; ++l) in_order[l] = x[l * v.x_step];
        x = in_order;
      }
      const float* part = a.data + to * a.row + from * a.column;
      rows ? by_rows<bytes>(n, inner, part, a.row, x, out) : by_columns<bytes>(n, inner, part, a.column, x, out);
    }
    if (out != y)
      for (std::int64_t j = 0; j < n; ++j) y[j * v.y_step] = sums[j];
  }
}

// All products together, a few of their long steps at a time: so memory is read as it lies.
template <int bytes>
[[gnu::always_inline]] inline void products(std::int64_t m, std::int64_t k, const Matrix& a, const InOut& v,
                                            const SideBySide& all) {
  const bool rows = a.column == 1 || k == 1;
  const std::int64_t size = rows ? m : k, piece = all.count == 1 ? size : kPiece;
  for (std::int64_t from = 0; from == 0 || from < size; from += piece) {
    const std::int64_t here = std::min(piece, size - from);
    for (std::int64_t i = 0; i < all.count; ++i) {
      const Matrix part{a.data + i * all.a + from * (rows ? a.row : a.column), a.row, a.column};
      const InOut of{v.x + i * all.x + (rows ? 0 : from * v.x_step), v.x_step,
                     v.y + i * all.y + (rows ? from * v.y_step : 0), v.y_step};
      product<bytes>(rows ? here : m, rows ? k : here, part, of, !rows && from > 0);
    }
  }
}

// The same loops for each kind of machine (as in gemm.cpp).
using Products = void (*)(std::int64_t, std::int64_t, const Matrix&, const InOut&, const SideBySide&);
void plain(std::int64_t m, std::int64_t k, const Matrix& a, const InOut& v, const SideBySide& all) {
  products<16>(m, k, a, v, all);
}
TUTTI_AVX2 void avx2(std::int64_t m, std::int64_t k, const Matrix& a, const InOut& v, const SideBySide& all) {
  products<32>(m, k, a, v, all);
}
TUTTI_AVX512 void avx512(std::int64_t m, std::int64_t k, const Matrix& a, const InOut& v, const SideBySide& all) {
  products<64>(m, k, a, v, all);
}

}  // namespace

bool matvec(std::int64_t m, std::int64_t k, const Matrix& a, const InOut& v, const SideBySide& all) {
  if (a.column != 1 && k != 1 && a.row != 1) return false;
  static const Products run = isa() == Isa::avx512 ? avx512 : isa() == Isa::avx2 ? avx2 : plain;
  run(m, k, a, v, all);
  return true;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
