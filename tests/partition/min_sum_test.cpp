// Elimination finds what trying everything finds; bounds hold where tables are cut short.
#include "partition/min_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace tutti::testing {
namespace {

MinSum random_problem(std::mt19937& rng) {
  auto upto = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  MinSum out;
  const int variables = 2 + upto(6);
  for (int v = 0; v < variables; ++v) out.sizes.push_back(1 + upto(4));
  for (int t = 0, terms = 1 + upto(2 * variables); t < terms; ++t) {
    std::vector<int> all(static_cast<std::size_t>(variables));
    for (int v = 0; v < variables; ++v) all[static_cast<std::size_t>(v)] = v;
    std::shuffle(all.begin(), all.end(), rng);
    const std::vector<int> scope(all.begin(), all.begin() + std::min(1 + upto(3), variables));
    std::vector<double> costs;
    std::size_t entries = 1;
    for (int v : scope) entries *= static_cast<std::size_t>(out.sizes[static_cast<std::size_t>(v)]);
    for (std::size_t i = 0; i < entries; ++i) costs.push_back(upto(100));
    out.terms.push_back({scope, table(std::move(costs))});
  }
  return out;
}

double least(const MinSum& p) {
  std::vector<int> values(p.sizes.size(), 0);
  double out = std::numeric_limits<double>::infinity();
  for (std::size_t at = 0; at < values.size();) {
    out = std::min(out, p.cost(values));
    for (at = 0; at < values.size() && ++values[at] == p.sizes[at]; ++at) values[at] = 0;
  }
  return out;
}

TEST(MinSum, EqualsTryingEverything) {
  std::mt19937 rng(3);
  for (int i = 0; i < 300; ++i) {
    const MinSum p = random_problem(rng);
    const MinSumResult found = minimise(p, 1 << 20);
    EXPECT_EQ(found.cost, least(p));
    EXPECT_EQ(found.bound, found.cost);
    EXPECT_EQ(found.cost, p.cost(found.values));
  }
}

TEST(MinSum, BoundsHoldWhereTablesAreCutShort) {
  std::mt19937 rng(4);
  int apart = 0;
  for (int i = 0; i < 300; ++i) {
    const MinSum p = random_problem(rng);
    const MinSumResult rough = minimise(p, 8);
    EXPECT_LE(rough.bound, least(p));
    EXPECT_GE(rough.cost, least(p));
    const MinSumResult better = minimise(p, 16, &rough.values);
    EXPECT_LE(better.cost, rough.cost);
    apart += rough.cost > rough.bound;
  }
  EXPECT_GT(apart, 0);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
