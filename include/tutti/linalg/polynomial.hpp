// Polynomials by their coefficients, the highest power first. Source of names and meanings: jax.numpy.
#pragma once

#include <optional>
#include <utility>

#include "tutti/array/array.hpp"

namespace tutti {

/// The value at every element of x; coefficients p[n, ...] broadcast with x: polyval({1, 2, 3}, 2) is 11.
Array polyval(const In& p, const Operand& x);
/// Sum, difference, product, quotient and remainder, derivative of order m, antiderivative with constants k.
Array polyadd(const In& p, const In& q);
Array polysub(const In& p, const In& q);
Array polymul(const In& p, const In& q, bool trim_leading_zeros = false);
std::pair<Array, Array> polydiv(const In& p, const In& q, bool trim_leading_zeros = false);
Array polyder(const In& p, int m = 1);
Array polyint(const In& p, int m = 1, const Array& k = {});
/// The polynomial with these roots, or the characteristic polynomial of a square matrix.
Array poly(const In& roots);
/// Its roots, complex64, in no order; leading zeros leave with `strip_zeros`, which needs a concrete p.
Array roots(const In& p, bool strip_zeros = true);

struct PolyfitOptions {
  std::optional<double> rcond = {};  // singular values below that, of the largest, count as 0
  Array w = {};                      // weights of the residuals
};
struct Polyfit {
  Array p, residuals, rank, singular_values;
  double rcond = 0;
};
/// The coefficients p[deg + 1] of least squares through (x[i], y[i]); of y[n, k] those of each column.
Array polyfit(const In& x, const In& y, int deg, const PolyfitOptions& options = {});
Polyfit polyfit_full(const In& x, const In& y, int deg, const PolyfitOptions& options = {});
/// And their covariance; `scaled` by the residuals.
std::pair<Array, Array> polyfit_cov(const In& x, const In& y, int deg, const PolyfitOptions& options = {},
                                    bool scaled = true);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
