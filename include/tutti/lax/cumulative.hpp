// Running products, extrema and logarithms of sums along a dim, from the front or, with `reverse`, from the back.
// Source: jax.lax. cumsum stands in lax.hpp.
#pragma once

#include "tutti/array/array.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::lax {

/// Numbers.
Array cumprod(const In& x, int axis = 0, bool reverse = false);
/// Real numbers and bools; NaN wins. Between equal extrema the gradient is shared as pairs are joined.
Array cummax(const In& x, int axis = 0, bool reverse = false);
Array cummin(const In& x, int axis = 0, bool reverse = false);
/// log(sum(exp(x))) without overflow, of floats and complex numbers, whose angle is then between -pi and pi.
Array cumlogsumexp(const In& x, int axis = 0, bool reverse = false);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
