#include "backend/cpu/stretches.hpp"

#include <bit>
#include <utility>

namespace tutti::cpu {
namespace {

// As many blocks as threads may want, of so many elements that a task is worth waking one, and that a table of theirs
// stays in the second cache.
constexpr std::int64_t kBlocks = 64, kLeastBlock = 1 << 13, kMostBlock = 1 << 14;
constexpr std::size_t kTogether = 16, kApart = 4;  // stretches in a group; blocks that one reaches, at most

}  // namespace

Stretches::Stretches(std::vector<Stretch> stretches, std::int64_t extent) : all_(std::move(stretches)) {
  size_ = std::bit_width(static_cast<std::uint64_t>(std::clamp(extent / kBlocks, kLeastBlock, kMostBlock))) - 1;
  const std::int64_t blocks = ((extent - 1) >> size_) + 1;
  for (together_ = kTogether;; together_ = 1) {
    std::vector<std::pair<std::int64_t, std::int64_t>> spans;  // of groups: the first block and the last
    std::size_t reached = 0;
    elements_ = 0;
    for (std::size_t k = 0; k < all_.size(); k += together_) {
      std::int64_t least = all_[k].place, most = least;
      for (std::size_t i = k, end = std::min(all_.size(), k + together_); i < end; ++i) {
        least = std::min(least, all_[i].place);
        most = std::max(most, all_[i].place + all_[i].count - 1);
        elements_ += all_[i].count;
      }
      spans.emplace_back(least >> size_, most >> size_);
      reached += static_cast<std::size_t>(spans.back().second - spans.back().first) + 1;
    }
    if (together_ > 1 && reached > kApart * spans.size()) continue;
    first_.assign(static_cast<std::size_t>(blocks) + 1, 0);
    for (const auto& [low, high] : spans)
      for (std::int64_t b = low; b <= high; ++b) ++first_[static_cast<std::size_t>(b) + 1];
    for (std::size_t b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
    groups_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t g = 0; g < spans.size(); ++g)
      for (std::int64_t b = spans[g].first; b <= spans[g].second; ++b)
        groups_[next[static_cast<std::size_t>(b)]++] = static_cast<std::uint32_t>(g);
    return;
  }
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
