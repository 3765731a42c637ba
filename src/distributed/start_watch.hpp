// What is told while this process waits for the others of its job to call distributed::initialize: an MPI starts when
// all have come, and waits without a word.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "run/transport.hpp"

namespace tutti::distributed {

class StartWatch {
 public:
  /// Tells, and ends this process with kWaitLimitCode, as waits for messages do, as long as it lives.
  explicit StartWatch(const run::WaitTimes& times);
  ~StartWatch();
  StartWatch(const StartWatch&) = delete;

 private:
  void watch(const run::WaitTimes& times);

  std::mutex mutex_;
  std::condition_variable ends_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace tutti::distributed

// SPDX-License-Identifier: Apache-2.0
