// Incomplete gamma and beta functions, the Hurwitz zeta function and scaled Bessel functions, in double.
#pragma once

namespace tutti::lane {

/// P(a, x), the regularised lower incomplete gamma function, and 1 - P. NaN for a <= 0 or x < 0.
double igamma(double a, double x);
double igammac(double a, double x);
/// dP / da.
double igamma_grad_a(double a, double x);
/// dx / da of a gamma variate x: -(dP / da) / (dP / dx).
double random_gamma_grad(double a, double x);
/// I_x(a, b), the regularised incomplete beta function.
double betainc(double a, double b, double x);
/// sum of (q + n)^-x, n from 0.
double zeta(double x, double q);
/// exp(-|x|) I_0(x) and exp(-|x|) I_1(x).
double bessel_i0e(double x);
double bessel_i1e(double x);

}  // namespace tutti::lane
