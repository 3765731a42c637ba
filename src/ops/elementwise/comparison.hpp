#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home eq, ne, lt, le, gt, ge, select;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
