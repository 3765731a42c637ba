#include "run/executor.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "array/evaluate.hpp"
#include "run/flights.hpp"
#include "run/pool.hpp"
#include "run/shared_jobs.hpp"
#include "run/timeline.hpp"
#include "tutti/base/error.hpp"

namespace tutti::run {

using compile::Storage;

namespace {
constexpr double kInline = 30e3;      // ns: less work than this is not worth waking a thread
constexpr double kInlineAwake = 6e3;  // nor this worth a meeting with one that is awake
constexpr double kFollows = 1e3;      // but this is, where a part of what is read lies in its caches

// Storages that a step reads, and writes, from memory.
template <class F> void for_each_read(const compile::Step& step, F f) {
  if (const auto* l = std::get_if<compile::Loop>(&step.what)) {
    for (const compile::Access& a : l->accesses)
      if (a.kind == compile::Access::Kind::load) f(a.storage);
  } else if (const auto* d = std::get_if<compile::Dot>(&step.what)) {
    f(d->a);
    f(d->b);
  } else if (const auto* c = std::get_if<compile::CallEqn>(&step.what)) {
    for (int s : c->operands) f(s);
  }
}
template <class F> void for_each_write(const compile::Step& step, F f) {
  if (const auto* l = std::get_if<compile::Loop>(&step.what)) {
    for (const compile::Access& a : l->accesses)
      if (a.kind == compile::Access::Kind::store || a.kind == compile::Access::Kind::reduce) f(a.storage);
  } else if (const auto* d = std::get_if<compile::Dot>(&step.what)) {
    f(d->c);
  } else if (const auto* c = std::get_if<compile::CallEqn>(&step.what)) {
    for (int s : c->results) f(s);
  }
}

// Of a stage by rows the first step stands for all.
std::span<const int> own_steps(const compile::Stage& stage) {
  return {stage.steps.data(), stage.rows ? 1 : stage.steps.size()};
}

}  // namespace

NestWork::NestWork(Nest nest, double ns_per_element, double near_ns_per_element)
    : nest_(std::move(nest)), fine_(finer(nest_, ns_per_element)) {
  tasks = nest_.tasks;
  fine_tasks = fine_.tasks;
  const auto calls = static_cast<double>(nest_.calls),
             elements = calls * static_cast<double>(nest_.rows * nest_.columns);
  cost_ns = 10 * calls + ns_per_element * elements;
  near_ns = 10 * calls + near_ns_per_element * elements;
}

void NestWork::run(const Nest& nest, char* const* at, int task, int tasks) {
  char* base[kMaxAccesses];
  for (int k = 0; k < nest.accesses; ++k)
    base[k] = moved(nest.storages[k] < 0 ? nullptr : at[nest.storages[k]], nest.offsets[k]);
  run_nest(nest, base, nest.calls * task / tasks, nest.calls * (task + 1) / tasks);
}

// At least, whatever it computes: what is done about it is cheap where it is more.
CallWork::CallWork(compile::CallEqn call, Kernel* kernel) : call_(std::move(call)), kernel_(kernel) {
  constexpr double kKernel = 2, kEval = 10;  // ns an element
  std::int64_t elements = 0;
  for (const auto* types : {&call_.operand_types, &call_.result_types})
    for (const Type& t : *types) elements = std::max(elements, t.shape.num_elements());
  cost_ns = (kernel_ ? kKernel : kEval) * static_cast<double>(elements);
}

void CallWork::run(char* const* at, int) const {
  std::vector<HostView> operands, results;
  for (std::size_t k = 0; k < call_.operands.size(); ++k)
    operands.push_back({call_.operand_types[k], at[call_.operands[k]]});
  for (std::size_t k = 0; k < call_.results.size(); ++k)
    results.push_back({call_.result_types[k], at[call_.results[k]]});
  if (kernel_)
    kernel_(Call{*call_.eqn.op, call_.eqn.params, call_.operand_types, call_.eqn.subs}, operands, results);
  else
    evaluate(call_.eqn, call_.operand_types, operands, results);
}

Steps::Steps(const compile::Plan& plan, std::vector<std::unique_ptr<Work>> works, bool repeated)
    : plan_(plan), works_(std::move(works)), repeated_(repeated), times_(StageTimes::of(plan)) {
  for (const auto& w : works_) {
    wide_ += w && (std::max(w->tasks, w->fine_tasks) > 1 || w->spreads) && is_worth(cost_of(*w));
    beside_ |= w && w->goes_on;
  }
  find_shared();
  for (const bool many : {false, true})
    for (const compile::Stage& stage : plan.stages) {
      std::vector<int>& ends = ends_[many].emplace_back();
      int tasks = 0;
      for (int i : own_steps(stage)) {
        const Work& w = *works_[i];
        if (!w.spreads) tasks += many && w.fine_tasks ? w.fine_tasks : w.tasks;
        ends.push_back(tasks);
      }
    }
}

// What runs again and again finds in its core's caches what it has left there; other cores would have to fetch it.
double Steps::cost_of(const Work& w) const { return repeated_ && w.near_ns > 0 ? w.near_ns : w.cost_ns; }
// Where a stage is shared with other threads what it writes lies in the caches of several cores, and whoever reads all
// of it alone waits for them: what reads it is shared for less. And the other way round.
void Steps::find_shared() {
  std::vector<char> apart(plan_.storages.size(), 0);
  for (const compile::Stage& stage : plan_.stages) {
    double cost = 0;
    int tasks = 0;
    bool follows = false, spreads = false;
    for (int i : own_steps(stage)) {
      const Work& w = *works_[static_cast<std::size_t>(i)];
      spreads |= w.spreads;
      cost += w.spreads ? 0 : cost_of(w);
      tasks += w.spreads ? 0 : w.tasks;
    }
    for (int i : stage.steps)
      for_each_read(plan_.steps[static_cast<std::size_t>(i)],
                    [&](int s) { follows |= s >= 0 && apart[static_cast<std::size_t>(s)]; });
    const bool shared = repeated_ && follows ? cost >= kFollows : is_worth(cost);
    shared_.push_back(shared);
    for (int i : stage.steps)
      for_each_write(plan_.steps[static_cast<std::size_t>(i)],
                     [&](int s) { apart[static_cast<std::size_t>(s)] = (shared && tasks > 1) || spreads; });
  }
}
bool Steps::is_worth(double cost) const { return cost >= (repeated_ ? kInlineAwake : kInline); }

int Steps::tasks() const {
  int n = 0;
  for (const auto& w : works_) n += w ? w->tasks : 0;
  return n;
}

double Steps::cost_ns() const {
  double cost = 0;
  for (const auto& w : works_) cost += w ? w->cost_ns : 0;
  return cost;
}

void Steps::run(char* const* at) const {
  if (beside_) return run_beside(at);
  if (!times_) {
    for (const compile::Stage& stage : plan_.stages) run_stage(stage, at);
    return;
  }
  using Clock = std::chrono::steady_clock;
  for (std::size_t k = 0; k < plan_.stages.size(); ++k) {
    const Clock::time_point start = Clock::now();
    run_stage(plan_.stages[k], at);
    times_->add(k, std::chrono::nanoseconds(Clock::now() - start).count());
  }
}

void Steps::run_beside(char* const* at) const {
  using Clock = std::chrono::steady_clock;
  Flights flights;
  const auto timed = [&](std::size_t stage, int runs, auto&& act) {
    if (!times_) return act();
    const Clock::time_point start = Clock::now();
    act();
    times_->add(stage, std::chrono::nanoseconds(Clock::now() - start).count(), runs);
  };
  for (std::size_t k = 0; k < plan_.stages.size(); ++k) {
    const compile::Stage& stage = plan_.stages[k];
    for (int step : stage.awaits)
      if (works_[step]->goes_on) timed(flights.stage_of(step), 0, [&] { flights.finish(step); });
    timed(k, 1, [&] {
      const int first = stage.steps[0];
      if (stage.steps.size() == 1 && works_[first]->goes_on)
        flights.add(first, k, works_[first]->start(at));
      else
        run_stage(stage, at);
      flights.advance();
    });
  }
  while (!flights.empty()) timed(flights.stage_of(flights.next()), 0, [&] { flights.finish(flights.next()); });
}

void place_storages(const compile::Plan& plan, char* slab, char** at) {
  char* const constants = const_cast<char*>(reinterpret_cast<const char*>(plan.constants.data()));
  for (std::size_t s = 0; s < plan.storages.size(); ++s) {
    const Storage& st = plan.storages[s];
    if (st.kind == Storage::Kind::temporary && st.takes < 0) at[s] = slab + st.offset;
    if (st.kind == Storage::Kind::chunk) at[s] = nullptr;  // each task has its own
    if (st.kind == Storage::Kind::constant) at[s] = constants + st.offset;
  }
}

Executor::Executor(std::unique_ptr<const compile::Plan> plan, std::vector<std::unique_ptr<Work>> works)
    : plan_(std::move(plan)), steps_(*plan_, std::move(works), false) {}

void Executor::run(std::span<const BufferPtr> inputs, std::span<const bool> donated, std::span<BufferPtr> out) const {
  const compile::Plan& plan = *plan_;
  if (inputs.size() != plan.inputs.size() || out.size() != plan.outputs.size())
    throw InternalError("run: wrong number of inputs or outputs");
  constexpr std::size_t kLocal = 128;
  char* local[kLocal];
  std::unique_ptr<char*[]> many;
  char** at = local;
  if (plan.storages.size() > kLocal) many.reset(at = new char*[plan.storages.size()]);

  HostPtr slab;
  if (plan.slab_bytes > 0) slab = allocate_buffer(static_cast<std::size_t>(plan.slab_bytes));
  place_storages(plan, slab ? static_cast<char*>(slab->data()) : nullptr, at);
  const Storage* storages = plan.storages.data();
  for (std::size_t s = 0; s < plan.storages.size(); ++s) {
    const Storage& st = storages[s];
    if (st.kind == Storage::Kind::input) at[s] = static_cast<char*>(on_host(inputs[st.index]).data());
    if (st.kind != Storage::Kind::output) continue;
    BufferPtr& b = out[st.index];
    if (st.takes >= 0) {
      const int input = storages[st.takes].index;
      if (static_cast<std::size_t>(input) < donated.size() && donated[input] && inputs[input].reusable())
        b = inputs[input];
    }
    if (!b) b = allocate_buffer(static_cast<std::size_t>(st.bytes));
    at[s] = static_cast<char*>(on_host(b).data());
  }
  for (std::size_t s = 0; s < plan.storages.size(); ++s)
    if (storages[s].kind == Storage::Kind::temporary && storages[s].takes >= 0) at[s] = at[storages[s].takes];
  std::optional<Awake> awake;
  if (steps_.awake()) awake.emplace();
  steps_.run(at);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (out[k]) continue;
    const Storage& st = storages[plan.outputs[k]];
    if (st.kind == Storage::Kind::input)
      out[k] = inputs[st.index];
    else if (st.kind == Storage::Kind::output)
      out[k] = out[st.index];
    else {  // a literal
      HostPtr made = allocate_buffer(static_cast<std::size_t>(st.bytes));
      std::memcpy(made->data(), at[plan.outputs[k]], static_cast<std::size_t>(st.bytes));
      out[k] = std::move(made);
    }
  }
}

void Steps::run_stage(const compile::Stage& stage, char* const* at) const {
  const Timeline::Within within(plan_, stage);
  const std::span<const int> steps = own_steps(stage);
  const bool many = num_threads() > kFewThreads;
  const auto tasks_of = [many](const Work& w) { return many && w.fine_tasks ? w.fine_tasks : w.tasks; };
  int tasks = 0;
  for (int i : steps)
    if (works_[i]->spreads)
      works_[i]->run(at, 0);
    else
      tasks += tasks_of(*works_[i]);
  const bool shared = shared_[static_cast<std::size_t>(&stage - plan_.stages.data())] != 0;
  if (stage.rows && shared && works_[steps[0]]->run_all(at)) return;
  if (tasks <= 1 || !shared) {
    for (int i : steps)
      if (!works_[i]->spreads)
        for (int t = 0; t < works_[i]->tasks; ++t) works_[i]->run(at, t);
    return;
  }
  struct Context {
    const Steps* self;
    std::span<const int> steps;
    std::span<const int> ends;
    char* const* at;
    bool many;
  } context{this, steps, ends_[many][static_cast<std::size_t>(&stage - plan_.stages.data())], at, many};
  run_tasks(tasks, {[](void* c, int task) {
                      const Context& x = *static_cast<Context*>(c);
                      const auto k = static_cast<std::size_t>(std::upper_bound(x.ends.begin(), x.ends.end(), task) -
                                                              x.ends.begin());
                      const Work& w = *x.self->works_[x.steps[k]];
                      task -= k > 0 ? x.ends[k - 1] : 0;
                      (x.many && w.fine_tasks) ? w.run_fine(x.at, task) : w.run(x.at, task);
                      Flights::advance_mine();
                    },
                    &context});
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
