// A product of large matrices on one thread: both operands are packed.
#pragma once

#include "backend/cpu/gemm.hpp"

namespace tutti::cpu {

/// Whether the machine has what it takes.
bool has_large_product();
/// Whether packing pays.
bool is_large_product(std::int64_t m, std::int64_t n, std::int64_t k);
/// The order in which an element is summed up depends on k alone.
void large_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, Sums sums);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
