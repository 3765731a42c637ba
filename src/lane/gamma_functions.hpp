// The incomplete gamma and beta functions and the Hurwitz zeta function where lane/kernels does not compute them: at
// the edges of their domains and beyond, and where they would take too long.
#pragma once

namespace tutti::lane {

/// P(a, x), the regularised lower incomplete gamma function, and 1 - P, for a > 1e6, and where a or x is 0, infinite or
/// outside: NaN for a < 0 or x < 0.
double igamma(double a, double x);
double igammac(double a, double x);
/// dP / da there, where that is small: 0.
double igamma_grad_a(double a, double x);
/// I_x(a, b), the regularised incomplete beta function, where an operand is 0, infinite, 1 (x) or outside.
double betainc(double a, double b, double x);
/// sum of (q + n)^-x, n from 0, for any x and q.
double zeta(double x, double q);

}  // namespace tutti::lane
