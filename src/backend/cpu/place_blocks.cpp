#include "backend/cpu/place_blocks.hpp"

#include <algorithm>
#include <bit>

#include "base/tasks.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kElements = 1 << 12, kMostBlocks = 1024;  // of a block, at least; of all
constexpr std::int64_t kRuns = 1 << 14, kMostParts = 16;         // runs that are sorted by themselves; of these
constexpr double kSortedNs = 3;

BufferPtr zeros(std::int64_t n) {
  BufferPtr b = allocate_buffer(static_cast<std::size_t>(n) * sizeof(std::int64_t));
  std::fill_n(static_cast<std::int64_t*>(b->data()), n, std::int64_t{0});
  return b;
}

}  // namespace

PlaceBlocks::PlaceBlocks(const RunPlaces& places, void* indices, std::int64_t begin, std::int64_t end,
                         std::int64_t elements)
    : elements_(elements) {
  const std::int64_t length = places.length();
  const auto most = static_cast<std::uint64_t>(std::max({kElements, length, elements / kMostBlocks}));
  shift_ = std::countr_zero(std::bit_ceil(most));
  blocks_ = ((elements - 1) >> shift_) + 1;
  const std::int64_t parts = std::clamp((end - begin) / kRuns, std::int64_t{1}, kMostParts);
  // Calls f(block, run, place) for the runs of a part; a block is never shorter than a run.
  auto each = [&](std::int64_t part, auto&& f) {
    places.for_each(indices, begin + (end - begin) * part / parts, begin + (end - begin) * (part + 1) / parts,
                    [&](std::int64_t at, std::int64_t run) {
                      const std::int64_t block = at >> shift_;
                      f(block, run - begin, at - (block << shift_));
                      if (length > 1 && (at + length - 1) >> shift_ != block)
                        f(block + 1, run - begin, at - ((block + 1) << shift_));
                    });
  };
  auto on_parts = [&](auto&& f) {
    in_pieces(parts, kSortedNs * static_cast<double>(end - begin) / static_cast<double>(parts),
              [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t p = from; p < to; ++p) f(p);
              });
  };

  const BufferPtr counts = zeros(parts * blocks_);  // by part and block; then where the next entry goes
  auto* next = static_cast<std::int64_t*>(counts->data());
  on_parts([&](std::int64_t p) {
    std::int64_t* mine = next + p * blocks_;
    each(p, [mine](std::int64_t block, std::int64_t, std::int64_t) { ++mine[block]; });
  });
  ends_ = zeros(blocks_ + 1);
  auto* ends = static_cast<std::int64_t*>(ends_->data());
  std::int64_t total = 0;
  for (std::int64_t b = 0; b < blocks_; ++b) {
    for (std::int64_t p = 0; p < parts; ++p) total += std::exchange(next[p * blocks_ + b], total);
    ends[b + 1] = total;
  }
  entries_ = allocate_buffer(static_cast<std::size_t>(total) * sizeof(Entry));
  auto* entries = static_cast<Entry*>(entries_->data());
  on_parts([&](std::int64_t p) {
    std::int64_t* mine = next + p * blocks_;
    each(p, [=](std::int64_t block, std::int64_t run, std::int64_t place) {
      entries[mine[block]++] = {static_cast<std::uint32_t>(run), static_cast<std::int32_t>(place)};
    });
  });
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
