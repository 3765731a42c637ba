// Placement of blocks in one piece of memory.
#include "compile/place.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tutti::compile {
namespace {

std::vector<Block> random_blocks(int n, int sizes, int longest, std::mt19937& random) {
  std::vector<Block> out;
  for (int i = 0; i < n; ++i) {
    const int first = static_cast<int>(random() % 200), last = first + static_cast<int>(random() % longest);
    out.push_back({64 * (1 + static_cast<std::int64_t>(random() % sizes) * 5), first, last, -1});
  }
  return out;
}

// Bytes that are needed at the same time, at most: no placement takes less.
std::int64_t needed(const std::vector<Block>& blocks) {
  std::int64_t most = 0;
  for (const Block& now : blocks) {
    std::int64_t bytes = 0;
    for (const Block& b : blocks)
      if (b.first <= now.first && now.first <= b.last) bytes += aligned(b.bytes);
    most = std::max(most, bytes);
  }
  return most;
}

}  // namespace

TEST(place, what_is_needed_at_one_time_does_not_overlap) {
  std::mt19937 random(1);
  for (int sizes : {1, 4, 300})
    for (int round = 0; round < 20; ++round) {
      std::vector<Block> blocks = random_blocks(150, sizes, 40, random);
      const std::int64_t bytes = place(blocks);
      EXPECT_GE(bytes, needed(blocks));
      for (const Block& a : blocks) {
        EXPECT_EQ(a.offset % kAlign, 0);
        EXPECT_LE(a.offset + a.bytes, bytes);
        for (const Block& b : blocks) {
          if (&a == &b || a.last < b.first || b.last < a.first) continue;
          EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
        }
      }
    }
}

TEST(place, blocks_of_one_size_take_no_more_than_is_needed_at_once) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    std::vector<Block> blocks = random_blocks(200, 1, 60, random);
    EXPECT_EQ(place(blocks), needed(blocks));
  }
}

TEST(place, small_blocks_go_where_large_ones_are_not_yet_or_no_longer) {
  std::vector<Block> blocks{{1024, 5, 6}, {512, 0, 4}, {512, 1, 4}, {256, 7, 9}, {256, 8, 9}, {256, 7, 8}, {64, 0, 9}};
  EXPECT_EQ(place(blocks), 1024 + 64);
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
