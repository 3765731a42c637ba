#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home neg, conj, abs, sign, add, sub, mul, div, rem, fma, max, min;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
