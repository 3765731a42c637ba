#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

/// One operand, of which the lower triangle is read; its lower factor.
extern const Home cholesky;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
