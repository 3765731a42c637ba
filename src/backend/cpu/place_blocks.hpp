// Runs of a scatter by where they go: each block of places is written by one thread, while it lies in a cache.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "backend/cpu/run_places.hpp"
#include "device/buffer.hpp"

namespace tutti::cpu {

/// Of `Word`s: the numbers of the runs, or the elements themselves where a run is one.
template <class Word> class PlaceBlocks {
 public:
  static constexpr std::int64_t kMostRuns = std::int64_t{1} << 31;

  struct Entry {
    Word word;           // of a run's number: from `begin` on
    std::int32_t place;  // in its block; negative where the run begins in the block before
  };

  /// Of the runs begin to end-1, at most kMostRuns, of an array of so many elements. `words`: the elements, by run;
  /// nothing: the runs' numbers.
  PlaceBlocks(const RunPlaces& places, void* indices, std::int64_t begin, std::int64_t end, std::int64_t elements,
              const Word* words);

  std::int64_t count() const { return blocks_; }
  /// The first element of a block; of the one behind the last: how many elements there are.
  std::int64_t first(std::int64_t block) const { return block < blocks_ ? block << shift_ : elements_; }
  /// In the order of the runs, put together in `together`. A run that reaches into the next block is in both.
  std::span<Entry> entries(std::int64_t block, HostPtr& together) const;

 private:
  // The entries of a part of the runs, block by block: those of block b end at ends(part)[b].
  Entry* of_part(std::int64_t part) const;
  std::uint32_t* ends(std::int64_t part) const {
    return static_cast<std::uint32_t*>(ends_->data()) + part * (blocks_ + 1) + 1;
  }

  std::int64_t elements_, blocks_ = 0, parts_ = 1, runs_ = 0, each_ = 0;  // of a part: entries, at most
  int shift_ = 0;
  HostPtr entries_, ends_;
};

using TwoWords = std::array<std::uint64_t, 2>;
extern template class PlaceBlocks<std::uint8_t>;
extern template class PlaceBlocks<std::uint16_t>;
extern template class PlaceBlocks<std::uint32_t>;
extern template class PlaceBlocks<std::uint64_t>;
extern template class PlaceBlocks<TwoWords>;

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
