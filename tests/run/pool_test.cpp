#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "run/pool.hpp"

namespace tutti::test {
namespace {

struct Counts {
  std::vector<std::atomic<int>> hits;
  explicit Counts(int n) : hits(static_cast<std::size_t>(n)) {}
  static void hit(void* c, int i) { static_cast<Counts*>(c)->hits[static_cast<std::size_t>(i)].fetch_add(1); }
};

}  // namespace

TEST(pool, every_task_runs_once) {
  for (int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    for (int round = 0; round < 2000; ++round) {
      const int n = round % 37;
      Counts c(n);
      run::run_tasks(n, {&Counts::hit, &c});
      for (auto& h : c.hits) ASSERT_EQ(h.load(), 1);
      if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));  // workers park
    }
  }
  set_num_threads(default_num_threads());
}

TEST(pool, several_callers) {
  set_num_threads(3);
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([] {
      for (int round = 0; round < 1000; ++round) {
        Counts c(9);
        run::run_tasks(9, {&Counts::hit, &c});
        for (auto& h : c.hits) EXPECT_EQ(h.load(), 1);
      }
    });
  for (std::thread& t : callers) t.join();
  set_num_threads(default_num_threads());
}

TEST(pool, errors_reach_the_caller) {
  set_num_threads(2);
  for (int i = 0; i < 100; ++i)
    EXPECT_THROW(run::run_tasks(5, {[](void*, int task) {
                                      if (task == 3) throw std::runtime_error("three");
                                    },
                                    nullptr}),
                 std::runtime_error);
  set_num_threads(default_num_threads());
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
