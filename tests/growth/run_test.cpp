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

// Twice the size three times.
TEST(GrowthOfRuns, TasksOfAStageFindTheirSteps) {
  const int threads = num_threads();
  set_num_threads(1);  // what threads do to each other's caches is another matter
  double few = 0, many = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {  // what others do to the caches comes and goes
    few = seconds_of(2000);
    many = seconds_of(16000);
    if (many <= 2.3 * 2.3 * 2.3 * few) break;
  }
  set_num_threads(threads);
  EXPECT_LE(many, 2.3 * 2.3 * 2.3 * few) << few << " s, " << many << " s";
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
