#include "run/pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/environment.hpp"
#include "base/sanitizer_notes.hpp"
#include "base/stack.hpp"
#include "run/timeline.hpp"

namespace tutti {
namespace run {
namespace {

std::atomic<void (*)()> thread_start{nullptr};

// Tells the processor that this thread spins.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// One job at a time. Its threads live as long as the process. Each thread has a part of a job's tasks, neighbours of
// each other, and takes some of them at a time from the front; who has none left takes from the back of others' parts.
// So who did some tasks of a job does those of the next one like it, on what its cache still holds. A part is one word,
// so that a late worker cannot take a task of a job that it did not see.
class Pool {
  // generation (modulo 2^16) << 48 | end << 24 | first, of the tasks that are left
  static constexpr int kBits = 24;
  static constexpr std::uint64_t kTaken = (std::uint64_t{1} << kBits) - 1;
  static constexpr std::int64_t kPieces = 4;  // of what is left of a part, one is taken at a time
  // Where one task is left its thread will come to it, with what it needs in its cache. Only who waits long takes it: a
  // thread that was parked takes some 10 us to begin.
  static constexpr std::int64_t kFewestLeft = 2;
  static constexpr int kPatience = 128;  // looks at who is done, some 5 us
  static constexpr int kMostThreads = 512;
  struct alignas(64) Part {
    std::atomic<std::uint64_t> word{0};
  };
  static std::uint64_t word_of(std::uint32_t generation, std::int64_t first, std::int64_t end) {
    return std::uint64_t{generation & 0xffff} << (2 * kBits) | static_cast<std::uint64_t>(end) << kBits |
           static_cast<std::uint64_t>(first);
  }

 public:
  Pool(int size, int awake) : wanted_(size), awake_(awake) {}

  void awake(int change) {
    awake_.fetch_add(change, std::memory_order_seq_cst);
    if (change > 0 && parked_.load(std::memory_order_seq_cst) > 0) {
      { std::lock_guard lock(mutex_); }
      wake_.notify_all();
    }
  }

  int awake() const { return awake_.load(std::memory_order_relaxed); }
  int size() const { return wanted_.load(std::memory_order_relaxed); }
  void resize(int n) { wanted_.store(n, std::memory_order_relaxed); }

  void run(int count, TaskFunction f) {
    int helpers = std::min({size(), count, kMostThreads}) - 1;
    std::unique_lock owner(owner_, std::defer_lock);
    const bool alone = helpers <= 0 || count > static_cast<int>(kTaken) || !owner.try_lock();
    if (!alone) helpers = start_threads(helpers);
    if (alone || helpers == 0) {
      for (int i = 0; i < count; ++i) f.call(f.context, i);
      return;
    }
    const std::uint32_t g = generation_.load(std::memory_order_relaxed) + 1;
    const int threads = helpers + 1;
    f_ = f;  // of the old job nothing is left that a late worker could take
    threads_of_job_.store(threads, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    happens_before(&parts_);
    for (int p = 0; p < threads; ++p)
      parts_[p].word.store(word_of(g, std::int64_t{count} * p / threads, std::int64_t{count} * (p + 1) / threads),
                           std::memory_order_release);
    generation_.store(g, std::memory_order_seq_cst);
    if (parked_.load(std::memory_order_seq_cst) > 0) {
      { std::lock_guard lock(mutex_); }
      wake_.notify_all();
    }
    work(g, 0);
    for (int spins = 0; done_.load(std::memory_order_acquire) != count; ++spins) {
      if (spins % kPatience == kPatience - 1) help(g, 0, 1);
      if (spins < 4000)
        relax();
      else
        sched_yield();
    }
    happens_after(&done_);
    if (failed_.load()) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  // Takes tasks of a part; whether there were any.
  bool take(std::uint32_t g, int part, bool own, std::int64_t fewest = 1) {
    std::atomic<std::uint64_t>& word = parts_[part].word;
    std::uint64_t w = word.load(std::memory_order_acquire);
    std::int64_t first, n;
    std::uint64_t left;
    do {
      if (w >> (2 * kBits) != (g & 0xffff)) return false;
      const auto begin = static_cast<std::int64_t>(w & kTaken), end = static_cast<std::int64_t>((w >> kBits) & kTaken);
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

  void work(std::uint32_t g, int mine) {
    while (take(g, mine, true)) {
    }
    help(g, mine, kFewestLeft);
  }
  // Takes tasks of others' parts that have as many left.
  void help(std::uint32_t g, int mine, std::int64_t fewest) {
    const int threads = threads_of_job_.load(std::memory_order_relaxed);
    for (int k = 1; k < threads; ++k)
      while (take(g, (mine + k) % threads, false, fewest)) {
      }
  }

  // How many of n threads there are. Where the system gives no more, that is the size from now on.
  int start_threads(int n) {
    for (; threads_ < n; ++threads_)
      if (!start_thread([this, id = threads_] { loop(id); })) {
        int wanted = size();
        wanted_.compare_exchange_strong(wanted, threads_ + 1, std::memory_order_relaxed);
        return threads_;
      }
    return n;
  }

  void loop(int id) {
    if (auto* f = thread_start.load()) f();
    static const auto spin_us = static_cast<long>(environment::number(environment::spin_us, 50));
    std::uint32_t seen = 0;
    while (true) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(spin_us);
      std::uint32_t g;
      for (int i = 0; (g = generation_.load(std::memory_order_acquire)) == seen; ++i) {
        relax();
        if (i % 64 != 63) continue;
        if (awake_.load(std::memory_order_relaxed) > 0) {
          if (i % 4096 == 4095) sched_yield();
        } else if (std::chrono::steady_clock::now() > until) {
          std::unique_lock lock(mutex_);
          parked_.fetch_add(1, std::memory_order_seq_cst);
          wake_.wait(lock, [&] {
            return generation_.load(std::memory_order_seq_cst) != seen || awake_.load(std::memory_order_seq_cst) > 0;
          });
          parked_.fetch_sub(1, std::memory_order_seq_cst);
        }
      }
      seen = g;
      if (id + 1 < threads_of_job_.load(std::memory_order_relaxed)) work(g, id + 1);
    }
  }

  std::mutex owner_, mutex_;
  std::condition_variable wake_;
  int threads_ = 0;  // started, by who has owner_
  std::atomic<int> wanted_, awake_, parked_{0}, threads_of_job_{0};
  std::atomic<std::uint32_t> generation_{0};
  Part parts_[kMostThreads];
  alignas(64) std::atomic<int> done_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
  TaskFunction f_{};
};

int cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::max(1, CPU_COUNT(&set));
}

// Never destroyed: workers may look at it until the process ends.
std::atomic<Pool*> current{nullptr};

// A child has none of the threads, and the old pool's locks as they happened to be.
void after_fork() {
  const Pool* before = current.load();
  current.store(new Pool(before->size(), before->awake()));
}

Pool& pool() {
  static const bool made = [] {
    const int wanted = static_cast<int>(environment::number(environment::num_threads, 0));
    current.store(new Pool(wanted > 0 ? wanted : cores(), 0));
    return pthread_atfork(nullptr, nullptr, after_fork) == 0;
  }();
  (void)made;
  return *current.load(std::memory_order_acquire);
}

}  // namespace

Awake::Awake() { pool().awake(1); }
Awake::~Awake() { pool().awake(-1); }
void run_tasks(int count, TaskFunction f) {
  if (Timeline* timeline = Timeline::here()) return timeline->run(count, f);
  pool().run(count, f);
}
void set_thread_start(void (*f)()) { thread_start.store(f); }

}  // namespace run

void set_num_threads(int n) { run::pool().resize(n > 0 ? n : run::cores()); }
int num_threads() { return run::pool().size(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
