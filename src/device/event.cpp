#include "device/event.hpp"

#include <pthread.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostWaiting = 256;

thread_local const Stream* own_stream = nullptr;
std::atomic<Stream*> newest = nullptr;        // that a fork waits for
thread_local Stream* held_by_fork = nullptr;  // by this thread, which forks

}  // namespace

Event::Event() : process_(getpid()) {}

void Event::finish(std::exception_ptr error) {
  error_ = std::move(error);
  {
    std::lock_guard lock(mutex_);
    done_.store(true, std::memory_order_release);
  }
  finished_.notify_all();
}

void Event::wait() {
  if (!done()) {
    if (process_ != getpid())
      raise<Error>(call_name("read"), "the value was still being computed when this process was forked, by its parent",
                   "Call block_until_ready() before fork().");
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return done(); });
  }
  if (error_) std::rethrow_exception(error_);
}

Stream::Stream() : process_(getpid()) {
  static const int registered = pthread_atfork(before_fork, after_fork, after_fork);
  if (registered != 0) throw std::bad_alloc();
  try {
    std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {
    has_thread_ = false;
  }
  newest = this;
}

void Stream::before_fork() {
  Stream* const stream = newest;
  if (!stream || !stream->is_of_this_process() || stream->is_here()) return;
  std::unique_lock lock(stream->mutex_);
  stream->changed_.wait(lock, [&] { return stream->waiting_.empty() && !stream->busy_; });
  lock.release();
  held_by_fork = stream;
}
void Stream::after_fork() {
  if (Stream* const stream = std::exchange(held_by_fork, nullptr)) stream->mutex_.unlock();
}

bool Stream::is_here() const { return own_stream == this; }
bool Stream::is_of_this_process() const { return process_ == getpid(); }

void Stream::serve() {
  own_stream = this;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !waiting_.empty(); });
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void Stream::add(std::function<void()> work) {
  if (is_here() || !has_thread_) return work();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kMostWaiting; });
    waiting_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void Stream::synchronize() {
  if (is_here()) return;
  const auto last = std::make_shared<Event>();
  add([last] { last->finish(); });
  last->wait();
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
