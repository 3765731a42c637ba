// The normal distribution.
#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home ndtr, log_ndtr, ndtr_slope, ndtri;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
