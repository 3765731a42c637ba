// Functions made of the gamma function where lane/kernels does not compute them: at the edges of their domains and
// beyond, where they would take too long, and where doubles have too few digits.
#pragma once

namespace tutti::lane {

/// P(a, x), the regularised lower incomplete gamma function, and 1 - P, for a > 1e6, and where a or x is 0, infinite or
/// outside: NaN for a < 0 or x < 0.
double igamma(double a, double x);
double igammac(double a, double x);
/// dP / da there, and over -dP / dx.
double igamma_grad_a(double a, double x);
double random_gamma_grad(double a, double x);
/// I_x(a, b), the regularised incomplete beta function, where an operand is 0, infinite, 1 (x) or outside.
double betainc(double a, double b, double x);
/// 1 - I_y(b, a) for a b so small that I is next to 1, and y small beside 1 / a.
double betainc_of_small(double a, double b, double y);
/// sum of (q + n)^-x, n from 0, for any x and q.
double zeta(double x, double q);

// In long double, at any numbers:
/// Gamma(a) Gamma(b) / Gamma(a + b), and the logarithm of its size.
double beta(double a, double b);
double log_beta(double a, double b);
/// Gamma(z + m) / Gamma(z).
double poch(double z, double m);
/// x^(a - 1) exp(-x) / Gamma(a), x^(a - 1) (1 - x)^(b - 1) / B(a, b), or their logarithms; NaN where a or b is not
/// positive.
double gamma_density(double x, double a, bool logarithm);
double beta_density(double x, double a, double b, bool logarithm);
/// x^a exp(-x) / Gamma(a + 1) and x^a (1 - x)^b / B(a, b), of positive a, b, x and 1 - x, or their logarithms.
double gamma_factor(double a, double x, bool logarithm);
double beta_factor(double a, double b, double x, bool logarithm);
/// The density of Student's distribution, or its logarithm; NaN where df is not positive.
double t_density(double x, double df, bool logarithm);
/// Gamma(n + 1) / (Gamma(k + 1) Gamma(n - k + 1)) for 0 <= k <= n, else 0.
double binomial(double n, double k);

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
