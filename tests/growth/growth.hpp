// Twice the size costs at most 2.3 times: tables of functions that take many of something, each called at two sizes.
// Work is counted, not timed: calls of operator new, what passes say that they have looked at (base/effort.hpp), and
// the most bytes that lived at once. Loops that neither allocate nor count are timed as well, at sizes far apart.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tutti::test {

struct Work {
  std::int64_t steps = 0;  // allocations, and effort
  std::int64_t peak = 0;   // bytes by operator new that lived at once, beside those before
  double seconds = 0;      // of this thread
};
/// Of one call. Allocations of all threads count.
Work work_of(const std::function<void()>& call);

/// A function that takes many of something. `make(n)` prepares n of them, which is not counted, and gives the call.
struct Growth {
  std::string name;
  int n = 0;
  std::function<std::function<void()>(int n)> make;
  double most = 2.3, most_bytes = 2.3;  // times the steps, the bytes for twice as many
  friend void PrintTo(const Growth& g, std::ostream* os) { *os << g.name; }
};

class GrowthTest : public testing::TestWithParam<Growth> {};

std::string name_of(const testing::TestParamInfo<Growth>& info);

/// A table of rows {name, n, make}.
#define TUTTI_GROWTH(group, ...) \
  INSTANTIATE_TEST_SUITE_P(group, GrowthTest, testing::ValuesIn(std::vector<Growth> __VA_ARGS__), name_of)

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
