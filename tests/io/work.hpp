// How work grows with the number of things: counts of allocations, and the processor's time.
#pragma once

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

namespace tutti::test {

/// Calls of operator new of this program so far, and the bytes that they asked for.
struct Allocations {
  std::uint64_t count = 0, bytes = 0;
};
Allocations allocations();

inline double processor_seconds(const std::function<void()>& run) {
  const auto now = [] {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  run();
  return now() - start;
}

/// `make(n)` prepares work on n things and returns what does it. Twice as many things are at most 2.3 times as many
/// allocations and bytes; and since not all work allocates, 8 times as many are less than 8 * 2.3 times the time, where
/// quadratic work would be 64 times.
inline void expect_linear(const std::string& work, const std::function<std::function<void()>(int)>& make, int n = 512) {
  const auto counted = [&](int size) {
    const std::function<void()> run = make(size);
    run();  // what is made once only
    const Allocations before = allocations();
    run();
    const Allocations after = allocations();
    return Allocations{after.count - before.count, after.bytes - before.bytes};
  };
  const Allocations once = counted(n), twice = counted(2 * n);
  EXPECT_LE(static_cast<double>(twice.count), 2.3 * static_cast<double>(once.count) + 100) << work;
  EXPECT_LE(static_cast<double>(twice.bytes), 2.3 * static_cast<double>(once.bytes) + 10000) << work;
  const auto timed = [&](int size) {
    const std::function<void()> run = make(size);
    double best = processor_seconds(run);
    for (int again = 0; again < 2; ++again) best = std::min(best, processor_seconds(run));
    return best;
  };
  const double few = timed(4 * n), many = timed(32 * n);
  EXPECT_LT(many, 8 * 2.3 * few + 0.05) << work << ": " << few << " s for " << 4 * n << ", " << many << " s for "
                                        << 32 * n;
  ::testing::Test::RecordProperty(work, std::to_string(many));
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
