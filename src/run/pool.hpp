// The worker threads of the process.
#pragma once

#include "tutti/base/threads.hpp"

namespace tutti::run {

/// A function of a task's number; no allocation, unlike std::function.
struct TaskFunction {
  void (*call)(void* context, int task);
  void* context;
};

/// Runs tasks 0..count-1 on the caller and the workers, in any order, and returns when all are done; the first
/// exception is thrown again here. Callers on several threads share the workers; within a task, the thread that runs it
/// does all of them itself. Results must not depend on who runs what.
void run_tasks(int count, TaskFunction f);

/// While one lives, workers wait awake: between the stages of a long run nobody is parked and woken again.
class Awake {
 public:
  Awake();
  ~Awake();
  Awake(const Awake&) = delete;
};

/// Called on every worker when it starts.
void set_thread_start(void (*f)());

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
