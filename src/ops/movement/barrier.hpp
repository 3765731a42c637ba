#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

/// The same value, which no pass identifies with its operand: what is computed from it is computed again.
extern const Home barrier;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
