// Stretches of elements that come to an array, which is cut into blocks: a task for each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/cpu/run_places.hpp"

namespace tutti::cpu {

/// Which stretches reach which block: by groups of neighbours, which mostly lie near each other, or one by one where
/// they do not. Blocks depend on the array's extent alone.
class Stretches {
 public:
  using Stretch = RunPlaces::Stretch;
  /// Of an array of so many elements.
  Stretches(std::vector<Stretch> stretches, std::int64_t extent);

  std::int64_t block() const { return std::int64_t{1} << size_; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(first_.size()) - 1; }
  /// Of all stretches.
  std::int64_t elements() const { return elements_; }
  /// f(stretch) in their order, for at least those that reach the block.
  template <class F> void for_each(std::int64_t block, F f) const {
    const auto b = static_cast<std::size_t>(block);
    for (std::size_t i = first_[b]; i < first_[b + 1]; ++i) {
      const std::size_t from = groups_[i] * together_;
      for (std::size_t k = from, end = std::min(all_.size(), from + together_); k < end; ++k) f(all_[k]);
    }
  }

 private:
  std::vector<Stretch> all_;
  int size_ = 0;
  std::int64_t elements_ = 0;
  std::size_t together_ = 1;
  std::vector<std::size_t> first_;  // of the groups of each block, and behind the last
  std::vector<std::uint32_t> groups_;
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
