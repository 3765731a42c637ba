// TUTTI_LOG=stages: a table of the longest stages, written when the process ends.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

[[noreturn]] void timed() {
  setenv("TUTTI_LOG", "stages", 1);
  auto f = jit([](const Array& x) { return tanh(dot(x, x)) + 1; });
  for (int i = 0; i < 3; ++i) f(ones({64, 64}));
  sort(argmax(ones({32, 64}), 0));
  std::exit(0);
}

TEST(StageTimes, AreWrittenAtTheEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, which has not read the variable yet
  EXPECT_EXIT(timed(), testing::ExitedWithCode(0),
              "stages of a plan with 2 steps.*: 3 runs, .* 1 x  dot float32 m 64 n 64 k 64  # "
              "stage_times_test.cpp:13(.|\n)* call argmax  # ");
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
