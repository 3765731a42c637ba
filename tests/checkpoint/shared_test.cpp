// Several processes write, tidy and read one folder (hostile-3, C1 and C2).
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

// All of it belongs to one number.
Dict shared_state(int n, int leaves = 200) {
  Dict out;
  out["large"] = array(std::vector<int>(200000, n), {200000});
  for (int i = 0; i < leaves; ++i) out["small" + std::to_string(i)] = array(std::vector<int>(10, n), {10});
  return out;
}
// The number that all of it belongs to; -1 when it is mixed.
int number_of(const Dict& state) {
  const int n = state["large"].array().to_vector<int>()[0];
  for (const auto& [key, leaf] : state)
    for (const int value : leaf.array().to_vector<int>())
      if (value != n) return -1;
  return n;
}

// A child that works until it is killed; one that ends by itself has failed.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::alarm(120);
    try {
      work();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    ::_exit(1);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "a child has failed";
  }
  Child(const Child&) = delete;

 private:
  pid_t pid_;
};

TEST(Shared, ARestoreBesideAWriterThatReplacesTheStep) {
  const Folder folder;
  checkpoint::save(folder.path(), shared_state(0), {.step = 7, .extra = "[0]"});
  const Child writer([&] {
    for (int n = 1;; ++n) checkpoint::save(folder.path(), shared_state(n), {.step = 7, .extra = "[0]"});
  });
  int last = 0;
  for (int reads = 0; reads < 400; ++reads) {
    const int n = number_of(checkpoint::restore(folder.path(), shared_state(0)));
    ASSERT_GE(n, last) << "read " << reads;
    last = n;
    EXPECT_EQ(checkpoint::latest(folder.path()), 7);
    EXPECT_EQ(checkpoint::extra(folder.path()), "[0]");
  }
  EXPECT_GT(last, 0);
}

TEST(Shared, ARestoreBesideAManagerThatKeepsOne) {
  const Folder folder;
  checkpoint::save(folder.path(), shared_state(0), {.step = 0});
  const Child writer([&] {
    checkpoint::Manager manager(folder.path(), {.keep = 1});
    for (int n = 1;; ++n) manager.save(n, shared_state(n), "[" + std::to_string(n) + "]");
  });
  int last = 0;
  for (int reads = 0; reads < 400; ++reads) {
    const int n = number_of(checkpoint::restore(folder.path(), shared_state(0)));
    ASSERT_GE(n, last) << "read " << reads;
    last = n;
    EXPECT_FALSE(checkpoint::steps(folder.path()).empty());
    checkpoint::extra(folder.path());
  }
  EXPECT_GT(last, 0);
}

// hostile-3, C2
TEST(Shared, ManagersOfSeveralProcesses) {
  const Folder folder;
  {
    std::vector<std::unique_ptr<Child>> writers;
    for (int w = 0; w < 4; ++w)
      writers.push_back(std::make_unique<Child>([&, w] {
        checkpoint::Manager manager(folder.path(), {.keep = 2, .asynchronous = w != 1});
        for (int n = 1;; ++n) manager.save(n, shared_state(n, 0));
      }));
    for (int tries = 0; tries < 600 && checkpoint::latest(folder.path()).value_or(0) < 300; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_GE(checkpoint::latest(folder.path()).value_or(0), 10);
  }
  EXPECT_EQ(number_of(checkpoint::restore(folder.path(), shared_state(0, 0))), checkpoint::latest(folder.path()));
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
