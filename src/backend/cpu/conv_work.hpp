#pragma once

#include <memory>

#include "run/executor.hpp"

namespace tutti::cpu {

/// A convolution of float32 or float64, by tiles over what its windows see. Nothing for other Eqns.
std::unique_ptr<run::Work> conv_work(const compile::CallEqn& call);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
