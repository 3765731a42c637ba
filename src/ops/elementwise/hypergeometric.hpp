#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home hyp1f1, hyp2f1, hyp1f1_slope, hyp2f1_slope, owens_t, kl_div;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
