// Loops and branches: Plans that a step runs, again and again or one of several.
#pragma once

#include "run/executor.hpp"

namespace tutti::run {

class RepeatWork final : public Work {
 public:
  /// The Plans stay where they are as long as the Repeat. `condition`: nothing where there is none.
  RepeatWork(const compile::Repeat& repeat, std::unique_ptr<Steps> body, std::unique_ptr<Steps> condition);
  void run(char* const* at, int task) const override;

 private:
  class Turn;
  const compile::Repeat& r_;
  std::unique_ptr<Steps> body_, condition_;
  std::vector<std::int64_t> slice_bytes_;  // of xs, then of ys
};

class BranchWork final : public Work {
 public:
  BranchWork(const compile::Branch& branch, std::vector<std::unique_ptr<Steps>> branches);
  void run(char* const* at, int task) const override;

 private:
  const compile::Branch& b_;
  std::vector<std::unique_ptr<Steps>> branches_;
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
