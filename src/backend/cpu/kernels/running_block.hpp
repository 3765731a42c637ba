// Running sums of float32 numbers that lie side by side, block by block, in float64. The order of additions is the same
// on every processor.
#pragma once

#include <cstdint>

namespace tutti::kernels {

struct RunningBlock {
  static constexpr std::int64_t size = 1024;
  /// The sum of a block.
  static double total(const float* x);
  /// out[i] = before + x[0] + ... + x[i]. `past`: past the cache; `out` begins with a line, and
  /// processor::finish_streams() comes before others read it.
  static void sums(const float* x, double before, bool past, float* out);
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
