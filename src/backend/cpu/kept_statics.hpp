// Static objects of LLVM and oneDNN outlive the destructors and atexit handlers of users, which may compute.
#pragma once

#include <atomic>

namespace tutti::cpu {

/// While one lives, what LLVM makes at its first use and would destroy at the end of the process is kept. Beside it a
/// program may use LLVM for itself, whose streams are flushed by their destructors.
class InLlvm {
 public:
  InLlvm();
  ~InLlvm() { inside.fetch_sub(1, std::memory_order_relaxed); }
  InLlvm(const InLlvm&) = delete;

 private:
  friend int at_exit_of_llvm(void (*)(void*), void*, void*);
  static inline constinit std::atomic<int> inside = 0;
};

/// Before the first call of the shared library that holds this address: what it makes at its first uses is kept.
void keep_statics_of(const void* inside);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
