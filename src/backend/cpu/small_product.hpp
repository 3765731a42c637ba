#pragma once

#include "backend/cpu/gemm.hpp"

namespace tutti::cpu {

/// A product too small for the library's packing and checks, with 512-bit instructions; false where the machine or the
/// shape is another.
bool small_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, bool adds);

}  // namespace tutti::cpu
