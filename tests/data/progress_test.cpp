// A loop with a progress bar sees what a loop without one sees.
#include "tutti/data/progress.hpp"

#include <gtest/gtest.h>

#include <map>
#include <ranges>
#include <vector>

namespace tutti::testing {
namespace {

TEST(Progress, gives_the_elements_of_any_range) {
  int sum = 0;
  for (int i : progress(std::views::iota(0, 100))) sum += i;
  EXPECT_EQ(sum, 4950);
  std::vector<int> v{1, 2, 3};
  for (int& x : progress(v, "doubled")) x *= 2;
  EXPECT_EQ(v, (std::vector{2, 4, 6}));
  for (const auto& [key, value] : progress(std::map<int, int>{{1, 2}, {3, 4}})) sum += key * value;
  EXPECT_EQ(sum, 4964);
  const int plain[] = {1, 2};
  for (int x : progress(plain)) sum += x;
  EXPECT_EQ(sum, 4967);
  for (int x : progress(std::vector<int>{})) sum += x;
  EXPECT_EQ(sum, 4967);
}

TEST(Progress, a_bar_on_request_counts_its_steps) {
  ::testing::internal::CaptureStderr();
  {
    ProgressBar bar(3, "files", true);
    for (int i = 0; i < 3; ++i) bar.step();
  }
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("3/3"), std::string::npos);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
