// Stacks of matrices on the workers of the process.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cpu/kernels/linalg/lapack.hpp"
#include "backend/cpu/kernels/linalg/small_matrices.hpp"
#include "base/tasks.hpp"
#include "ops/linalg/matrix.hpp"

namespace tutti::kernels {

/// Calls f(k, workspace) for matrices k = 0..count-1 on the workers; one takes `flops`.
template <class T, class F> void for_each_matrix(std::int64_t count, double flops, F f) {
  in_pieces(count, 100 + flops / 2, [&](std::int64_t begin, std::int64_t end) {
    Workspace<T> space;
    for (std::int64_t k = begin; k < end; ++k) f(k, space);
  });
}
/// Calls f(k, count, kernels) for groups of matrices k, k + 1, ... that fill the lanes of a vector, the last one
/// perhaps not.
template <class T, class F> void for_each_group(std::int64_t matrices, double flops, F f) {
  constexpr std::int64_t lanes = SmallMatrices<T>::lanes;
  in_pieces((matrices + lanes - 1) / lanes, 200 + flops, [&](std::int64_t begin, std::int64_t end) {
    SmallMatrices<T> kernels;
    for (std::int64_t k = begin * lanes; k < std::min(end * lanes, matrices); k += lanes)
      f(k, std::min(lanes, matrices - k), kernels);
  });
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
