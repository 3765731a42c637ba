// Runs a Plan whose steps have machine code.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "compile/plan.hpp"
#include "device/buffer.hpp"
#include "run/nest.hpp"
#include "run/stage_times.hpp"

namespace tutti::run {

/// What goes on beside the steps behind it: a collective whose messages are on their way.
struct UnderWay {
  virtual ~UnderWay() = default;
  /// Does what can be done without waiting. Whether it is over.
  virtual bool advance() = 0;
  /// Waits until it is over, and calls `meanwhile` again and again.
  virtual void finish(const std::function<void()>& meanwhile) = 0;
};

/// A step as it runs: a nest, or tasks of a function over the addresses of storages.
struct Work {
  virtual ~Work() = default;
  /// Begins it, where it `goes_on` by itself.
  virtual std::unique_ptr<UnderWay> start(char* const*) const { return nullptr; }
  bool goes_on = false;
  int tasks = 1;
  int fine_tasks = 0;    // where many threads do better with others than `tasks`; results are the same bits
  bool spreads = false;  // one task, which hands out tasks of its own
  double cost_ns = 0;    // of all tasks on one thread, an estimate by shapes
  double near_ns = 0;    // the same where all that is read lies in its core's caches; 0: no less
  virtual void run(char* const* at, int task) const = 0;  // at: by storage
  virtual void run_fine(char* const* at, int task) const { run(at, task); }
  /// All tasks, on all threads, where it knows how to do better than task by task. Whether it did.
  virtual bool run_all(char* const*) const { return false; }
};

class NestWork final : public Work {
 public:
  /// `near_ns_per_element`: as Work::near_ns.
  NestWork(Nest nest, double ns_per_element, double near_ns_per_element);
  void run(char* const* at, int task) const override { run(nest_, at, task, tasks); }
  void run_fine(char* const* at, int task) const override { run(fine_, at, task, fine_tasks); }
  Nest& nest() { return nest_; }
  /// The same walk in shorter calls; its kernel is that of the nest.
  Nest& fine() { return fine_; }

 private:
  static void run(const Nest& nest, char* const* at, int task, int tasks);
  Nest nest_, fine_;
};

/// One Eqn by a kernel that an engine has for it, or, without one, by its op's eval.
class CallWork final : public Work {
 public:
  /// As Op::eval.
  using Kernel = void(const Call&, std::span<const HostView>, std::span<const HostView>);
  CallWork(compile::CallEqn call, Kernel* kernel);
  void run(char* const* at, int task) const override;

 private:
  compile::CallEqn call_;
  Kernel* kernel_;
};

/// The steps of a Plan as they run, stage by stage.
class Steps {
 public:
  /// `plan` stays where it is. `repeated`: run again and again while the workers are awake.
  Steps(const compile::Plan& plan, std::vector<std::unique_ptr<Work>> works, bool repeated);
  void run(char* const* at) const;
  int tasks() const;
  /// Whether several stages, or one that runs again and again, are worth other threads.
  bool awake() const { return wide_ > (repeated_ ? 0 : 1); }
  double cost_ns() const;

 private:
  double cost_of(const Work& w) const;
  bool is_worth(double cost_ns) const;  // other threads
  void find_shared();
  void run_stage(const compile::Stage& stage, char* const* at) const;
  void run_beside(char* const* at) const;

  const compile::Plan& plan_;
  std::vector<std::unique_ptr<Work>> works_;  // by step; nothing for the later steps of a stage by rows
  std::vector<std::vector<int>> ends_[2];     // with many threads, by stage, by step of it: tasks up to there
  bool repeated_;
  bool beside_ = false;       // whether some works go on beside others
  int wide_ = 0;              // works that are worth other threads
  std::vector<char> shared_;  // by stage: whether other threads are worth waking, or a meeting
  StageTimes* times_;         // nothing unless they are asked for
};

/// Where the storages of a plan lie that are the same in every run: temporaries in `slab`, constants. Nothing of the
/// others is written.
void place_storages(const compile::Plan& plan, char* slab, char** at);

class Executor {
 public:
  Executor(std::unique_ptr<const compile::Plan> plan, std::vector<std::unique_ptr<Work>> works);
  /// `out`: empty, one per output.
  void run(std::span<const BufferPtr> inputs, std::span<const bool> donated, std::span<BufferPtr> out) const;
  const compile::Plan& plan() const { return *plan_; }
  int tasks() const { return steps_.tasks(); }

 private:
  std::unique_ptr<const compile::Plan> plan_;
  Steps steps_;
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
