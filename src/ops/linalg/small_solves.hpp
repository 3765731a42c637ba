// Matrices so small that engines take many of them side by side, one in each lane of a vector.
#pragma once

#include <cstdint>

namespace tutti::ops {

struct SmallSolves {
  /// Extents up to which matrices are always taken so; up to twice as much where they fill the lanes.
  static constexpr int most = 16;

  /// Whether `count` matrices with up to `n` rows and columns, of real elements of `bytes`, are.
  static constexpr bool takes(std::int64_t n, std::int64_t count, std::int64_t bytes) {
    return n > 0 && (n <= most || (n <= 2 * most && count >= 64 / bytes));
  }
  /// Whether they are solved so with matrices of n x cols on the other side: where these are so wide that their columns
  /// fill vectors, they are better taken one by one.
  static constexpr bool takes(std::int64_t n, std::int64_t cols, std::int64_t count, std::int64_t bytes) {
    return takes(n, count, bytes) && cols > 0 && cols <= 2 * most;
  }
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
