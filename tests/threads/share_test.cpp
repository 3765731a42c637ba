// The number of threads, and callers who share them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "run/pool.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

struct Threads {
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(default_num_threads()); }
  Threads(const Threads&) = delete;
};

// Stages of many tasks, loops, products and sums.
Array step_of(const Array& w, const Array& x) {
  auto loss = [&](const Array& w) {
    const Array h = tanh(matmul(x, w));
    const Array y = lax::fori_loop(
        0, 3, [](const Array&, const Array& y) { return sin(y) * 0.5 + y; }, h);
    return square(y).sum() + nn::logsumexp(h, -1).sum();
  };
  return w - 1e-3 * grad(loss)(w);
}

bool bits_equal(const Array& x, const Array& y) { return bool(array_equal(x, y)); }

}  // namespace

TEST(num_threads, errors_and_default) {
  const int before = num_threads();
  for (const int n : {0, -1, -1000000}) {
    try {
      set_num_threads(n);
      FAIL() << n;
    } catch (const ValueError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("set_num_threads: " + std::to_string(n) + " threads"), std::string::npos) << text;
      EXPECT_NE(text.find("share_test.cpp"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(num_threads(), before);
  EXPECT_GE(default_num_threads(), 1);
  {
    const Threads many(1 << 30);
    EXPECT_EQ(num_threads(), 512);
  }
  EXPECT_EQ(num_threads(), default_num_threads());
}

TEST(num_threads, grows_and_shrinks_with_equal_bits) {
  const Array w = random::normal(random::key(1), {256, 192}), x = random::normal(random::key(2), {512, 256});
  auto step = jit(step_of);
  const Threads one(1);
  const Array wanted = step(w, x);
  for (const int n : {2, 7, 16, 3, 1, 5, 40, 2}) {
    set_num_threads(n);
    EXPECT_EQ(num_threads(), n);
    for (int round = 0; round < 3; ++round) EXPECT_TRUE(bits_equal(step(w, x), wanted)) << n;
  }
}

TEST(num_threads, may_be_set_while_others_run) {
  const Threads some(3);
  const Array w = random::normal(random::key(1), {128, 128}), x = random::normal(random::key(2), {512, 128});
  auto step = jit(step_of);
  const Array wanted = step(w, x);
  std::atomic<bool> stop = false;
  std::thread other([&] {
    for (int n = 1; !stop; n = n % 6 + 1) {
      set_num_threads(n);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  for (int round = 0; round < 200; ++round) EXPECT_TRUE(bits_equal(step(w, x), wanted));
  stop = true;
  other.join();
}

// Memory of large arrays is first written by workers, whatever it is copied or converted from.
TEST(num_threads, large_arrays_from_the_host) {
  const Threads three(3);
  const int n = (1 << 20) + 7;
  std::vector<double> wide(static_cast<std::size_t>(n));
  std::iota(wide.begin(), wide.end(), -1000.0);
  const Array x = array(wide);
  ASSERT_EQ(x.dtype(), float32);
  const std::span<const float> got = host_data<float>(x);
  for (int i = 0; i < n; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], static_cast<float>(i - 1000)) << i;
}

// Four callers for as long as it takes all of them together to do a number of steps.
TEST(callers, none_starves) {
  for (const int size : {2, 3, 8}) {
    const Threads threads(size);
    constexpr int kCallers = 4, kSteps = 400;
    auto step = jit(step_of);
    const Array x = random::normal(random::key(2), {256, 128});
    std::vector<Array> starts, wanted;
    for (int c = 0; c < kCallers; ++c) {
      starts.push_back(random::normal(random::key(static_cast<std::uint64_t>(c)), {128, 96 + 16 * c}));
      wanted.push_back(step(starts.back(), x));
    }
    std::atomic<int> all = 0;
    std::vector<int> steps(kCallers), wrong(kCallers);
    std::vector<std::thread> callers;
    for (std::size_t c = 0; c < kCallers; ++c)
      callers.emplace_back([&, c] {
        while (all.load() < kSteps) {
          wrong[c] += !bits_equal(step(starts[c], x), wanted[c]);
          ++steps[c];
          ++all;
        }
      });
    for (std::thread& t : callers) t.join();
    const int total = std::accumulate(steps.begin(), steps.end(), 0);
    for (std::size_t c = 0; c < kCallers; ++c) {
      EXPECT_EQ(wrong[c], 0);
      EXPECT_GE(steps[c], total / 8) << "caller " << c << " of " << total << " steps, " << size << " threads";
    }
  }
}

// More callers than jobs that the workers look at, tasks that call again, and errors among them.
TEST(callers, many_with_tasks_within_tasks) {
  const Threads threads(4);
  constexpr int kCallers = 24, kRounds = 60, kTasks = 13;
  std::vector<int> wrong(kCallers);
  std::vector<std::thread> callers;
  for (std::size_t c = 0; c < kCallers; ++c)
    callers.emplace_back([&wrong, c] {
      for (int round = 0; round < kRounds; ++round) {
        std::atomic<int> sum = 0;
        run::run_tasks(kTasks, {[](void* s, int i) {
                                  run::run_tasks(i, {[](void* s, int) { ++*static_cast<std::atomic<int>*>(s); }, s});
                                },
                                &sum});
        wrong[c] += sum != kTasks * (kTasks - 1) / 2;
        bool thrown = false;
        try {
          run::run_tasks(kTasks, {[](void*, int i) {
                                    if (i == 7) throw std::runtime_error("seven");
                                  },
                                  nullptr});
        } catch (const std::runtime_error&) {
          thrown = true;
        }
        wrong[c] += !thrown;
      }
    });
  for (std::thread& t : callers) t.join();
  for (const int w : wrong) EXPECT_EQ(w, 0);
}

// Two callers whose tasks wait for each other's: both jobs go on at once.
TEST(callers, jobs_go_on_side_by_side) {
  const Threads threads(4);
  std::atomic<int> here[2] = {0, 0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 2; ++c)
    callers.emplace_back([&here, c] {
      struct Context {
        std::atomic<int>& mine;
        std::atomic<int>& other;
      } context{here[c], here[1 - c]};
      run::run_tasks(2, {[](void* p, int) {
                           const Context& x = *static_cast<Context*>(p);
                           ++x.mine;
                           while (x.other == 0) std::this_thread::yield();
                         },
                         &context});
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(here[0] + here[1], 4);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
