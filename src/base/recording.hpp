// Whether this thread is recording a function: settings stay as they are meanwhile.
#pragma once

#include "tutti/base/call_scope.hpp"

namespace tutti {

/// How many recordings are open on this thread; src/trace counts.
inline thread_local int recordings = 0;
/// How many InsideCalls live on this thread, those of recordings among them.
inline thread_local int calls_inside = 0;

/// ValueError of the setting `what` while something is recorded.
inline void refuse_while_recording(const char* what) {
  if (recordings > 0)
    raise<ValueError>(what, "it is called while a function is being recorded, which has begun with the other setting",
                      "Call it before, outside of jit, grad, vmap and their like.");
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
