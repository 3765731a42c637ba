// Views of arrays with the algorithms and containers of the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include <tutti/tutti.hpp>

namespace tutti::test {
namespace {

static_assert(std::random_access_iterator<HostSpan<float, 1>::Iterator>);
static_assert(std::random_access_iterator<HostSpan<float, 3>::Iterator>);
static_assert(std::ranges::random_access_range<HostSpan<int, 2>> && std::ranges::sized_range<HostSpan<int, 2>>);
static_assert(std::is_same_v<std::iterator_traits<HostSpan<int, 1>::Iterator>::iterator_category,
                             std::random_access_iterator_tag>);
static_assert(!std::ranges::range<Array>);

TEST(HostSpanRanges, AreRandomAccess) {
  const Array x = array({1.f, 2.f, 4.f, 8.f, 16.f});
  const HostSpan<float, 1> s = host_span<float, 1>(x);
  EXPECT_EQ(s.end() - s.begin(), 5);
  EXPECT_EQ(s.begin()[3], 8);
  EXPECT_EQ(*std::lower_bound(s.begin(), s.end(), 5.f), 8);
  EXPECT_EQ(std::ranges::distance(s.begin(), std::ranges::find(s, 4.f)), 2);
  EXPECT_EQ(std::accumulate(std::make_reverse_iterator(s.end()), std::make_reverse_iterator(s.begin()), 0.f), 31);
  EXPECT_EQ(&*(s.begin() + 2), s.data() + 2);  // the element itself
  EXPECT_TRUE(s.begin() < s.end() && s.begin() <= s.begin() && s.end() > s.begin());
  const HostSpan<float, 1> every_other = s.slice(0, 0, 5, 2);
  EXPECT_EQ(std::vector<float>(every_other.begin(), every_other.end()), (std::vector<float>{1, 4, 16}));
  EXPECT_EQ(*(every_other.end() - 1), 16);
}

TEST(HostSpanRanges, HaveRows) {
  const Array x = arange(6).reshape(3, 2);
  const HostSpan<int, 2> s = host_span<int, 2>(x);
  std::vector<int> last;
  for (HostSpan<int, 1> row : s | std::views::reverse) last.push_back(row[1]);
  EXPECT_EQ(last, (std::vector<int>{5, 3, 1}));
  EXPECT_EQ((s.begin() + 2)[0][0], 4);
  EXPECT_EQ(s.flat().size(), 6u);
  EXPECT_EQ(std::accumulate(s.flat().begin(), s.flat().end(), 0), 15);
  EXPECT_TRUE(s.is_contiguous());
  EXPECT_FALSE(s.transposed({1, 0}).is_contiguous());
  EXPECT_TRUE(s.transposed({1, 0}).flat().empty());
  EXPECT_TRUE(s.slice(0, 1, 3).is_contiguous());
  EXPECT_FALSE(s.slice(1, 0, 1).is_contiguous());
}

TEST(Hashes, OfShapesAndDTypes) {
  std::unordered_map<Shape, int> sizes{{Shape{2, 3}, 6}, {Shape{}, 1}};
  EXPECT_EQ(sizes.at(Shape{2, 3}), 6);
  EXPECT_EQ(sizes.count(Shape{3, 2}), 0u);
  const std::unordered_set<DType> dtypes{float32, bfloat16, float32};
  EXPECT_EQ(dtypes.size(), 2u);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
