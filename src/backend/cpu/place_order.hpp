// Entries of a block of places, in the order of their places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::cpu {

/// Sorts entries, which are in the order of their words, by place; those of one place keep their order. Where they are
/// rows of `length` elements, many of them, by counting. `room`: for the sorted ones.
template <class Entry> void sort_by_place(std::span<Entry> entries, std::int64_t length, std::vector<Entry>& room) {
  if (entries.empty()) return;
  std::int32_t least = entries[0].place, most = least;
  for (const Entry& e : entries) {
    least = std::min(least, e.place);
    most = std::max(most, e.place);
  }
  constexpr std::size_t kRowsOfOne = 4;  // rows that are counted, for each entry
  const auto row = static_cast<std::uint32_t>(std::min<std::int64_t>(length, INT32_MAX));
  const auto above = [least](const Entry& e) {
    return static_cast<std::uint32_t>(e.place) - static_cast<std::uint32_t>(least);
  };
  const std::size_t rows = (static_cast<std::uint32_t>(most) - static_cast<std::uint32_t>(least)) / row + 1;
  const bool are_rows = rows <= kRowsOfOne * entries.size() &&
                        std::all_of(entries.begin(), entries.end(), [&](auto& e) { return above(e) % row == 0; });
  if (!are_rows)
    return std::stable_sort(entries.begin(), entries.end(),
                            [](const Entry& a, const Entry& b) { return a.place < b.place; });
  std::vector<std::uint32_t> next(rows + 1, 0);
  for (const Entry& e : entries) ++next[above(e) / row + 1];
  for (std::size_t r = 1; r < rows; ++r) next[r] += next[r - 1];
  room.resize(entries.size());
  for (const Entry& e : entries) room[next[above(e) / row]++] = e;
  std::copy(room.begin(), room.end(), entries.begin());
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
