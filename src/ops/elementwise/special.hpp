#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home erf, erfc, erf_inv, lgamma, digamma, trigamma, xlogy, xlog1py, logaddexp, nextafter;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
