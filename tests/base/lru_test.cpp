// The table behind every cache: found by content, as fast with many entries as with few, the oldest out first.
#include "base/lru.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tutti {
namespace {

using Table = LruCache<std::pair<int, std::string>>;

std::string* look(Table& t, int key, std::size_t hash) {
  auto* found = t.find(hash, [&](const auto& e) { return e.first == key; });
  return found ? &found->second : nullptr;
}

TEST(Lru, FindsByContentAlsoWhereHashesAreEqual) {
  Table t;
  for (int i = 0; i < 100; ++i) t.insert(static_cast<std::size_t>(i % 3), {i, std::to_string(i)});
  for (int i = 0; i < 100; ++i) ASSERT_EQ(*look(t, i, static_cast<std::size_t>(i % 3)), std::to_string(i));
  EXPECT_EQ(look(t, 100, 1), nullptr);
  EXPECT_EQ(look(t, 4, 2), nullptr);
}

TEST(Lru, TheLeastRecentlyUsedGoesFirst) {
  Table t;
  for (int i = 0; i < 10; ++i) t.insert(static_cast<std::size_t>(i), {i, ""});
  EXPECT_EQ(t.latest()->first, 9);
  ASSERT_NE(look(t, 0, 0), nullptr);  // used: now the latest
  EXPECT_EQ(t.latest()->first, 0);
  auto out = t.shrink(3);
  ASSERT_EQ(out.size(), 7u);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)].first, i + 1);
  for (int i : {8, 9, 0}) EXPECT_NE(look(t, i, static_cast<std::size_t>(i)), nullptr);
  for (int i = 1; i < 8; ++i) EXPECT_EQ(look(t, i, static_cast<std::size_t>(i)), nullptr);
}

TEST(Lru, OneComparisonAHitHoweverManyThereAre) {
  Table t;
  for (int i = 0; i < 100000; ++i) t.insert(static_cast<std::size_t>(i) * 64, {i, ""});
  const std::size_t before = t.comparisons();
  for (int i = 0; i < 100000; ++i) ASSERT_NE(look(t, i, static_cast<std::size_t>(i) * 64), nullptr);
  EXPECT_EQ(t.comparisons() - before, 100000u);
}

TEST(Lru, EntriesStayWhereTheyAreAndEndWhenTakenOut) {
  LruCache<std::shared_ptr<int>> t;
  std::shared_ptr<int>* first = &t.insert(0, std::make_shared<int>(0));
  std::weak_ptr<int> watched = *first;
  for (std::size_t i = 1; i < 1000; ++i) t.insert(i, std::make_shared<int>(static_cast<int>(i)));
  EXPECT_EQ(t.find(0, [](const auto& e) { return *e == 0; }), first);
  t.shrink(1);
  EXPECT_FALSE(watched.expired());
  t.shrink(0);
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(t.size(), 0u);
  EXPECT_EQ(t.latest(), nullptr);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
