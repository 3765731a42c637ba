// What is under way during one run of a plan.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "run/executor.hpp"

namespace tutti::run {

/// Of one run, on the thread that runs it; what is under way in runs around this one goes on with it. Whatever is left
/// at the end is finished: other processes wait for it.
class Flights {
 public:
  Flights();
  ~Flights();
  Flights(const Flights&) = delete;

  void add(int step, std::size_t stage, std::unique_ptr<UnderWay> what);
  bool empty() const { return all_.empty(); }
  /// The step that was started first; that of a step.
  int next() const { return all_.front().step; }
  std::size_t stage_of(int step) const;
  /// Does what can be done without waiting, here and in the runs around.
  void advance();
  /// Waits for one; the others go on meanwhile.
  void finish(int step);
  /// Of the run of this thread, if there is one.
  static void advance_mine() {
    if (mine_) mine_->advance();
  }

 private:
  struct Flight {
    int step;
    std::size_t stage;
    std::unique_ptr<UnderWay> what;
    bool over = false;
  };
  static thread_local Flights* mine_;
  Flights* around_;
  std::vector<Flight> all_;  // as they were started
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
