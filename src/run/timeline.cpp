#include "run/timeline.hpp"

#include <chrono>
#include <set>

#include "run/stage_times.hpp"

namespace tutti::run {
namespace {

thread_local Timeline* timeline_here = nullptr;

std::int64_t clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::set<int> storages_of(const compile::Step& step) {
  std::set<int> out;
  if (const auto* l = std::get_if<compile::Loop>(&step.what))
    for (const compile::Access& a : l->accesses) out.insert(a.storage);
  if (const auto* d = std::get_if<compile::Dot>(&step.what)) out = {d->a, d->b, d->c};
  if (const auto* c = std::get_if<compile::CallEqn>(&step.what)) {
    out.insert(c->operands.begin(), c->operands.end());
    out.insert(c->results.begin(), c->results.end());
  }
  return out;
}

double flops(const compile::Dot& d) {
  double n = 2;
  for (const std::int64_t extent : d.batch) n *= static_cast<double>(extent);
  return n * static_cast<double>(d.m) * static_cast<double>(d.n) * static_cast<double>(d.k);
}

}  // namespace

Timeline::Timeline() : since_(clock_ns()) { timeline_here = this; }
Timeline::~Timeline() { timeline_here = nullptr; }
Timeline* Timeline::here() { return timeline_here; }

void Timeline::close() {
  const std::int64_t now = clock_ns();
  spans_.push_back({stage_, std::exchange(begins_, false), static_cast<double>(now - since_), {}, -1, -1});
  since_ = now;
}

void Timeline::finish() { close(); }

void Timeline::clear() {
  spans_.clear();
  jobs_ = 0;
  since_ = clock_ns();
}

void Timeline::run(int count, TaskFunction f) {
  if (inside_) {  // of a task: that one thread does it
    for (int i = 0; i < count; ++i) f.call(f.context, i);
    return;
  }
  const bool begins = std::exchange(begins_, false);
  close();
  run_tasks({stage_, begins, 0, {}, -1, -1}, count, f);
}

void Timeline::begin_jobs() {
  if (inside_) return;
  close();
  begins_ = true;
  ++jobs_;
}

void Timeline::run_part_of_job(int job, int parts, TaskFunction f) {
  if (inside_) return run(parts, f);
  run_tasks({stage_, std::exchange(begins_, false), 0, {}, jobs_, job}, parts, f);
}

void Timeline::end_jobs() {
  if (!inside_) close();
}

void Timeline::run_tasks(Span span, int count, TaskFunction f) {
  struct Inside {
    bool& is;
    explicit Inside(bool& flag) : is(flag) { is = true; }
    ~Inside() { is = false; }
  } inside(inside_);
  span.tasks_ns.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    f.call(f.context, i);
    const std::int64_t now = clock_ns();
    span.tasks_ns.push_back(static_cast<float>(now - since_));
    since_ = now;
  }
  spans_.push_back(std::move(span));
}

int Timeline::number(const compile::Plan& plan, const compile::Stage& stage) {
  const auto [at, fresh] = numbers_.try_emplace({&plan, &stage}, static_cast<int>(stages_.size()));
  if (!fresh) return at->second;
  Stage& s = stages_.emplace_back();
  std::set<int> storages;
  for (int i : stage.steps) {
    const compile::Step& step = plan.steps[static_cast<std::size_t>(i)];
    s.what += (s.what.empty() ? "" : "; ") + step_text(plan, step);
    if (!step.eqns.empty()) s.where = plan.program.eqns[static_cast<std::size_t>(step.eqns.back())].loc.str();
    storages.merge(storages_of(step));
    if (const auto* d = std::get_if<compile::Dot>(&step.what)) s.flops += flops(*d);
  }
  for (int m : storages)
    if (m >= 0 && plan.storages[static_cast<std::size_t>(m)].kind != compile::Storage::Kind::chunk)
      s.bytes += static_cast<double>(plan.storages[static_cast<std::size_t>(m)].bytes);
  return at->second;
}

Timeline::Within::Within(const compile::Plan& plan, const compile::Stage& stage) : timeline_(here()) {
  if (!timeline_ || timeline_->inside_) {
    timeline_ = nullptr;
    return;
  }
  timeline_->close();
  before_ = std::exchange(timeline_->stage_, timeline_->number(plan, stage));
  timeline_->begins_ = true;
}

Timeline::Within::~Within() {
  if (!timeline_) return;
  timeline_->close();
  timeline_->stage_ = before_;
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
