// Which of the programs that processes have in common a thread runs: messages of one never pass for those of another.
#pragma once

#include <utility>

namespace tutti::run {

/// While one lives this thread runs program `number`, the same number on all processes; 0: none that sends.
class ProgramNumber {
 public:
  explicit ProgramNumber(int number) : around_(std::exchange(now_, number)) {}
  ~ProgramNumber() { now_ = around_; }
  ProgramNumber(const ProgramNumber&) = delete;
  static int now() { return now_; }

 private:
  static inline thread_local int now_ = 0;
  int around_;
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
