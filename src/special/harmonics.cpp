// Bessel's functions, spherical harmonics, Bernoulli's numbers. Source: jax.scipy.special.
#include <cmath>
#include <string>
#include <vector>

#include "special/approximation.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {
namespace {

Array harmonic(const std::vector<Array>& v) {
  const Array &n = v[0], &order = v[1], m = abs(order), angle = m * v[3];
  const Array p = lax::sphere_legendre(n, m, v[2]);
  // Of order -m it is (-1)^m times the conjugate.
  const Array below = order < 0, sign = where(below & (remainder(m, 2) != 0), -p, p);
  return lax::complex(sign * cos(angle), where(below, -sign, sign) * sin(angle));
}

}  // namespace

Array bessel_jn(const In& z, int v, int n_iter) {
  CallScope scope(z.loc);
  if (v < 0 || n_iter <= v)
    raise<ValueError>("bessel_jn", "orders to " + std::to_string(v) + " by " + std::to_string(n_iter) + " steps",
                      "The order is 0 or more, and n_iter larger than it.");
  auto body = [](const Array& x, int orders) {
    std::vector<Array> rows;
    for (int k = 0; k <= orders; ++k) rows.push_back(lax::bessel_j(full_like(x, k), x));
    return stack(rows, 0);
  };
  const Array x = real_numbers("bessel_jn", z.array);
  return composite("bessel_jn", body, x.dtype().size() < 4 ? x.astype(float32) : x, v).astype(x.dtype());
}

Array sph_harm_y(const Operand& n, const Operand& m, const Operand& theta, const Operand& phi, int n_max) {
  CallScope scope(n.loc);
  for (const Array* each : {&n.array, &m.array})
    if (!each->dtype().is_integer())
      raise<TypeError>("sph_harm_y", "a degree or order is " + type_text(*each), "They are integers.");
  if (n_max < 0 && n.array.is_traced())
    raise<ValueError>("sph_harm_y", "the largest degree is not known while recording", "Give n_max.");
  const DType dtype = inexact(result_type({theta.array, phi.array}));
  std::vector<Array> v;
  for (const Array& each : {n.array, m.array, theta.array, phi.array}) v.push_back(each.astype(dtype));
  return composite(
      "sph_harm_y", [](const std::vector<Array>& x) { return harmonic(x); }, broadcast_arrays(v));
}

Array bernoulli(int n) {
  CallScope scope(Loc::current());
  if (n < 0) raise<ValueError>("bernoulli", "n is " + std::to_string(n), "Give 0 or more.");
  // B_m = -2 (-1)^(m/2) m! / (2 pi)^m zeta(m) for even m.
  std::vector<double> b(static_cast<std::size_t>(n) + 1, 0);
  b[0] = 1;
  if (n >= 1) b[1] = -0.5;
  for (int m = 2; m <= n; m += 2) {
    const double known[] = {1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6};
    if (m <= 14) {
      b[static_cast<std::size_t>(m)] = known[m / 2 - 1];
      continue;
    }
    long double zeta = 1, size = 2;
    for (int k = 2; k < 20; ++k) zeta += std::pow(static_cast<long double>(k), -m);
    for (int k = 1; k <= m; ++k) size *= k / (2 * 3.141592653589793238462643383279502884L);
    b[static_cast<std::size_t>(m)] = static_cast<double>((m % 4 == 0 ? -size : size) * zeta);
  }
  return array(b).astype(canonical(float64));
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
