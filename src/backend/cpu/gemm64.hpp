#pragma once

#include <cstdint>

namespace tutti::cpu {

/// Elements (i, j) at data + i * row + j * column.
struct Matrix64 {
  const double* data;
  std::int64_t row, column;
};

/// c = a times b, of m x k and k x n; the rows of c lie c_row apart. On the calling thread. Each element is a sum in
/// order of what the lanes, or pieces of k, add up: it depends on the extents and on how a and b lie alone.
void gemm64(std::int64_t m, std::int64_t n, std::int64_t k, Matrix64 a, Matrix64 b, double* c, std::int64_t c_row);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
