#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

/// Operand 0, whose derivative counts only where operand 1 (bool, of its shape or a scalar) holds: what one side of a
/// choice reads. Unlike a product with 0 or 1 it keeps out NaN.
extern const Home derivative_where;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
