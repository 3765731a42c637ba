// Jobs that threads share (issue 29): every part once and in the order of steps, whoever helps.
#include "run/shared_jobs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "run/timeline.hpp"

namespace tutti::test {
namespace {

constexpr int kJobSteps = 20, kJobParts = 7;

struct Shared {
  std::vector<std::atomic<int>> parts;  // done, by job
  std::atomic<int> early{0};            // parts that ran before the step before them was over
  int fails = -1;                       // job

  explicit Shared(int jobs) : parts(static_cast<std::size_t>(jobs)) {}

  struct Step {
    Shared* all;
    int job, number;
    static void part(void* c, int part) {
      const Step& s = *static_cast<Step*>(c);
      const int before = s.all->parts[static_cast<std::size_t>(s.job)].fetch_add(1);
      if (before < s.number * kJobParts) s.all->early.fetch_add(1);
      if (s.job == s.all->fails && s.number == 3 && part == 2) throw std::runtime_error("part");
    }
  };
  static void job(void* c, int number, run::SharedJobs::Job& job) {
    for (int k = 0; k < kJobSteps; ++k) {
      Step step{static_cast<Shared*>(c), number, k};
      job.share(kJobParts, {&Step::part, &step});
    }
  }
};

}  // namespace

TEST(SharedJobs, RunEveryPartOnceAndStepsInOrder) {
  for (int threads : {1, 2, 3, 7, 16}) {
    set_num_threads(threads);
    for (int jobs : {1, 3, 20}) {
      Shared all(jobs);
      run::SharedJobs(jobs).run({&Shared::job, &all});
      for (const auto& done : all.parts) EXPECT_EQ(done.load(), kJobSteps * kJobParts);
      EXPECT_EQ(all.early.load(), 0);
    }
  }
  set_num_threads(default_num_threads());
}

TEST(SharedJobs, HandOnAnException) {
  for (int threads : {1, 7}) {
    set_num_threads(threads);
    for (int round = 0; round < 20; ++round) {
      Shared all(3);
      all.fails = 1;
      EXPECT_THROW(run::SharedJobs(3).run({&Shared::job, &all}), std::runtime_error);
    }
  }
  set_num_threads(default_num_threads());
}

// What a prediction is made of.
TEST(SharedJobs, AreStepsOfATimeline) {
  run::Timeline timeline;
  Shared all(3);
  run::SharedJobs(3).run({&Shared::job, &all});
  timeline.finish();
  int steps = 0;
  for (const run::Timeline::Span& s : timeline.spans()) {
    if (s.jobs < 0) continue;
    EXPECT_EQ(s.job, steps++ / kJobSteps);
    EXPECT_EQ(s.tasks_ns.size(), static_cast<std::size_t>(kJobParts));
  }
  EXPECT_EQ(steps, 3 * kJobSteps);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
