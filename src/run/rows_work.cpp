#include "run/rows_work.hpp"

#include <algorithm>
#include <chrono>
#include <set>

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

void RowsWork::run(char* const* at, int task) const {
  using Clock = std::chrono::steady_clock;
  BufferPtr scratch;
  if (scratch_bytes_) scratch = allocate_buffer(static_cast<std::size_t>(scratch_bytes_));
  std::vector<char*> here(at, at + storages_);
  const std::int64_t first = chunks_ * task / tasks;
  for (std::int64_t c = first, end = chunks_ * (task + 1) / tasks; c < end; ++c) {
    const std::int64_t row = c * chunk_;
    for (const Local& l : locals_)
      here[l.storage] = moved(static_cast<char*>(scratch->data()), l.offset - row * l.row_bytes);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const auto start = times_ ? Clock::now() : Clock::time_point();
      run_step(steps_[k], here.data(), row, {task, c == first});
      if (times_) times_->add(k, std::chrono::nanoseconds(Clock::now() - start).count());
    }
  }
}

void RowsWork::run_step(const RowsStep& s, char* const* at, std::int64_t row, Place place) const {
  const RowsStep::Part& part = row + chunk_ <= rows_ ? s.chunk : s.rest;
  char* base[kMaxAccesses];
  for (std::size_t k = 0; k < s.storages.size(); ++k)
    base[k] = moved(s.storages[k] < 0 ? nullptr : at[s.storages[k]], row * s.row_steps[k]);
  if (s.group_step) base[s.storages.size() - 1] = moved(base[s.storages.size() - 1], place.group * s.group_step);
  if (const Work* work = (part.more && !place.is_first ? part.more : part.work).get()) {
    for (int t = 0; t < work->tasks; ++t) work->run(base, t);
    return;
  }
  for (int k = 0; k < part.nest.accesses; ++k) base[k] = moved(base[k], part.nest.offsets[k]);
  run_nest(part.nest, base, 0, part.nest.calls);
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
