#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

/// One operand; results: both factors in one matrix, pivots, permutation.
extern const Home lu;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
