// Special functions, elementwise with promotion: floats stay, integers become float32. Names and meanings:
// jax.scipy.special, jax.scipy.stats.norm.
//
// -- Errors
// Units in the last place of the result, beyond what half a unit of the arguments changes; regions with bounds of their
// own, and why, are listed by `./dev sweep special`.
//   4 in float32, 4 in float64: erf erfc logit expit ndtri gammaln gamma gammasgn loggamma factorial entr erfcx dawsn
//     i0 i1 i0e i1e exp1 expi sici_si fresnel_s spence zeta1 zeta
//   4 in float32, 5 in float64: bessel_j0 bessel_j1 bessel_j2 bessel_j5
//   4 in float32, 8 in float64: erfinv ndtr digamma
//   4 in float32, 12 in float64: log_ndtr
//   4 in float32, 16 in float64: beta betaln rel_entr kl_div xlogy xlog1py poch comb boxcox boxcox1p owens_t
//     multigammaln hyp1f1 hyp2f1 hyp2f1_polynomial wofz_re wofz_im sph_harm_re sph_harm_im
//   4 in float32, 64 in float64: polygamma gammainc gammaincc betainc
//   5 in float32, 16 in float64: expn
//   6 in float32, 6 in float64: sici_ci fresnel_c
// --
#pragma once

#include "tutti/array/array.hpp"
#include "tutti/nn/activations.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::special {

Array erf(const In& x);
Array erfc(const In& x);
Array erfinv(const In& x);
/// log(p / (1 - p)), and its inverse.
Array logit(const In& p);
Array expit(const In& x);
/// The standard normal distribution, its logarithm, and its inverse.
Array ndtr(const In& x);
Array log_ndtr(const In& x);
Array ndtri(const In& p);
/// log |Gamma(x)| and its derivatives. digamma(+-0) is -+infinity, as in SciPy; lax::digamma is NaN there.
Array gammaln(const In& x);
Array digamma(const In& x);
Array polygamma(const Operand& m, const Operand& x);
/// The regularised incomplete gamma functions, lower and upper.
Array gammainc(const Operand& a, const Operand& x);
Array gammaincc(const Operand& a, const Operand& x);
/// Gamma(a) Gamma(b) / Gamma(a + b), its logarithm, and the regularised incomplete one.
Array beta(const Operand& a, const Operand& b);
Array betaln(const Operand& a, const Operand& b);
Array betainc(const Operand& a, const Operand& b, const Operand& x);
/// Hurwitz' zeta function, the sum of (q + n)^-x; without q Riemann's. NaN where x < 1, as in JAX.
/// Errors up to 4 units.
Array zeta(const Operand& x, const Operand& q = 1.f);
/// Modified Bessel functions, and those times exp(-|x|). Errors up to 4 units.
Array i0(const In& x);
Array i0e(const In& x);
Array i1(const In& x);
Array i1e(const In& x);
/// -x log(x), 0 at 0, -inf below.
Array entr(const In& x);
/// x log(x / y), and with - x + y.
Array rel_entr(const Operand& x, const Operand& y);
Array kl_div(const Operand& x, const Operand& y);
/// n!.
Array factorial(const In& n);
/// Gamma(x), its sign, and log Gamma(x) for x > 0 (else NaN).
Array gamma(const In& x);
Array gammasgn(const In& x);
Array loggamma(const In& x);
/// The logarithm of the multivariate gamma function of dimension d.
Array multigammaln(const In& a, int d);
/// Gamma(z + m) / Gamma(z).
Array poch(const Operand& z, const Operand& m);
/// How many sets of k there are of n things, with repetition where asked.
Array comb(const Operand& n, const Operand& k, bool repetition = false);
/// (x^lambda - 1) / lambda, log(x) for lambda = 0; and of 1 + x.
Array boxcox(const Operand& x, const Operand& lambda);
Array boxcox1p(const Operand& x, const Operand& lambda);
/// exp(x^2) erfc(x), also of complex numbers; Dawson's integral exp(-x^2) int_0^x exp(t^2) dt; Faddeeva's function
/// exp(-z^2) erfc(-iz), complex. Errors up to 4 units; of each part of wofz up to 16 in float64, beside the axes too.
Array erfcx(const In& x);
Array dawsn(const In& x);
Array wofz(const In& z);
/// Owen's T function, 1/(2 pi) int_0^a exp(-h^2 (1 + t^2) / 2) / (1 + t^2) dt.
Array owens_t(const Operand& h, const Operand& a);
/// Exponential integrals: int_x^inf exp(-t) / t^n dt x^(n-1), that for n = 1, and -E1(-x), in the middle of which a
/// pole is passed. n counts from 0 (NaN for what is no integer), x is not negative (else NaN).
/// Errors up to 4 units, of expn 5 in float32 and 16 in float64.
Array expn(const Operand& n, const Operand& x);
Array exp1(const In& x);
Array expi(const In& x);
struct SineIntegrals {
  Array si, ci;
};
/// int_0^x sin(t) / t dt, and gamma + log(x) + int_0^x (cos(t) - 1) / t dt (of |x|).
/// Errors up to 4 and 6 units, beside the zeros too.
SineIntegrals sici(const In& x);
struct Fresnel {
  Array s, c;
};
/// int_0^x sin(pi t^2 / 2) dt, and that of the cosine. Errors up to 4 and 6 units.
Fresnel fresnel(const In& x);
/// int_1^x log(t) / (1 - t) dt, the dilogarithm of 1 - x; NaN for x < 0. Errors up to 4 units.
Array spence(const In& x);
/// The confluent hypergeometric function M(a, b, x), and Gauss's F(a, b, c, x) for x up to 1 (infinite beyond,
/// but for polynomials). Errors up to 4 units in float32 and 16 in float64.
Array hyp1f1(const Operand& a, const Operand& b, const Operand& x);
Array hyp2f1(const Operand& a, const Operand& b, const Operand& c, const Operand& x);
/// Bessel functions J_0 ... J_v of z, stacked along a new dim 0. n_iter, JAX's number of steps, is larger than v
/// (else ValueError) and changes nothing. Errors up to 4 units in float32 and 5 in float64 for |z| up to 24, beside the
/// zeros too.
Array bessel_jn(const In& z, int v, int n_iter = 50);
/// Spherical harmonics (complex) of degree n >= 0 and order m (integers), at the polar angle theta and the azimuth phi,
/// which broadcast. n_max is the largest n; where n is not known while recording it must be given. ValueError if not.
/// Errors of each part up to 4 units in float32 and 16 in float64 for n up to 12, beside the zeros too.
Array sph_harm_y(const Operand& n, const Operand& m, const Operand& theta, const Operand& phi, int n_max = -1);
/// Bernoulli's numbers B_0 ... B_n, with B_1 = -1/2.
Array bernoulli(int n);
using nn::log_softmax;
using nn::logsumexp;
using nn::softmax;
using tutti::xlog1py;
using tutti::xlogy;

}  // namespace tutti::special

/// The normal distribution with mean `loc` and deviation `scale`.
namespace tutti::stats::norm {

Array logpdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array pdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array logcdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
Array cdf(const Operand& x, const Operand& loc = 0.f, const Operand& scale = 1.f);
/// The inverse of cdf.
Array ppf(const Operand& q, const Operand& loc = 0.f, const Operand& scale = 1.f);

}  // namespace tutti::stats::norm

// SPDX-License-Identifier: Apache-2.0
