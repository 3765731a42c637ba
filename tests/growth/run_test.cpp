// Loops of a run that neither allocate nor count, timed at sizes far apart.
// issue 28, growth
#include <algorithm>
#include <ctime>

#include "growth/growth.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

// Processor time of the best of several runs of a program that is compiled: others may want the processor, too.
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
    const std::clock_t start = std::clock();
    f(xs);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

}  // namespace

// Eight times the outputs. A search through all steps of a stage for each task would take more than a hundred times as
// long; caches alone, which hold the fewer outputs and not the many, make it up to 25.
TEST(GrowthOfRuns, TasksOfAStageFindTheirSteps) {
  const double few = seconds_of(2000), many = seconds_of(16000);
  EXPECT_LE(many, 50 * few) << few << " s, " << many << " s";
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
