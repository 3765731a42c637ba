#pragma once

#include "backend/cpu/gemm.hpp"

namespace tutti::cpu {

/// Vectors in memory; element i lies at x[i * x_step].
struct InOut {
  const float* x;
  std::int64_t x_step;
  float* y;
  std::int64_t y_step;
};

/// So many products, each so far from the one before it.
struct SideBySide {
  std::int64_t count = 1, a = 0, x = 0, y = 0;
};

/// y[i] = sum over l of a(i, l) * x[l], for m rows and k columns: limited by how fast `a` is read, which is done once
/// and in order. False where no stride of `a` is 1.
bool matvec(std::int64_t m, std::int64_t k, const Matrix& a, const InOut& v, const SideBySide& all = {});

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
