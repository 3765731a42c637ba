// Incomplete gamma and beta functions, zeta, normal and Bessel functions, of floats of one dtype and shape (or scalars
// beside arrays). Source: jax.lax.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::lax {

/// The regularised lower and upper incomplete gamma function; the derivative of the first by a.
Array igamma(const In& a, const In& x);
Array igammac(const In& a, const In& x);
Array igamma_grad_a(const In& a, const In& x);
/// The derivative by a of a gamma variate x.
Array random_gamma_grad(const In& a, const In& x);
/// The regularised incomplete beta function; differentiable by x.
Array betainc(const In& a, const In& b, const In& x);
/// Hurwitz' zeta function: the sum of (q + n)^-x. Differentiable by q.
Array zeta(const In& x, const In& q);
/// The logarithm of the normal distribution function, accurate in both tails, and the inverse of that function.
Array log_ndtr(const In& x);
Array ndtri(const In& p);
/// exp(-|x|) I_0(x) and exp(-|x|) I_1(x).
Array bessel_i0e(const In& x);
Array bessel_i1e(const In& x);
/// The mth derivative of digamma; m is a whole number in x's dtype.
Array polygamma(const In& m, const In& x);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
