// What passes have looked at, counted: so a test can say that work grows with a program and not with its square.
#pragma once

#include <cstdint>

namespace tutti {

/// Uses, blocks, gaps and Eqns that the passes of this thread have looked at so far.
constinit inline thread_local std::int64_t effort = 0;

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
