#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home bitwise_and, bitwise_or, bitwise_xor, bitwise_not, shift_left, shift_right_logical,
    shift_right_arithmetic, population_count, clz;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
