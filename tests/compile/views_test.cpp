#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "compile/views.hpp"

namespace tutti::test {
namespace {

using compile::Extents;

// The elements that a view reads, in order.
std::vector<std::int64_t> elements(const View& v, const Extents& extents, const std::vector<std::int64_t>& from) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < compile::product(extents); ++i) {
    std::int64_t at = v.offset, rest = i;
    for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) at += rest % extents[d] * v.strides[d];
    out.push_back(from.at(static_cast<std::size_t>(at)));
  }
  return out;
}

// A random view of an array of `extents`: transposed, sliced, reversed, broadcast or reshaped.
View random_view(const Extents& extents, Extents& result, std::mt19937& random) {
  const Extents unit = compile::row_major(extents);
  View v;
  result.clear();
  if (random() % 3 == 0) {  // reshape
    std::int64_t n = compile::product(extents);
    for (std::int64_t f : {2, 3, 2})
      if (n % f == 0 && random() % 2) {
        result.push_back(f);
        n /= f;
      }
    result.push_back(n);
    std::shuffle(result.begin(), result.end(), random);
    return compile::dense_view(result);
  }
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t d : order) {
    std::int64_t start = static_cast<std::int64_t>(random()) % std::min<std::int64_t>(extents[d], 2),
                 step = 1 + static_cast<std::int64_t>(random() % 2);
    std::int64_t count = (extents[d] - start + step - 1) / step;
    if (random() % 4 == 0) {
      start += (count - 1) * step;
      step = -step;
    }
    v.offset += start * unit[d];
    v.strides.push_back(step * unit[d]);
    result.push_back(count);
    if (random() % 5 == 0) {
      v.strides.push_back(0);
      result.push_back(2);
    }
  }
  return v;
}

}  // namespace

TEST(views, composition_reads_the_same_elements) {
  std::mt19937 random(3);
  int composed = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const Extents base = {static_cast<std::int64_t>(1 + random() % 4), static_cast<std::int64_t>(1 + random() % 6),
                          static_cast<std::int64_t>(1 + random() % 4)};
    std::vector<std::int64_t> data(static_cast<std::size_t>(compile::product(base)));
    std::iota(data.begin(), data.end(), 0);
    Extents middle, last;
    const View inner = random_view(base, middle, random), outer = random_view(middle, last, random);
    const auto want = elements(outer, last, elements(inner, middle, data));
    if (auto both = compile::compose(outer, last, inner, middle)) {
      ASSERT_EQ(elements(*both, last, data), want);
      ++composed;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(composed, 1500);
  EXPECT_GT(refused, 10);
}

TEST(views, refinement_keeps_addresses) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    Extents a = {2, 3, 4, 6}, b;
    std::int64_t n = 144;
    while (n > 1) {
      std::int64_t f = 1 + static_cast<std::int64_t>(random() % 12);
      if (n % f == 0) {
        b.push_back(f);
        n /= f;
      }
    }
    auto fine = compile::common_refinement(a, b);
    if (!fine) continue;
    const View v{0, {1000, 77, 5, 3}};
    std::vector<std::int64_t> data(4000);
    std::iota(data.begin(), data.end(), 0);
    EXPECT_EQ(elements(View{0, compile::refine(v.strides, a, *fine)}, *fine, data), elements(v, a, data));
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
