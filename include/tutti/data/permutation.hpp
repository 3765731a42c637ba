// An order of numbers that is computed, not stored.
#pragma once

#include <array>
#include <cstdint>

namespace tutti::data {

/// The numbers 0 to n - 1, each once, in an order that (key, epoch) fixes. Any element costs the same small time and
/// there is no table, so n may be that of the bytes of a disk.
///
///     Permutation order(1'000'000'000, {0, 42}, 0);
///     std::int64_t row = order(7);                        // the row that comes eighth
///
/// A Feistel network over the least power of two that holds n; what falls outside of 0 to n - 1 goes through it again
/// (cycle walking; Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002). Every place is equally likely for
/// every number, up to what a test by chance can see, but not every one of the n! orders can come up: for shuffling,
/// not for secrets.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Permutation {
 public:
  /// The two words of a random key (random::key_data).
  using Key = std::array<std::uint32_t, 2>;

  /// ValueError for n below 0.
  Permutation(std::int64_t n, Key key, std::int64_t epoch = 0);
  std::int64_t size() const { return n_; }
  /// The number at place i, from 0 to size() - 1.
  std::int64_t operator()(std::int64_t i) const;

 private:
  static constexpr std::size_t kRounds = 12;  // even, so that the halves come back to their places
  std::int64_t n_;
  unsigned low_bits_ = 1, high_bits_ = 1;
  std::array<std::uint64_t, kRounds> keys_{};
};

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
