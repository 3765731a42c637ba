// No thread waits for one that has not begun: who owns a job does all of its parts where nobody helps, and who helps
// waits only for jobs whose owners run.
#include "run/shared_jobs.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/processor.hpp"
#include "base/sanitizer_notes.hpp"
#include "run/timeline.hpp"

namespace tutti::run {
namespace {

constexpr int kSpins = 400;  // some 10 us, until a thread that waits lets others run

// One look at what another thread does.
class Wait {
 public:
  void operator()() {
    if (++spins_ > kSpins) {
      sched_yield();
      return;
    }
    processor::relax();
  }

 private:
  int spins_ = 0;
};

}  // namespace

void SharedJobs::Job::run_part(int part) {
  try {
    if (!failed_.load(std::memory_order_relaxed)) f_.call(f_.context, part);
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
  happens_before(&done_);
  done_.fetch_add(1, std::memory_order_acq_rel);
}

bool SharedJobs::Job::take() {
  std::uint64_t w = word_.load(std::memory_order_acquire);
  do
    if ((w & kMost) >= ((w >> kBits) & kMost)) return false;
  while (!word_.compare_exchange_weak(w, w + 1, std::memory_order_acq_rel));
  happens_after(&word_);
  run_part(static_cast<int>(w & kMost));
  return true;
}

void SharedJobs::Job::share(int parts, TaskFunction f) {
  if (Timeline* timeline = Timeline::here()) return timeline->run_part_of_job(number_, parts, f);
  if (parts <= 1 || parts > static_cast<int>(kMost) || jobs_->idle_.load(std::memory_order_relaxed) == 0) {
    for (int i = 0; i < parts; ++i) f.call(f.context, i);
    return;
  }
  f_ = f;  // the step before is over: nobody reads it
  done_.store(0, std::memory_order_relaxed);
  const std::uint64_t step = (word_.load(std::memory_order_relaxed) >> (2 * kBits)) + 1;
  happens_before(&word_);
  word_.store(step << (2 * kBits) | static_cast<std::uint64_t>(parts) << kBits, std::memory_order_release);
  while (take()) {
  }
  for (Wait wait; done_.load(std::memory_order_acquire) != parts;) wait();
  happens_after(&done_);
  if (failed_.load()) std::rethrow_exception(std::exchange(error_, nullptr));
}

SharedJobs::SharedJobs(int count) : count_(count), jobs_(new Job[static_cast<std::size_t>(count)]) {
  for (int i = 0; i < count; ++i) {
    jobs_[i].jobs_ = this;
    jobs_[i].number_ = i;
  }
}

void SharedJobs::run(JobFunction f) {
  f_ = f;
  if (Timeline* timeline = Timeline::here()) {
    timeline->begin_jobs();
    for (int i = 0; i < count_; ++i) f_.call(f_.context, i, jobs_[i]);
    return timeline->end_jobs();
  }
  struct Context {
    SharedJobs* self;
    int members;
  } context{this, num_threads()};
  run_tasks(context.members, {[](void* c, int number) {
                                const Context& x = *static_cast<Context*>(c);
                                x.self->member(number, x.members);
                              },
                              &context});
}

// First the jobs that a thread with this number did the last time, then those that nobody has begun, then parts of
// others'.
void SharedJobs::member(int number, int members) {
  const int first = static_cast<int>(std::int64_t{count_} * number / members);
  for (int k = 0; k < count_; ++k) own((first + k) % count_);
  idle_.fetch_add(1, std::memory_order_relaxed);
  help(first);
  idle_.fetch_sub(1, std::memory_order_relaxed);
}

void SharedJobs::own(int number) {
  if (jobs_[number].begun_.load(std::memory_order_relaxed) || jobs_[number].begun_.exchange(true)) return;
  struct Ended {
    std::atomic<int>& count;
    explicit Ended(std::atomic<int>& c) : count(c) {}
    ~Ended() { count.fetch_add(1, std::memory_order_acq_rel); }
    Ended(const Ended&) = delete;
  } ended(ended_);
  f_.call(f_.context, number, jobs_[number]);
}

void SharedJobs::help(int first) {
  for (Wait wait; ended_.load(std::memory_order_acquire) < count_; wait())
    for (int k = 0; k < count_; ++k)
      while (jobs_[(first + k) % count_].take()) wait = Wait();
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
