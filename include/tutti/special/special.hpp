// Special functions, elementwise with promotion: floats stay, integers become float32. Names and meanings:
// jax.scipy.special, jax.scipy.stats.norm.
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
/// log |Gamma(x)| and its derivatives.
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
/// Hurwitz' zeta function, the sum of (q + n)^-x; without q Riemann's.
Array zeta(const Operand& x, const Operand& q = 1.f);
/// Modified Bessel functions, and those times exp(-|x|).
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
