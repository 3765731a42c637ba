// Memory of other processes on this host, read where it lies (process_vm_readv): one copy, through strides, and none
// by who sends.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "ir/collective.hpp"

namespace tutti::run {

inline constexpr std::uint64_t kLetter = 0x74757474692d6c72;

/// What a process tells about runs of its memory that another one is to read.
struct Letter {
  std::uint64_t kind = 0;  // kLetter: no other message is taken for one
  const char* array = nullptr;
  Runs part;
  std::atomic<int>* read = nullptr;  // of the sender: the reader sets it to 1
};

/// Whether this process may read another one's memory, and write it: tried on its first letter, which has one run, of
/// an int that is 1.
bool may_read(pid_t process, const Letter& letter);

/// Reads the runs of `letter` to those of `array`, as many bytes; then the sender learns of it. False, with errno set,
/// where the other process cannot be read.
bool read_runs(pid_t process, const Letter& letter, char* array, const Runs& part);

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
