#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home igamma, igammac, log_igamma, log_igammac, igamma_log_grad_a, log_betainc, log_betaincc, igamma_grad_a,
    random_gamma_grad, zeta, bessel_i0e, bessel_i1e, betainc, betaincc;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
