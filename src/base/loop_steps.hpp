// Which steps of which loops this thread is running: for what users are told from inside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti {

/// `step 3 of the loop within step 0 of the loop around it`; nothing outside of loops.
inline std::string steps_text(const std::vector<std::int64_t>& steps) {
  std::string out;
  for (std::size_t i = steps.size(); i-- > 0;)
    out += (out.empty() ? "step " : " within step ") + std::to_string(steps[i]) + " of the loop" +
           (i + 1 < steps.size() ? " around it" : "");
  return out;
}

/// While one lives this thread runs a loop, inside those whose LoopSteps are older.
class LoopStep {
 public:
  LoopStep() : around_(innermost_) { innermost_ = this; }
  ~LoopStep() { innermost_ = around_; }
  LoopStep(const LoopStep&) = delete;
  /// The step that begins, counted from 0.
  void at(std::int64_t step) { step_ = step; }

  /// Of all loops, from the outside in.
  static std::vector<std::int64_t> all() {
    std::vector<std::int64_t> out;
    for (const LoopStep* s = innermost_; s; s = s->around_) out.push_back(s->step_);
    std::reverse(out.begin(), out.end());
    return out;
  }

 private:
  const LoopStep* around_;
  std::int64_t step_ = 0;
  inline static thread_local const LoopStep* innermost_ = nullptr;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
