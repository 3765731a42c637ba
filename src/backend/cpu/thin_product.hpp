#pragma once

#include "backend/cpu/gemm.hpp"

namespace tutti::cpu {

/// c[i * c_row + j] = sum over l of a(i, l) * b(l, j), for m rows, in the order of l.
using ThinProduct = void (*)(std::int64_t m, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                             std::int64_t c_row, Sums sums);

/// A product of n, a few, columns, each row of which is one short vector, with AVX2; null where the machine or the
/// shape is another.
ThinProduct thin_product(std::int64_t n, std::int64_t k);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
