// What a run does one thing after the other and what it does side by side, measured on one thread: from it follows what
// more threads would gain.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compile/plan.hpp"
#include "run/pool.hpp"

namespace tutti::run {

/// While one lives, `run_tasks` on its thread runs the tasks one after the other, and their times are noted. One per
/// thread.
class Timeline {
 public:
  struct Stage {
    std::string what, where;  // where: the source line of its last operation
    double bytes = 0;         // of the storages that it reads or writes, each once
    double flops = 0;         // of its products
  };
  /// Tasks that may run side by side; without tasks: what one thread did.
  struct Span {
    int stage = -1;       // in `stages`; -1: outside of all
    bool begins = false;  // the first span of a run of its stage
    double alone_ns = 0;
    std::vector<float> tasks_ns;
    /// Of SharedJobs, the how manieth these are of the run (-1: no such), and which job: its steps are one after the
    /// other, jobs run side by side.
    int jobs = -1, job = -1;
  };

  Timeline();
  ~Timeline();
  Timeline(const Timeline&) = delete;
  static Timeline* here();

  /// Ends the last span.
  void finish();
  const std::vector<Span>& spans() const { return spans_; }
  const std::vector<Stage>& stages() const { return stages_; }
  /// Forgets spans; stages stay.
  void clear();

  /// As `run_tasks`.
  void run(int count, TaskFunction f);
  /// Between these two SharedJobs runs one job after the other, each in steps of parts.
  void begin_jobs();
  void run_part_of_job(int job, int parts, TaskFunction f);
  void end_jobs();

  /// The spans while it lives belong to that stage, but for those of stages within.
  class Within {
   public:
    Within(const compile::Plan& plan, const compile::Stage& stage);
    ~Within();
    Within(const Within&) = delete;

   private:
    Timeline* timeline_;
    int before_ = -1;
  };

 private:
  int number(const compile::Plan& plan, const compile::Stage& stage);
  void close();
  void run_tasks(Span span, int count, TaskFunction f);

  std::map<std::pair<const compile::Plan*, const compile::Stage*>, int> numbers_;
  std::vector<Stage> stages_;
  std::vector<Span> spans_;
  int stage_ = -1;
  int jobs_ = 0;                          // how often there were such
  bool begins_ = false, inside_ = false;  // inside: of a task
  std::int64_t since_ = 0;                // ns
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
