// Whether running a program runs something of the user's.
#pragma once

#include <algorithm>

#include "ir/op.hpp"

namespace tutti {

/// Whether it, or a sub-program, has an effect or calls a function of the user's.
inline bool calls_user(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return e.op->host || e.op->effect ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) { return calls_user(*sub); });
  });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
