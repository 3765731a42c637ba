#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home exp, exp2, expm1, log, log1p, logistic;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
