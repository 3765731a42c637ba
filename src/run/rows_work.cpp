#include "run/rows_work.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "run/pool.hpp"

namespace tutti::run {

compile::Loop loop_of_rows(const compile::Loop& loop, std::int64_t rows, std::int64_t count) {
  compile::Loop l = loop;
  if (l.block_total && l.reduced == 1) l.block_total = l.block_total / rows * count;
  l.extents[0] = l.extents[0] / rows * count;
  return l;
}

RowsWork::RowsWork(const compile::Plan& plan, const compile::Stage& stage, std::vector<RowsStep> steps, double cost)
    : steps_(std::move(steps)),
      rows_(stage.rows),
      chunk_(stage.chunk),
      chunks_((stage.rows + stage.chunk - 1) / stage.chunk),
      scratch_bytes_(stage.scratch_bytes),
      storages_(plan.storages.size()),
      times_(StageTimes::of(plan, stage)) {
  std::set<int> seen;
  for (const RowsStep& s : steps_)
    for (int m : s.storages)
      if (m >= 0 && plan.storages[m].kind == compile::Storage::Kind::chunk && seen.insert(m).second)
        locals_.push_back({m, plan.storages[m].offset, plan.storages[m].row_bytes});
  cost_ns = cost;
  tasks = static_cast<int>(stage.groups ? stage.groups : std::clamp<std::int64_t>(chunks_, 1, 256));
}

void RowsWork::run(char* const* at, int task) const { run_task(at, task, nullptr); }

bool RowsWork::run_all(char* const* at) const {
  if (num_threads() <= kFewThreads) return false;
  struct Context {
    const RowsWork* self;
    char* const* at;
  } context{fine_ ? fine_.get() : this, at};
  if (fine_) {
    run_tasks(fine_->tasks, {[](void* c, int task) {
                               const Context& x = *static_cast<Context*>(c);
                               x.self->run(x.at, task);
                             },
                             &context});
    return true;
  }
  SharedJobs(tasks).run({[](void* c, int task, SharedJobs::Job& job) {
                           const Context& x = *static_cast<Context*>(c);
                           x.self->run_task(x.at, task, &job);
                         },
                         &context});
  return true;
}

void RowsWork::run_task(char* const* at, int task, SharedJobs::Job* job) const {
  using Clock = std::chrono::steady_clock;
  HostPtr scratch;
  if (scratch_bytes_) scratch = allocate_buffer(static_cast<std::size_t>(scratch_bytes_));
  std::vector<char*> here(at, at + storages_);
  const std::int64_t first = chunks_ * task / tasks;
  for (std::int64_t c = first, end = chunks_ * (task + 1) / tasks; c < end; ++c) {
    const std::int64_t row = c * chunk_;
    for (const Local& l : locals_)
      here[l.storage] = moved(static_cast<char*>(scratch->data()), l.offset - row * l.row_bytes);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const auto start = times_ ? Clock::now() : Clock::time_point();
      run_step(steps_[k], here.data(), row, {task, c == first}, job);
      if (times_) times_->add(k, std::chrono::nanoseconds(Clock::now() - start).count());
    }
  }
}

void RowsWork::run_step(const RowsStep& s, char* const* at, std::int64_t row, Place place, SharedJobs::Job* job) const {
  const RowsStep::Part& part = row + chunk_ <= rows_ ? s.chunk : s.rest;
  char* base[kMaxAccesses];
  for (std::size_t k = 0; k < s.storages.size(); ++k)
    base[k] = moved(s.storages[k] < 0 ? nullptr : at[s.storages[k]], row * s.row_steps[k]);
  if (s.group_step) base[s.storages.size() - 1] = moved(base[s.storages.size() - 1], place.group * s.group_step);
  const Work* const work = (part.more && !place.is_first ? part.more : part.work).get();
  const Nest& nest = job ? part.fine : part.nest;
  if (!work)
    for (int k = 0; k < nest.accesses; ++k) base[k] = moved(base[k], nest.offsets[k]);
  if (!job) {
    if (!work) return run_nest(nest, base, 0, nest.calls);
    for (int t = 0; t < work->tasks; ++t) work->run(base, t);
    return;
  }
  struct Context {
    const Work* work;
    const Nest& nest;
    char* const* base;
  } context{work, nest, base};
  const int parts = !work ? nest.tasks : work->fine_tasks ? work->fine_tasks : work->tasks;
  job->share(parts, {[](void* c, int t) {
                       const Context& x = *static_cast<Context*>(c);
                       if (!x.work)
                         run_nest(x.nest, x.base, x.nest.calls * t / x.nest.tasks,
                                  x.nest.calls * (t + 1) / x.nest.tasks);
                       else
                         x.work->fine_tasks ? x.work->run_fine(x.base, t) : x.work->run(x.base, t);
                     },
                     &context});
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
