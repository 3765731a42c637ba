// The worker threads of the process.
#pragma once

namespace tutti {

/// Threads that runs may use, the caller included; 0: as many as this process has cores. Results do not depend on it.
void set_num_threads(int n);
int num_threads();

namespace run {

/// A function of a task's number; no allocation, unlike std::function.
struct TaskFunction {
  void (*call)(void* context, int task);
  void* context;
};

/// Runs tasks 0..count-1 on the caller and the workers, in any order, and returns when all are done; the first
/// exception is thrown again here. When another thread has the workers, the caller does all of them itself. Results
/// must not depend on who runs what.
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

}  // namespace run
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
