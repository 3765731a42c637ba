// The matrix library beneath products: oneDNN, where tutti is built with it (cmake/TuttiOneDnn.cmake). Where it is not,
// packed_product.hpp does what it does.
#pragma once

#include "backend/cpu/gemm.hpp"
#include "backend/cpu/isa.hpp"

namespace tutti::cpu {

inline constexpr bool kHasMatrixLibrary = TUTTI_ONEDNN;

/// gemm of the library, on the calling thread; `adds`: to what stands in c.
void library_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                     std::int64_t c_row, bool adds);

/// Before its first call: it uses no more than `isa`, and what it makes at its first uses is kept.
void prepare_matrix_library(Isa isa);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
