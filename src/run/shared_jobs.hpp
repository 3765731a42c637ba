// Jobs whose steps several threads share: where there are fewer jobs than threads, those without one help others.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "run/pool.hpp"

namespace tutti::run {

/// As many threads do better alone with what lies in their caches; more share steps, in finer parts.
constexpr int kFewThreads = 4;

class SharedJobs {
 public:
  /// A job as its own thread sees it.
  class Job {
   public:
    /// Calls f for parts 0..parts-1, on this thread and those that help; returns when all are done. Results must not
    /// depend on who does which part.
    void share(int parts, TaskFunction f);

   private:
    friend class SharedJobs;
    // step (modulo 2^24) << 40 | parts << 20 | the next one that nobody has taken
    static constexpr int kBits = 20;
    static constexpr std::uint64_t kMost = (std::uint64_t{1} << kBits) - 1;

    bool take();  // runs a part of the present step; whether there was one
    void end();   // closes the present step
    void run_part(int part);

    alignas(64) std::atomic<std::uint64_t> word_{0};
    alignas(64) std::atomic<int> done_{0};
    std::atomic<bool> begun_{false}, failed_{false};
    TaskFunction f_{};
    std::exception_ptr error_;
    SharedJobs* jobs_ = nullptr;
    int number_ = 0;
  };

  /// What one job is: called once for each number, on any thread.
  struct JobFunction {
    void (*call)(void* context, int number, Job& job);
    void* context;
  };

  explicit SharedJobs(int count);
  /// All of them, on all threads of the pool; the first exception is thrown again here.
  void run(JobFunction f);

 private:
  void member(int number, int members);
  void own(int number);
  void help(int first);

  const int count_;
  std::unique_ptr<Job[]> jobs_;
  JobFunction f_{};
  alignas(64) std::atomic<int> idle_{0};  // threads that look for something to help with
  alignas(64) std::atomic<int> ended_{0};
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
