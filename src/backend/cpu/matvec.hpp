#pragma once

#include "backend/cpu/gemm.hpp"

namespace tutti::cpu {

/// y[i * y_step] = sum over l of a(i, l) * x[l * x_step], for m rows and k columns: limited by how fast `a` is read,
/// which is done once and in order. False where no stride of `a` is 1.
bool matvec(std::int64_t m, std::int64_t k, const Matrix& a, const float* x, std::int64_t x_step, float* y,
            std::int64_t y_step);

}  // namespace tutti::cpu
