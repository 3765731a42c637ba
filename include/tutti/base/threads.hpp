// Threads that compute.
#pragma once

#include "tutti/base/error.hpp"

namespace tutti {

/// How many threads run a program, the one that calls it included; at most 512. Results do not depend on it, to the
/// last bit. It may be called at any time and on any thread; what runs now goes on with the threads that it has. All
/// threads of the program share them: two that call jitted functions at once get half of them each.
///
///     set_num_threads(4);
///     f(x);                                       // on this thread and three workers
///     set_num_threads(default_num_threads());
///
/// Throws ValueError for n < 1. Source: torch.set_num_threads.
void set_num_threads(int n, Loc loc = Loc::current());
int num_threads();

/// What num_threads() is at first: TUTTI_NUM_THREADS, or else a thread for each core on which this process may run.
/// Hyper-threads of a core count once, processors outside of the process's affinity mask not at all, and a container's
/// quota of CPU time (cgroups, version 1 and 2) is rounded down.
int default_num_threads();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
