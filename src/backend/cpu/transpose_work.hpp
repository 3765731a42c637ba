#pragma once

#include <memory>

#include "run/executor.hpp"

namespace tutti::cpu {

/// A loop that only copies, and reads with a stride where it writes in order: done in square blocks. Nothing for other
/// loops. `far`: the result is too large for a cache.
std::unique_ptr<run::Work> transpose_work(const compile::Loop& loop, bool far);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
