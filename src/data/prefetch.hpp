// Numbered things that threads make ahead of whoever takes them, in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tutti::data {

class Prefetch {
 public:
  using Made = std::shared_ptr<void>;
  using Make = std::function<Made(std::int64_t number)>;

  /// At most `ahead` (1 or more) are made or ready before they are taken.
  Prefetch(Make make, int threads, int ahead);
  /// Waits for those that are being made.
  ~Prefetch();
  Prefetch(const Prefetch&) = delete;

  /// Thing `number`, made when it is there; what its making threw is thrown here. After that, and where `number` is not
  /// the one after the last, making begins anew with it.
  Made take(std::int64_t number);

 private:
  struct Result {
    Made made;
    std::exception_ptr error;
  };
  void work();

  const Make make_;
  const int ahead_;
  std::mutex mutex_;
  std::condition_variable room_, done_;
  std::map<std::int64_t, Result> ready_;
  std::int64_t wanted_ = 0, next_ = 0;  // the next to be taken, and to be made
  std::uint64_t beginning_ = 0;         // what was begun before it is thrown away
  bool on_ = false, over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
