// Things that happen later: on a stream, in order.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>

namespace tutti {

/// Something that is done once, well or with an exception.
/// Threads: safe to call from several at once.
class Event {
 public:
  Event();
  bool done() const { return done_.load(std::memory_order_acquire); }
  void finish(std::exception_ptr error = nullptr);
  /// Waits; rethrows what went wrong, to everybody. Error in a child of fork() of a process in which it was not done.
  void wait();

 private:
  std::atomic<bool> done_{false};
  pid_t process_;
  std::exception_ptr error_;  // set before done_
  std::mutex mutex_;
  std::condition_variable finished_;
};

/// Does what it is given one after the other, on a thread of its own, which lasts as long as the process; where there
/// is no thread to be had, on the threads that give it. A fork() waits until nothing is waiting, so that a child has no
/// lock that this thread held.
/// Threads: safe to call from several at once.
class Stream {
 public:
  Stream();
  /// `work` (no exceptions) is done after all that was added before. Waits while very much is waiting. On the stream's
  /// own thread it is done at once.
  void add(std::function<void()> work);
  /// Until all that other threads added so far is done; nothing on the stream's own thread.
  void synchronize();
  /// Whether this process made it: a child of fork() has no thread of it.
  bool is_of_this_process() const;

 private:
  bool is_here() const;
  void serve();
  static void before_fork();
  static void after_fork();

  pid_t process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool busy_ = false;
  bool has_thread_ = true;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
