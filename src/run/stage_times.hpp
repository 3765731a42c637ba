// How long each stage of a program runs (TUTTI_LOG=stages).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "compile/plan.hpp"

namespace tutti::run {

/// How large a step is, and the operations that it is made of: the same for steps that do the same elsewhere.
std::string step_text(const compile::Plan& plan, const compile::Step& step);

/// Of one plan, over all its runs in this process. When the process ends, a table of the longest stages of each plan is
/// written to stderr, those that do the same in one line: share of the plan's time, milliseconds a run, how many they
/// are, what they do, and the source line of their last operation. A stage that holds a loop contains the time of the
/// loop's stages, which have a table of their own; so have the steps of a stage by rows.
class StageTimes {
 public:
  /// For `plan`; nullptr unless TUTTI_LOG has the word `stages`. Lives as long as the process.
  static StageTimes* of(const compile::Plan& plan);
  /// For the steps of a stage by rows: a run is one over a chunk, on one thread.
  static StageTimes* of(const compile::Plan& plan, const compile::Stage& stage);
  /// `runs`: 0 for more of a run that was counted before.
  void add(std::size_t stage, std::int64_t ns, int runs = 1);

 private:
  struct Stage {
    std::string what, where;
    std::atomic<std::int64_t> ns{0}, runs{0};
  };
  StageTimes(const compile::Plan& plan, const std::vector<std::vector<int>>& steps, std::string name);
  static StageTimes* registered(const compile::Plan& plan, const std::vector<std::vector<int>>& steps,
                                std::string name);
  void print() const;
  static void print_all();

  std::string name_;
  std::vector<Stage> stages_;
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
