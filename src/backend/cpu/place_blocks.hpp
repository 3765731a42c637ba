// Runs of a scatter by where they go: each block of places is written by one thread, while it lies in a cache.
#pragma once

#include <cstdint>
#include <span>

#include "array/buffer.hpp"
#include "backend/cpu/run_places.hpp"

namespace tutti::cpu {

class PlaceBlocks {
 public:
  static constexpr std::int64_t kMostRuns = std::int64_t{1} << 31;

  struct Entry {
    std::uint32_t run;   // from `begin` on
    std::int32_t place;  // in its block; negative where the run begins in the block before
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.place != b.place ? a.place < b.place : a.run < b.run;
    }
  };

  /// Of the runs begin to end-1, at most kMostRuns, of an array of so many elements.
  PlaceBlocks(const RunPlaces& places, void* indices, std::int64_t begin, std::int64_t end, std::int64_t elements);

  std::int64_t count() const { return blocks_; }
  /// The first element of a block; of the one behind the last: how many elements there are.
  std::int64_t first(std::int64_t block) const { return block < blocks_ ? block << shift_ : elements_; }
  /// In the order of the runs. A run that reaches into the next block is in both.
  std::span<Entry> entries(std::int64_t block) const {
    return {static_cast<Entry*>(entries_->data()) + ends()[block],
            static_cast<Entry*>(entries_->data()) + ends()[block + 1]};
  }

 private:
  const std::int64_t* ends() const { return static_cast<const std::int64_t*>(ends_->data()); }

  std::int64_t elements_, blocks_ = 0;
  int shift_ = 0;
  BufferPtr entries_, ends_;  // ends_[b]: of the blocks before b
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
