#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
