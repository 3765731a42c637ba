#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home gamma, polygamma, beta, log_beta, poch, binomial, gamma_density, gamma_log_density, beta_density,
    beta_log_density, t_density, t_log_density;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
