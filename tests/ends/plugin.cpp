// A plugin with static objects that compute at their end, at dlclose() or at that of the process.
#include "ends/computing.hpp"

namespace {
struct AtUnload {
  ~AtUnload() { ends::compute("plugin's destructor"); }
} at_unload;
}  // namespace

extern "C" void plugin_compute() {
  thread_local struct Local {
    ~Local() { std::puts("plugin's thread_local"); }
  } local;
  (void)local;
  ends::compute("plugin");
}

// SPDX-License-Identifier: Apache-2.0
