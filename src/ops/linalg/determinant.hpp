#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

/// One operand of square matrices. slogdet: sign, logarithm of the absolute value.
extern const Home det, slogdet;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
