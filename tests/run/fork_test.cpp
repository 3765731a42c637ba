#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <optional>

#include "run/pool.hpp"

namespace tutti::test {
namespace {

int sum_of_tasks(int count) {
  std::atomic<int> sum{0};
  auto add = [](void* sum, int task) { static_cast<std::atomic<int>*>(sum)->fetch_add(task); };
  run::run_tasks(count, {add, &sum});
  return sum.load();
}

}  // namespace

// The child has none of the workers, but must compute and end in the ordinary way.
TEST(fork, a_child_has_a_pool_of_its_own) {
  set_num_threads(4);
  ASSERT_EQ(sum_of_tasks(100), 4950);
  for (bool waiting : {false, true}) {
    pid_t child;
    {
      std::optional<run::Awake> awake;
      if (waiting) awake.emplace();
      child = fork();
      if (child == 0) alarm(60);  // instead of hanging
    }
    if (child == 0) std::exit(num_threads() == 4 && sum_of_tasks(100) == 4950 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(sum_of_tasks(100), 4950);
  }
  set_num_threads(default_num_threads());
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
