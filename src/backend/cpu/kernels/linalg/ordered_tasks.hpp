// Tasks of which some wait for others that come before them in order: workers take the next one, whatever it is, so
// that the first unfinished task never waits, and nobody waits long.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/processor.hpp"
#include "base/tasks.hpp"

namespace tutti::kernels {

/// Whether so much work on one matrix is worth workers, who meet several times on the way.
inline bool worth_workers(double flops) { return flops > 2e5; }  // 20 us, about

/// Calls f(k) for k < count, begun in this order, on the workers or by the caller alone.
template <class F> void in_order(int count, bool on_workers, F&& f) {
  constexpr int kHelpers = 32;
  constexpr double kLong = 1e6;  // ns: all are asked
  std::atomic<int> next = 0;
  auto take = [&](std::int64_t, std::int64_t) {
    for (int k; (k = next.fetch_add(1, std::memory_order_relaxed)) < count;) f(k);
  };
  if (on_workers && count > 1)
    in_pieces(std::min(count, kHelpers), kLong, take);
  else
    take(0, 1);
}

/// How far each of several parts of the work has come.
class Progress {
 public:
  explicit Progress(int parts) : at_(std::make_unique<Part[]>(static_cast<std::size_t>(parts))) {}
  /// Part `i` has done `steps` of its steps.
  void reach(int i, int steps) { at_[static_cast<std::size_t>(i)].steps.store(steps, std::memory_order_release); }
  void wait(int i, int steps) const {
    const auto& part = at_[static_cast<std::size_t>(i)].steps;
    for (int spins = 0; part.load(std::memory_order_acquire) < steps; ++spins) {
      if (spins < 4000)
        processor::relax();
      else
        sched_yield();
    }
  }

 private:
  struct alignas(64) Part {
    std::atomic<int> steps = 0;
  };
  std::unique_ptr<Part[]> at_;
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
