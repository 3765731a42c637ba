// Read by ThreadSanitizer's runtime as a test starts. Suppressions, each with its reason, would stand here as well
// (__tsan_default_suppressions): none is known to be needed. oneDNN is called with one OpenMP thread, and what it, LLVM
// and OpenMPI do by themselves is not instrumented; threads call MPI one at a time, and what a process writes to the
// memory of another no sanitizer sees.
extern "C" const char* __tsan_default_options();

// A test forks, and its child starts threads.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

// SPDX-License-Identifier: Apache-2.0
