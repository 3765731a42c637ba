// Work that a kernel hands to the workers of the process, from rooms below the one that has them (run/pool.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace tutti {

/// Runs tasks 0..count-1 in any order and returns when all are done; the first exception comes out here.
using TaskRunner = void (*)(int count, void (*call)(void* context, int task), void* context);
/// The workers, once `api` has them; before, and in tools without them, callers do their tasks themselves.
constinit inline std::atomic<TaskRunner> task_runner = nullptr;

/// Calls f(begin, end) for pieces of 0..count-1, on the workers where the work is worth waking them: `each_ns` is what
/// one of them takes, about. How it is cut depends on these two alone.
template <class F> void in_pieces(std::int64_t count, double each_ns, F&& f) {
  constexpr double kPiece = 12e3;  // ns
  constexpr std::int64_t kMost = 256;
  const auto pieces = std::clamp(static_cast<std::int64_t>(static_cast<double>(count) * each_ns / kPiece),
                                 std::int64_t{1}, std::max<std::int64_t>(1, std::min(count, kMost)));
  const TaskRunner run = task_runner.load(std::memory_order_acquire);
  if (pieces == 1 || !run) return f(std::int64_t{0}, count);
  struct Context {
    std::remove_reference_t<F>* f;
    std::int64_t count, pieces;
  } context{&f, count, pieces};
  run(
      static_cast<int>(pieces),
      [](void* c, int task) {
        const Context& x = *static_cast<Context*>(c);
        (*x.f)(x.count * task / x.pieces, x.count * (task + 1) / x.pieces);
      },
      &context);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
