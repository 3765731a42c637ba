// Running ops along a dim that is cut.
#pragma once

#include <functional>
#include <memory>

#include "ir/across.hpp"

namespace tutti::ops {

/// How an op whose parameters are a Cumulative runs along blocks: each for itself, then joined with what the blocks
/// before it come to. `join(before, x)` joins what has run so far with the next, element by element; joined with the
/// `neutral` number of a dtype, every real number stays.
std::shared_ptr<const Across> running_across(std::function<Array(const Array& before, const Array& x)> join,
                                             std::function<Scalar(DType)> neutral);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
