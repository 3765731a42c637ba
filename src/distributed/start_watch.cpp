#include "distributed/start_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/say.hpp"

namespace tutti::distributed {
namespace {
std::string whole(double seconds) { return std::to_string(std::lround(seconds)); }
}  // namespace

StartWatch::StartWatch(const run::WaitTimes& times) {
  if (times.told_after <= 0 && times.limit <= 0) return;
  try {
    thread_ = std::thread([this, times] { watch(times); });
  } catch (const std::system_error&) {  // no thread to be had: nothing is told
  }
}

StartWatch::~StartWatch() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  ends_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StartWatch::watch(const run::WaitTimes& times) {
  constexpr double never = 1e9;  // s
  double told = times.told_after > 0 ? times.told_after : never;
  const double limit = times.limit > 0 ? times.limit : never;
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  for (;;) {
    const std::chrono::duration<double> next(std::min(told, limit));
    const auto at = start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(next);
    if (ends_.wait_until(lock, at, [&] { return over_; })) return;
    if (limit <= told) {
      say(Message::Kind::warning, "tutti: a process has waited " + whole(limit) +
                                      " s, the wait limit, in distributed::initialize for others to call it\ntutti: "
                                      "the job ends with " +
                                      std::to_string(run::kWaitLimitCode) + "\n");
      std::_Exit(run::kWaitLimitCode);
    }
    say(Message::Kind::warning,
        "tutti: a process has waited " + whole(told) + " s in distributed::initialize for others to call it\n");
    told *= 2;
  }
}

}  // namespace tutti::distributed

// SPDX-License-Identifier: Apache-2.0
