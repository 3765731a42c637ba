#include "run/timeline.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <vector>

#include "run/pool.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

void wait_us(double us) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() < us) {
  }
}

double total_us(const run::Timeline::Span& s) {
  return 1e-3 * std::accumulate(s.tasks_ns.begin(), s.tasks_ns.end(), s.alone_ns);
}

}  // namespace

TEST(timeline, times_of_tasks_and_of_what_is_between) {
  run::Timeline timeline;
  wait_us(200);
  std::vector<int> order;
  run::run_tasks(3, {[](void* c, int i) {
                       static_cast<std::vector<int>*>(c)->push_back(i);
                       wait_us(100 * (i + 1));
                       run::run_tasks(2, {[](void*, int) { wait_us(10); }, nullptr});  // of a task: its own work
                     },
                     &order});
  wait_us(50);
  timeline.finish();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(timeline.spans().size(), 3u);
  const auto &before = timeline.spans()[0], &tasks = timeline.spans()[1], &after = timeline.spans()[2];
  EXPECT_TRUE(before.tasks_ns.empty());
  EXPECT_GE(total_us(before), 200);
  ASSERT_EQ(tasks.tasks_ns.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_GE(tasks.tasks_ns[static_cast<std::size_t>(i)] * 1e-3f, 100 * (i + 1) + 20);
  EXPECT_EQ(tasks.alone_ns, 0);
  EXPECT_GE(total_us(after), 50);
}

TEST(timeline, stages_have_their_tasks) {
  const auto f = jit([](const Array& x, const Array& y) { return sin(matmul(x, y)).sum(); });
  const Array x = random::normal(random::key(0), {600, 400}), y = random::normal(random::key(1), {400, 500});
  const float want = f(x, y).item<float>();
  set_num_threads(16);
  run::Timeline timeline;
  EXPECT_EQ(f(x, y).item<float>(), want);
  timeline.finish();
  set_num_threads(default_num_threads());
  double flops = 0;
  std::size_t most = 0;
  for (const auto& span : timeline.spans()) {
    if (span.stage < 0) continue;
    const auto& stage = timeline.stages()[static_cast<std::size_t>(span.stage)];
    if (span.begins) flops += stage.flops;
    if (stage.flops > 0) {
      most = std::max(most, span.tasks_ns.size());
      EXPECT_GE(stage.bytes, 4 * (600 * 400 + 400 * 500 + 600 * 500));
    }
  }
  EXPECT_EQ(flops, 2.0 * 600 * 400 * 500);
  EXPECT_GE(most, 16u);  // enough for as many cores
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
