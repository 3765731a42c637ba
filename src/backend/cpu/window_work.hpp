#pragma once

#include <memory>

#include "run/executor.hpp"

namespace tutti::cpu {

/// Gather and scatter, run by run instead of element by element. Nothing for other Eqns.
std::unique_ptr<run::Work> window_work(const compile::CallEqn& call);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
