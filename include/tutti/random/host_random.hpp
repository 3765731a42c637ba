// Random numbers on the host, the same as NumPy's: for data that a program draws before it hands them to tutti.
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti::data {

/// NumPy's generator PCG64, seeded as numpy.random.default_rng(seed) is; the numbers are NumPy's but for
/// the last digit of a double. Arrays of them are float32, or float64 with x64 on.
///
///     auto rng = data::default_rng(0);
///     Array x = rng.normal({32});          // 0.12573022, -0.13210486, ...
///
/// Threads: one at a time uses an object.
class HostRandom {
 public:
  explicit HostRandom(std::uint64_t seed);
  std::uint64_t bits();
  /// Uniform in [0, 1).
  double uniform();
  double normal();
  /// An integer in [0, n), every one as likely.
  std::uint64_t below(std::uint64_t n);
  Array uniform(const Shape& shape, double low = 0, double high = 1);
  Array normal(const Shape& shape, double mean = 0, double deviation = 1);
  /// 0 to n - 1, shuffled (not in NumPy's order).
  std::vector<std::int64_t> permutation(std::int64_t n);

 private:
  std::uint64_t state_[2] = {}, increment_[2] = {};  // high word, low word
};

inline HostRandom default_rng(std::uint64_t seed) { return HostRandom(seed); }

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
