// Loops of a run that neither allocate nor count, timed at sizes far apart.
// issue 28, growth
#include <algorithm>
#include <chrono>

#include "growth/growth.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

// The best of several runs of a program that is compiled.
double seconds_of(int outputs) {
  std::vector<Array> xs;
  for (int i = 0; i < outputs; ++i) xs.push_back(full({2}, Array(static_cast<float>(i % 7))));
  auto f = jit([](const std::vector<Array>& x) {
    std::vector<Array> out;
    for (std::size_t i = 0; i < x.size(); ++i) out.push_back(x[i] * static_cast<float>(i + 2));
    return out;
  });
  f(xs);
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f(xs);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

// Twice the size three times.
TEST(GrowthOfRuns, TasksOfAStageFindTheirSteps) {
  const double few = seconds_of(2000), many = seconds_of(16000);
  EXPECT_LE(many, 2.3 * 2.3 * 2.3 * few) << few << " s, " << many << " s";
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
