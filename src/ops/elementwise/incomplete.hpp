#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home igamma, igammac, igamma_grad_a, random_gamma_grad, zeta, bessel_i0e, bessel_i1e, betainc, betaincc;

}  // namespace tutti::ops
