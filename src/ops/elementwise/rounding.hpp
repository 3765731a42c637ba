#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home floor, ceil, round, trunc, is_finite;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
