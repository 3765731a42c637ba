#include "backend/cpu/gemm.hpp"

#include <algorithm>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/large_product.hpp"
#include "backend/cpu/matrix_library.hpp"
#include "backend/cpu/matvec.hpp"
#include "backend/cpu/packed_product.hpp"
#include "backend/cpu/small_product.hpp"
#include "backend/cpu/thin_product.hpp"

namespace tutti::cpu {
namespace {

// Below some thousand products a library call costs more than the work.
constexpr std::int64_t kTiny = 4096;
constexpr std::int64_t kWideColumns = 16;  // columns from which instructions on whole vectors pay all the same
// A right operand of so few elements, in order, is near: asking memory for it ahead gains nothing.
constexpr std::int64_t kNearElements = 1 << 19;
// Products of few long rows: the other operand is read again for each of them, from near.
constexpr std::int64_t kFewRows = 4, kManyRows = 16, kLongRow = 256, kNearRows = 1 << 16;

void add_zero(std::int64_t m, std::int64_t n, float* c, std::int64_t c_row) {
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) c[i * c_row + j] += 0.0f;
}

// Few rows against few columns that lie in order both: each is a matrix times a vector.
bool by_vectors(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                std::int64_t c_row, Sums sums) {
  if (sums == Sums::added || a.column != 1 || b.row != 1 || k < kLongRow || std::min(m, n) > kFewRows ||
      std::max(m, n) > kManyRows || std::max(m, n) * k > kNearRows)
    return false;
  if (m < n) {
    for (std::int64_t i = 0; i < m; ++i) matvec(n, k, {b.data, b.column, 1}, {a.data + i * a.row, 1, c + i * c_row, 1});
  } else {
    for (std::int64_t j = 0; j < n; ++j) matvec(m, k, a, {b.data + j * b.column, 1, c + j, c_row});
  }
  if (sums == Sums::plus_zero) add_zero(m, n, c, c_row);
  return true;
}

[[gnu::always_inline]] inline void add_up(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a,
                                          const Matrix& b, float* c, std::int64_t c_row, bool adds) {
  for (std::int64_t i = 0; i < m; ++i) {
    float* row = c + i * c_row;
    const float* x = a.data + i * a.row;
    if (!adds) std::fill(row, row + n, 0.0f);
    for (std::int64_t l = 0; l < k; ++l) {
      const float s = x[l * a.column];
      const float* y = b.data + l * b.row;
      if (b.column == 1)
        for (std::int64_t j = 0; j < n; ++j) row[j] += s * y[j];
      else
        for (std::int64_t j = 0; j < n; ++j) row[j] += s * y[j * b.column];
    }
  }
}

// The same loops for each kind of machine. Not target_clones: those are chosen before main, where sanitizers do not
// run.
using Tiny = void (*)(std::int64_t, std::int64_t, std::int64_t, const Matrix&, const Matrix&, float*, std::int64_t,
                      bool);

void tiny_plain(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                std::int64_t c_row, bool adds) {
  add_up(m, n, k, a, b, c, c_row, adds);
}
TUTTI_AVX2 void tiny_avx2(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                          std::int64_t c_row, bool adds) {
  add_up(m, n, k, a, b, c, c_row, adds);
}
TUTTI_AVX512 void tiny_avx512(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b,
                              float* c, std::int64_t c_row, bool adds) {
  add_up(m, n, k, a, b, c, c_row, adds);
}

Tiny tiny_product() { return isa() == Isa::avx512 ? tiny_avx512 : isa() == Isa::avx2 ? tiny_avx2 : tiny_plain; }

}  // namespace

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix a, Matrix b, float* c, std::int64_t c_row, Sums sums) {
  static const Tiny tiny = tiny_product();
  const bool adds = sums == Sums::added, is_tiny = m * n * k <= kTiny;
  auto vector = [&] {
    return (n == 1 && !adds && matvec(m, k, a, {b.data, b.row, c, c_row})) ||
           (m == 1 && !adds && matvec(n, k, {b.data, b.column, b.row}, {a.data, a.column, c, 1}));
  };
  if (!vector()) {
    if (const ThinProduct thin = thin_product(n, k)) return thin(m, k, a, b, c, c_row, sums);
    if ((!is_tiny || n >= kWideColumns) && small_product(m, n, k, a, b, c, c_row, sums)) return;
    // Behind small products: those are cut for many threads, and a cut of few rows has to be added up as the whole.
    if (by_vectors(m, n, k, a, b, c, c_row, sums)) return;
    const bool near = b.column == 1 && n * k <= kNearElements;
    if (!near && has_large_product() && is_large_product(m, n, k)) return large_product(m, n, k, a, b, c, c_row, sums);
    if (is_tiny)
      tiny(m, n, k, a, b, c, c_row, adds);
    else if constexpr (kHasMatrixLibrary)
      library_product(m, n, k, a, b, c, c_row, adds);
    else
      return own_product(m, n, k, a, b, c, c_row, sums);
  }
  if (sums == Sums::plus_zero) add_zero(m, n, c, c_row);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
