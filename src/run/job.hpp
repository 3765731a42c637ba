// Tasks that several threads do together: who does which.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "base/sanitizer_notes.hpp"
#include "run/pool.hpp"

namespace tutti::run {

/// One job after the other, of one caller. Each thread of a job has a part of its tasks, neighbours of each other, and
/// takes some of them at a time from the front; who has none left takes from the back of others' parts. So who did some
/// tasks of a job does those of the next one like it, on what its cache still holds. A part is one word, so that a late
/// worker cannot take a task of a job that it did not see.
class Job {
 public:
  static constexpr int kMostThreads = 512;
  static constexpr int kMostTasks = (1 << 24) - 1;
  static constexpr std::uint32_t kNumbers = 1 << 16;  // of jobs, modulo
  // Where one task is left its thread will come to it, with what it needs in its cache. Only who waits long takes it: a
  // thread that was parked takes some 10 us to begin.
  static constexpr std::int64_t kFewestLeft = 2;

  /// The next one: its number. Of the one before nothing is left that a late worker could take.
  std::uint32_t start(int threads, int count, TaskFunction f) {
    const std::uint32_t g = (number() + 1) % kNumbers;
    f_ = f;
    threads_.store(threads, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    happens_before(&parts_);
    for (int p = 0; p < threads; ++p)
      parts_[p].word.store(word_of(g, std::int64_t{count} * p / threads, std::int64_t{count} * (p + 1) / threads),
                           std::memory_order_release);
    number_.store(g, std::memory_order_release);
    return g;
  }

  std::uint32_t number() const { return number_.load(std::memory_order_acquire); }
  int threads() const { return threads_.load(std::memory_order_relaxed); }
  bool is_done(int count) const { return done_.load(std::memory_order_acquire) == count; }

  /// After the last task: the first exception is thrown again.
  void finish() {
    happens_after(&done_);
    if (failed_.load()) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  /// The part `mine`, then of others' parts what `help` takes.
  void work(std::uint32_t g, int mine, std::int64_t fewest) {
    while (take(g, mine, true)) {
    }
    help(g, mine, fewest);
  }

  /// Takes tasks of parts that have as many left.
  void help(std::uint32_t g, int mine, std::int64_t fewest) {
    const int n = threads();
    for (int k = mine < n ? 1 : 0; k < n; ++k)
      while (take(g, (mine + k) % n, false, fewest)) {
      }
  }

 private:
  // number << 48 | end << 24 | first, of the tasks that are left
  static constexpr int kBits = 24;
  static constexpr std::int64_t kPieces = 4;  // of what is left of a part, one is taken at a time
  struct alignas(64) Part {
    std::atomic<std::uint64_t> word{0};
  };
  static std::uint64_t word_of(std::uint32_t number, std::int64_t first, std::int64_t end) {
    return std::uint64_t{number} << (2 * kBits) | static_cast<std::uint64_t>(end) << kBits |
           static_cast<std::uint64_t>(first);
  }

  // Takes tasks of a part; whether there were any.
  bool take(std::uint32_t g, int part, bool own, std::int64_t fewest = 1) {
    std::atomic<std::uint64_t>& word = parts_[part].word;
    std::uint64_t w = word.load(std::memory_order_acquire);
    std::int64_t first, n;
    std::uint64_t left;
    do {
      if (w >> (2 * kBits) != g) return false;
      const auto begin = static_cast<std::int64_t>(w & kMostTasks),
                 end = static_cast<std::int64_t>((w >> kBits) & kMostTasks);
      if (end - begin < fewest) return false;
      n = std::max<std::int64_t>(1, (end - begin) / kPieces);
      first = own ? begin : end - n;
      left = own ? word_of(g, begin + n, end) : word_of(g, begin, end - n);
    } while (!word.compare_exchange_weak(w, left, std::memory_order_acq_rel));
    happens_after(&parts_);
    for (std::int64_t i = first; i < first + n; ++i) {
      try {
        if (!failed_.load(std::memory_order_relaxed)) f_.call(f_.context, static_cast<int>(i));
      } catch (...) {
        std::lock_guard lock(mutex_);
        if (!failed_.exchange(true)) error_ = std::current_exception();
      }
    }
    happens_before(&done_);
    done_.fetch_add(static_cast<int>(n), std::memory_order_acq_rel);
    return true;
  }

  std::atomic<std::uint32_t> number_{0};
  std::mutex mutex_;
  // Workers read and write these, and their part: two lines of the cache that have to come from the caller's core.
  alignas(64) std::atomic<int> done_{0};
  std::atomic<int> threads_{0};
  std::atomic<bool> failed_{false};
  TaskFunction f_{};
  std::exception_ptr error_;
  Part parts_[kMostThreads];
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
