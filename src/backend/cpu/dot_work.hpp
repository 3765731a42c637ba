#pragma once

#include <memory>

#include "run/executor.hpp"

namespace tutti::cpu {

/// The tasks of one contraction. `whole`: none of its products is cut, as one thread runs them all.
std::unique_ptr<run::Work> dot_work(const compile::Dot& dot, bool whole = false);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
