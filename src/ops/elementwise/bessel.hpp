#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home bessel_j, faddeeva_real, faddeeva_imag, sphere_legendre;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
