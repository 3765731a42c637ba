#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "device/buffer.hpp"

namespace tutti::test {

TEST(arena, blocks_are_aligned_and_do_not_overlap) {
  std::mt19937 random(1);
  std::vector<std::pair<HostPtr, unsigned char>> live;
  for (int i = 0; i < 4000; ++i) {
    if (live.size() > 60 || (!live.empty() && random() % 3 == 0)) {
      const std::size_t k = random() % live.size();
      auto& [b, mark] = live[k];
      const auto* p = static_cast<const unsigned char*>(b->data());
      for (std::size_t j = 0; j < b->bytes(); j += std::max<std::size_t>(1, b->bytes() / 7)) ASSERT_EQ(p[j], mark);
      if (b->bytes()) {
        ASSERT_EQ(p[b->bytes() - 1], mark);
      }
      std::swap(live[k], live.back());
      live.pop_back();
    }
    const std::size_t bytes = static_cast<std::size_t>(std::exp2(static_cast<double>(random() % 2300) / 100)) - 1;
    live.emplace_back(allocate_buffer(bytes), static_cast<unsigned char>(random()));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(live.back().first->data()) % 64, 0u);
    ASSERT_GE(live.back().first->capacity, bytes);
    std::memset(live.back().first->data(), live.back().second, bytes);
  }
}

TEST(arena, memory_comes_back) {
  { HostPtr warm = allocate_buffer(50 << 20); }
  const std::size_t committed = memory_stats().committed, used = memory_stats().in_use;
  for (int i = 0; i < 100; ++i) {
    HostPtr b = allocate_buffer(50 << 20);
    EXPECT_GT(memory_stats().in_use, used);
  }
  EXPECT_EQ(memory_stats().committed, committed);
  EXPECT_EQ(memory_stats().in_use, used);
}

TEST(arena, copies_share_and_threads_may_free) {
  HostPtr a = allocate_buffer(100), b = a;
  EXPECT_FALSE(a.reusable());
  std::thread([moved = std::move(b)]() mutable { moved.reset(); }).join();
  EXPECT_TRUE(a.reusable());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 5000; ++i) {
        HostPtr x = allocate_buffer(64 + i % 1000), y = allocate_buffer(i * 10);
        std::memset(x->data(), i, x->bytes());
        y = x;
      }
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
