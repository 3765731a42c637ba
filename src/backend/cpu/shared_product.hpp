#pragma once

#include <memory>

#include "compile/plan.hpp"
#include "run/executor.hpp"

namespace tutti::cpu {

/// A product of large matrices of floating numbers on all threads: operands are packed once and read by all of them.
/// Null where that does not pay. What is cut, and the order in which an element is summed up, depend on shapes alone.
std::unique_ptr<run::Work> shared_product(const compile::Dot& dot);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
