// Matrix products on one thread.
#pragma once

#include <cstdint>

namespace tutti::cpu {

/// A matrix in memory; element (i, j) lies at data[i * row + j * column].
struct Matrix {
  const float* data;
  std::int64_t row, column;
};

/// What becomes of sums: they are written, added to what stands there, or written with 0 added, so that none is -0.
enum class Sums : char { plain, added, plus_zero };

/// c[i * c_row + j] = sum over l of a(i, l) * b(l, j), for m rows and n columns. One stride of each operand is 1 (or
/// its extent is).
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix a, Matrix b, float* c, std::int64_t c_row,
          Sums sums = Sums::plain);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
