#include "io/pieces.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tutti::io::detail {

void for_pieces(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  auto run = [&] {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < count;) work(i);
    } catch (...) {
      next.store(count);
      std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  // Threads of their own: they wait for a disk, and those of the library compute.
  const std::size_t most = std::min<std::size_t>(4, std::max(1u, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < std::min(most, count)) others.emplace_back(run);
    } catch (const std::system_error&) {  // no more threads: those that are there do it
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
