#include "data/prefetch.hpp"

#include "base/settings.hpp"

namespace tutti::data {

Prefetch::Prefetch(Make make, int threads, int ahead) : make_(std::move(make)), ahead_(ahead) {
  threads_.reserve(static_cast<std::size_t>(threads));
  try {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this, own = settings::of_thread] {
        const settings::Handed settings(own);
        work();
      });
  } catch (const std::system_error&) {  // as many as there can be; without one take() makes them
  }
}

Prefetch::~Prefetch() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  room_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Prefetch::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    room_.wait(lock, [&] { return over_ || (on_ && next_ < wanted_ + ahead_); });
    if (over_) return;
    const std::int64_t number = next_++;
    const std::uint64_t beginning = beginning_;
    lock.unlock();
    Result result;
    try {
      result.made = make_(number);
    } catch (...) {
      result.error = std::current_exception();
    }
    lock.lock();
    if (beginning != beginning_) {
      lock.unlock();
      result = {};  // it may be large, and its end take a while
      lock.lock();
      continue;
    }
    ready_.emplace(number, std::move(result));
    done_.notify_all();
  }
}

Prefetch::Made Prefetch::take(std::int64_t number) {
  if (threads_.empty()) return make_(number);
  std::unique_lock lock(mutex_);
  if (!on_ || number != wanted_) {
    ++beginning_;
    ready_.clear();
    wanted_ = next_ = number;
    on_ = true;
    room_.notify_all();
  }
  done_.wait(lock, [&] { return ready_.count(number) > 0; });
  Result result = std::move(ready_.extract(number).mapped());
  if (result.error) {
    on_ = false;
    std::rethrow_exception(result.error);
  }
  ++wanted_;
  room_.notify_one();
  return std::move(result.made);
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
