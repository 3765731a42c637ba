#include "run/pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/processor.hpp"
#include "base/stack.hpp"
#include "run/job.hpp"
#include "run/processors.hpp"
#include "run/timeline.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace run {
namespace {

std::atomic<void (*)()> thread_start{nullptr};

thread_local bool inside_task = false;

struct InsideTask {
  bool before = std::exchange(inside_task, true);
  ~InsideTask() { inside_task = before; }
};

// What a worker has to know of the job that began last, in one word, which changes with each job.
struct Latest {
  std::uint64_t word = 0;
  static Latest after(Latest before, std::uint32_t number, int threads, int callers, int job) {
    return {((before.word >> kFields) + 1) << kFields | std::uint64_t{number} << 20 |
            static_cast<std::uint64_t>(threads) << 10 | static_cast<std::uint64_t>(callers) << 5 |
            static_cast<std::uint64_t>(job)};
  }
  std::uint32_t number() const { return static_cast<std::uint32_t>(word >> 20) % Job::kNumbers; }
  int threads() const { return static_cast<int>(word >> 10 & 1023); }
  int callers() const { return static_cast<int>(word >> 5 & 31); }
  int job() const { return static_cast<int>(word & 31); }

 private:
  static constexpr int kFields = 36;
};

// Jobs of several callers side by side, with threads that live as long as the process.
class Pool {
  static constexpr int kPatience = 128;    // looks at who is done, some 5 us
  static constexpr int kMostCallers = 16;  // at a time; others do their tasks alone

  // One of the callers, each of whom has a job of its own.
  class Caller {
   public:
    explicit Caller(std::atomic<std::uint32_t>& callers) : callers_(callers) {
      std::uint32_t now = callers.load(std::memory_order_relaxed);
      do {
        const std::uint32_t free = ~now & ((std::uint32_t{1} << kMostCallers) - 1);
        bit_ = free & -free;
        count_ = std::popcount(now) + 1;
      } while (bit_ != 0 && !callers.compare_exchange_weak(now, now | bit_, std::memory_order_acq_rel));
    }
    ~Caller() { callers_.fetch_and(~bit_, std::memory_order_release); }
    Caller(const Caller&) = delete;

    bool has_job() const { return bit_ != 0; }
    int job() const { return std::countr_zero(bit_); }
    int count() const { return count_; }  // of all callers, this one included

   private:
    std::atomic<std::uint32_t>& callers_;
    std::uint32_t bit_ = 0;
    int count_ = 0;
  };

 public:
  Pool(int size, int awake, Processors processors, bool pin)
      : processors_(std::move(processors)), pin_(pin), awake_(awake) {
    resize(size);
  }
  // For a child, which has none of the threads, and the old pool's locks as they happened to be.
  Pool* anew() const { return new Pool(size(), awake_.load(std::memory_order_relaxed), processors_, pin_); }

  void awake(int change) {
    const int runs = awake_.fetch_add(change, std::memory_order_seq_cst) + change;
    if (change > 0 && runs < size() && parked_.load(std::memory_order_seq_cst) > 0) wake_all(wake_);
  }

  int size() const { return size_.load(std::memory_order_relaxed); }
  void resize(int n) {
    size_.store(std::min(n, Job::kMostThreads), std::memory_order_seq_cst);
    wake_all(wake_dismissed_);
  }

  void run(int count, TaskFunction f) {
    if (std::min(size(), count) <= 1 || count > Job::kMostTasks || inside_task) return run_alone(count, f);
    const Caller caller(callers_);
    const int share = (size() + caller.count() - 1) / caller.count();  // of all threads
    int threads = caller.has_job() ? std::min(share, count) : 1;
    if (threads > 1) threads = std::min(threads, 1 + start_threads(threads * caller.count() - 1));
    if (threads == 1) return run_alone(count, f);
    Job& job = job_of(caller.job());
    const std::uint32_t g = job.start(threads, count, f);
    Latest before{latest_.load(std::memory_order_relaxed)};
    while (!latest_.compare_exchange_weak(
        before.word, Latest::after(before, g, threads, caller.count(), caller.job()).word, std::memory_order_seq_cst)) {
    }
    if (parked_.load(std::memory_order_seq_cst) > 0) wake_all(wake_);
    {
      const InsideTask inside;
      job.work(g, 0, Job::kFewestLeft);
      for (int spins = 0; !job.is_done(count); ++spins) {
        if (spins % kPatience == kPatience - 1) job.help(g, 0, 1);
        if (spins < 4000)
          processor::relax();
        else
          sched_yield();
      }
    }
    job.finish();
  }

 private:
  static void run_alone(int count, TaskFunction f) {
    for (int i = 0; i < count; ++i) f.call(f.context, i);
  }

  // Made when the first caller needs it; it is this caller's until it leaves.
  Job& job_of(int k) {
    Job* job = jobs_[k].load(std::memory_order_acquire);
    if (!job) jobs_[k].store(job = new Job, std::memory_order_release);
    return *job;
  }

  void wake_all(std::condition_variable& waiting) {
    { std::lock_guard lock(mutex_); }
    waiting.notify_all();
  }

  // How many of n workers there are. Where the system gives no more, that is the size from now on.
  int start_threads(int n) {
    n = std::min(n, size() - 1);
    if (threads_.load(std::memory_order_acquire) >= n) return n;
    std::lock_guard starting(starting_);
    for (int id; (id = threads_.load(std::memory_order_relaxed)) < n; threads_.store(id + 1, std::memory_order_release))
      if (!start_thread([this, id] { loop(id); })) {
        int wanted = size();
        size_.compare_exchange_strong(wanted, id + 1, std::memory_order_relaxed);
        return id;
      }
    return n;
  }

  // `seen`: the number of each caller's job when this worker last looked.
  void look_for_work(int id, Latest latest, std::array<std::uint32_t, kMostCallers>& seen) {
    if (latest.callers() != 1) return share_work(id, seen);
    seen[static_cast<std::size_t>(latest.job())] = latest.number();
    if (id + 1 < latest.threads()) jobs_[latest.job()].load()->work(latest.number(), id + 1, Job::kFewestLeft);
  }

  // Workers are dealt out to callers in turn, so that each caller has its share of them, and the same ones.
  void share_work(int id, std::array<std::uint32_t, kMostCallers>& seen) {
    std::uint32_t callers = callers_.load(std::memory_order_acquire);
    const int count = std::popcount(callers);
    std::array<int, kMostCallers> jobs;
    for (int k = 0; k < count; ++k, callers &= callers - 1)
      jobs[static_cast<std::size_t>(k)] = std::countr_zero(callers);
    for (int k = 0; k < count; ++k) {
      const int which = jobs[static_cast<std::size_t>((id + k) % count)];
      Job* const job = jobs_[which].load(std::memory_order_acquire);
      if (!job) continue;
      const std::uint32_t g = job->number();
      if (std::exchange(seen[static_cast<std::size_t>(which)], g) == g) continue;
      const int mine = k == 0 ? id / count + 1 : job->threads();
      if (mine < job->threads())
        job->work(g, mine, 1);
      else
        job->help(g, mine, 1);
    }
  }

  bool is_dismissed(int id) const { return id + 1 >= size_.load(std::memory_order_seq_cst); }
  // Not if the callers alone keep the cores busy.
  bool stays_awake(int id) const {
    const int runs = awake_.load(std::memory_order_seq_cst);
    return runs > 0 && id + runs < size();
  }

  // Threads that are pinned fill node after node of the memory.
  std::vector<int> processors_of(int thread) const {
    if (pin_) return processors_.node_of(thread).processors;
    std::vector<int> out;
    for (const Processors::Node& node : processors_.nodes)
      out.insert(out.end(), node.processors.begin(), node.processors.end());
    return out;
  }

  void loop(int id) {
    if (auto* f = thread_start.load()) f();
    run_on(processors_of(id + 1));  // also if the thread that started this one is bound to a few of them
    static const auto spin_us = static_cast<long>(environment::number(environment::spin_us, 50));
    const InsideTask inside;
    std::array<std::uint32_t, kMostCallers> seen{};
    std::uint64_t before = 0;
    while (true) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(spin_us);
      Latest latest;
      for (int i = 0; (latest.word = latest_.load(std::memory_order_acquire)) == before; ++i) {
        processor::relax();
        if (i % 64 != 63) continue;
        if (stays_awake(id)) {
          if (i % 4096 == 4095) sched_yield();
        } else if (std::chrono::steady_clock::now() > until) {
          park(id, before);
        }
      }
      before = latest.word;
      if (is_dismissed(id))
        park(id, before);
      else
        look_for_work(id, latest, seen);
    }
  }

  void park(int id, std::uint64_t before) {
    std::unique_lock lock(mutex_);
    wake_dismissed_.wait(lock, [&] { return !is_dismissed(id); });
    parked_.fetch_add(1, std::memory_order_seq_cst);
    wake_.wait(
        lock, [&] { return is_dismissed(id) || latest_.load(std::memory_order_seq_cst) != before || stays_awake(id); });
    parked_.fetch_sub(1, std::memory_order_seq_cst);
  }

  const Processors processors_;
  const bool pin_;
  std::mutex starting_, mutex_;
  std::condition_variable wake_, wake_dismissed_;
  std::atomic<int> threads_{0};  // started
  std::array<std::atomic<Job*>, kMostCallers> jobs_{};
  alignas(64) std::atomic<std::uint32_t> callers_{0};  // a bit for each
  alignas(64) std::atomic<std::uint64_t> latest_{0};   // Latest
  std::atomic<int> size_{1}, awake_, parked_{0};
};

// Never destroyed: workers may look at it until the process ends.
std::atomic<Pool*> current{nullptr};

Pool& pool() {
  static const bool made = [] {
    current.store(new Pool(default_num_threads(), 0, read_processors(affinity_mask()),
                           environment::value(environment::pin) == "1"));
    return pthread_atfork(nullptr, nullptr, [] { current.store(current.load()->anew()); }) == 0;
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

void set_num_threads(int n, Loc loc) {
  CallScope scope(loc, Loc{"", "set_num_threads"});
  if (n < 1)
    raise<ValueError>("set_num_threads", std::to_string(n) + " threads cannot run anything",
                      "Give 1 or more, or default_num_threads().");
  run::pool().resize(n);
}
int num_threads() { return run::pool().size(); }
int default_num_threads() {
  const int wanted = static_cast<int>(environment::number(environment::num_threads, 0));
  return wanted > 0 ? wanted : run::read_processors(run::affinity_mask()).threads();
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
