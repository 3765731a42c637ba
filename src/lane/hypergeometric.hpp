// Hypergeometric functions of real numbers, one at a time. Sources: DLMF 13.2, 13.7, 15.4, 15.8; J. Pearson et al.,
// Numerical methods for the computation of the confluent and Gauss hypergeometric functions,
// doi.org/10.48550/arXiv.1407.7786.
#pragma once

namespace tutti::lane {

/// M(a, b, x) to a relative error of `within` or, where the function is sensitive, as well as 34 digits go.
double hyp1f1(double a, double b, double x, double within);
/// F(a, b, c, x), infinite for x > 1 unless it is a polynomial.
double hyp2f1(double a, double b, double c, double x, double within);
/// Derivatives by the k-th parameter (not by x).
double hyp1f1_slope(int k, double a, double b, double x);
double hyp2f1_slope(int k, double a, double b, double c, double x);

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
