#pragma once

#include "backend/cpu/gemm.hpp"

namespace tutti::cpu {

/// A product of large matrices on one thread, with 512-bit instructions; false where the machine or the shape is
/// another. In which order an element is summed up depends on k alone.
bool large_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, Sums sums);

}  // namespace tutti::cpu
