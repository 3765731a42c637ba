// How the processes that write or read one checkpoint fail together. Alone all of it is a plain call.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tutti::checkpoint::detail {

/// One save or restore of all processes. Made on the thread that runs programs, in the same order everywhere; used by
/// any thread.
class Agreement {
 public:
  Agreement();
  /// What `work` says in the first process, in all. What it throws there all throw: the others a FileError with its
  /// text.
  std::string first(const std::function<std::string()>& work) const;
  /// What each process says, to the first one; the others get nothing. What one throws is thrown in the first process:
  /// a FileError that names the process.
  std::vector<std::string> gathered(const std::function<std::string()>& work) const;
  /// Returns where no process throws. Else all throw: who did not itself, a FileError that names one who did.
  void together(const std::function<void()>& work) const;
  /// Whether one process says so.
  bool any(bool mine) const;

 private:
  int channel_ = 0;
};

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
