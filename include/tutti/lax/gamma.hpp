// Functions behind tutti/special, of floats of one dtype and shape (or scalars beside arrays): quotients of gamma
// functions, hypergeometric functions, Owen's. Not part of tutti.hpp. Source: scipy.special.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::lax {

/// Gamma(x): infinite at 0, NaN at -1, -2, ...
Array gamma(const In& x);
/// Gamma(a) Gamma(b) / Gamma(a + b), and the logarithm of its size.
Array beta(const In& a, const In& b);
Array log_beta(const In& a, const In& b);
/// Gamma(z + m) / Gamma(z).
Array poch(const In& z, const In& m);
/// Gamma(n + 1) / (Gamma(k + 1) Gamma(n - k + 1)) for 0 <= k <= n, else 0.
Array binomial(const In& n, const In& k);
/// The densities x^(a - 1) exp(-x) / Gamma(a) and x^(a - 1) (1 - x)^(b - 1) / B(a, b), and their logarithms; NaN where
/// a or b is not positive.
Array gamma_density(const In& x, const In& a);
Array gamma_log_density(const In& x, const In& a);
Array beta_density(const In& x, const In& a, const In& b);
Array beta_log_density(const In& x, const In& a, const In& b);
/// The density of Student's distribution of df degrees of freedom, and its logarithm; NaN where df is not positive.
Array t_density(const In& x, const In& df);
Array t_log_density(const In& x, const In& df);
/// 1 - betainc(a, b, x).
Array betaincc(const In& a, const In& b, const In& x);
/// The logarithms of igamma, igammac, betainc and betaincc, also where these underflow.
Array log_igamma(const In& a, const In& x);
Array log_igammac(const In& a, const In& x);
Array log_betainc(const In& a, const In& b, const In& x);
Array log_betaincc(const In& a, const In& b, const In& x);
/// M(a, b, x), and Gauss's F(a, b, c, x) for x up to 1 (infinite beyond, but for polynomials).
Array hyp1f1(const In& a, const In& b, const In& x);
Array hyp2f1(const In& a, const In& b, const In& c, const In& x);
/// 1/(2 pi) int_0^a exp(-h^2 (1 + t^2) / 2) / (1 + t^2) dt.
Array owens_t(const In& h, const In& a);
/// J of a whole order >= 0 (NaN of others), differentiable by x.
Array bessel_j(const In& order, const In& x);
/// The parts of exp(-z^2) erfc(-iz), z = x + iy.
Array faddeeva_real(const In& x, const In& y);
Array faddeeva_imag(const In& x, const In& y);
/// The spherical harmonic of degree n and order 0 <= m <= n without its factor exp(i m phi); 0 for m > n. n and m are
/// whole numbers in theta's dtype.
Array sphere_legendre(const In& n, const In& m, const In& theta);
/// The normal distribution function.
Array ndtr(const In& x);
/// x log(x / y) - x + y.
Array kl_div(const In& x, const In& y);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
