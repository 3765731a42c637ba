#include "backend/cpu/place_blocks.hpp"

#include <algorithm>
#include <bit>
#include <concepts>

#include "base/tasks.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kElements = 1 << 12, kMostBlocks = 1024;  // of a block, at least; of all
// Runs that are sorted together, so that their entries stay in a cache meanwhile; of such parts.
constexpr std::int64_t kRuns = 1 << 14, kMostParts = 1024;
constexpr double kSortedNs = 3;

}  // namespace

template <class Word>
PlaceBlocks<Word>::PlaceBlocks(const RunPlaces& places, void* indices, std::int64_t begin, std::int64_t end,
                               std::int64_t elements, const Word* words)
    : elements_(elements) {
  const std::int64_t length = places.length();
  const auto most = static_cast<std::uint64_t>(std::max({kElements, length, elements / kMostBlocks}));
  shift_ = std::countr_zero(std::bit_ceil(most));
  blocks_ = ((elements - 1) >> shift_) + 1;
  runs_ = std::max(kRuns, (end - begin + kMostParts - 1) / kMostParts);
  parts_ = std::max<std::int64_t>(1, (end - begin + runs_ - 1) / runs_);
  each_ = std::min(runs_, end - begin) * (length > 1 ? 2 : 1);  // a block is never shorter than a run
  ends_ = allocate_buffer(static_cast<std::size_t>(parts_ * (blocks_ + 1)) * sizeof(std::uint32_t));
  entries_ = allocate_buffer(static_cast<std::size_t>(parts_ * each_) * sizeof(Entry));
  auto sort_part = [&](std::int64_t part) {
    const std::int64_t from = begin + part * runs_, to = std::min(end, from + runs_);
    // Calls f(block, run, place).
    auto each = [&](auto&& f) __attribute__((always_inline)) {
      places.for_each(
          indices, from, to, [&](std::int64_t at, std::int64_t run) __attribute__((always_inline)) {
            const std::int64_t block = at >> shift_;
            f(block, run, at - (block << shift_));
            if (length > 1 && (at + length - 1) >> shift_ != block) f(block + 1, run, at - ((block + 1) << shift_));
          });
    };
    std::uint32_t* const next = ends(part);  // where the next entry of a block goes; at last: where they end
    std::fill_n(next - 1, blocks_ + 1, std::uint32_t{0});
    each([next](std::int64_t block, std::int64_t, std::int64_t) __attribute__((always_inline)) { ++next[block]; });
    std::uint32_t total = 0;
    for (std::int64_t b = 0; b < blocks_; ++b) total += std::exchange(next[b], total);
    Entry* const out = of_part(part);
    each([=](std::int64_t block, std::int64_t run, std::int64_t place) __attribute__((always_inline)) {
      Entry& e = out[next[block]++];
      e.place = static_cast<std::int32_t>(place);
      if constexpr (std::same_as<Word, std::uint32_t>)
        e.word = words ? words[run] : static_cast<std::uint32_t>(run - begin);
      else
        e.word = words[run];
    });
  };
  in_pieces(parts_, kSortedNs * static_cast<double>(std::min(runs_, end - begin)),
            [&](std::int64_t part, std::int64_t to) {
              for (; part < to; ++part) sort_part(part);
            });
}

template <class Word> auto PlaceBlocks<Word>::of_part(std::int64_t part) const -> Entry* {
  return static_cast<Entry*>(entries_->data()) + part * each_;
}

template <class Word> auto PlaceBlocks<Word>::entries(std::int64_t block, HostPtr& together) const -> std::span<Entry> {
  auto of = [&](std::int64_t part) {
    const std::uint32_t* e = ends(part);
    return std::span<Entry>(of_part(part) + e[block - 1], of_part(part) + e[block]);
  };
  if (parts_ == 1) return of(0);
  std::size_t total = 0;
  for (std::int64_t p = 0; p < parts_; ++p) total += of(p).size();
  const std::size_t bytes = std::max<std::size_t>(1, total) * sizeof(Entry);
  if (!together || together->bytes() < bytes) together = allocate_buffer(bytes + bytes / 4);
  Entry* const all = static_cast<Entry*>(together->data());
  Entry* to = all;
  for (std::int64_t p = 0; p < parts_; ++p) to = std::copy(of(p).begin(), of(p).end(), to);
  return {all, to};
}

template class PlaceBlocks<std::uint8_t>;
template class PlaceBlocks<std::uint16_t>;
template class PlaceBlocks<std::uint32_t>;
template class PlaceBlocks<std::uint64_t>;
template class PlaceBlocks<TwoWords>;

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
