// Rows sorted side by side, one in each lane of a vector, by a network of comparisons that is the same for all.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::kernels {

/// Sorts groups of rows of n 32-bit words. Equal words stay in their order.
class LaneSort {
 public:
  static constexpr std::int64_t rows = 16;  // of a group
  /// Whether rows of n words go this way: as many as the network is faster for, where the processor has the
  /// instructions.
  static bool takes(std::int64_t n);
  explicit LaneSort(std::int64_t n);

  /// Room for the words of a group: row r begins at r * n.
  std::uint32_t* words() { return words_.data(); }
  /// Sorts the first `count` of them, and returns the positions that their elements had, laid out as the words are.
  const std::int32_t* sorted(std::int64_t count);

 private:
  struct alignas(64) Vector {
    std::uint64_t lanes[8];
  };
  bool by_short_words(std::int64_t count);
  void by_pairs(std::int64_t count);

  std::int64_t n_, network_;  // network: a power of two, n and more
  std::vector<std::uint32_t> words_;
  std::vector<std::int32_t> positions_;
  std::unique_ptr<Vector[]> pairs_;         // a word above its position, of rows 0 to 7, then of rows 8 to 15
  std::vector<std::pair<int, int>> alike_;  // row and place of what has the first bits of what is before it
  bool many_alike_ = false;
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
