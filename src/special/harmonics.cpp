// Functions by recurrences: Bessel's, spherical harmonics, Bernoulli's numbers. Source: jax.scipy.special.
#include <cmath>
#include <string>
#include <vector>

#include "special/approximation.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {
namespace {

// J_0 ... J_v of z != 0: from n_iter downwards, with the sum that they all have as their measure.
std::vector<Array> bessel_rows(const Array& z, int v, int n_iter) {
  const double large = z.dtype() == float64 ? 1e100 : 1e15;
  Array above = zeros_like(z), here = full_like(z, 1e-16), sum = zeros_like(z);
  std::vector<Array> rows;
  const Array step = 2 / z;
  for (int k = n_iter; k >= 0; --k) {
    Array next = (k + 1.) * step * here - above;
    // All may be scaled alike; so nothing overflows.
    const Array scale = where(abs(next) > large, 1 / large, 1);
    next = next * scale;
    above = here * scale;
    here = next;
    sum = sum * scale;
    for (Array& row : rows) row = row * scale;
    if (k <= v) rows.push_back(here);
    if (k % 2 == 0) sum = sum + (k == 0 ? 1. : 2.) * here;
  }
  for (Array& row : rows) row = row / sum;
  return {rows.rbegin(), rows.rend()};
}

// The Legendre function of degree n and order m >= 0, normalized for the sphere, of x and s = sqrt(1 - x^2), as the
// two rows before and at a degree, which goes up from m to n.
Array legendre(const Array& n, const Array& m, const Array& x, const Array& s, int n_max) {
  using Rows = std::pair<Array, Array>;
  auto diagonal = [&](const Array& k, const Array& p) { return where(k <= m, -sqrt(1 + 0.5 / k) * s * p, p); };
  auto upward = [&](const Array& l, const Rows& p) {
    const Array active = (l > m) & (l <= n), room = where(active, l * l - m * m, 1), back = l - 1;
    const Array here = sqrt((4 * l * l - 1) / room) * x * p.second;
    const Array before =
        where(active, maximum(back * back - m * m, 0), 1) * (2 * l + 1) / (maximum(2 * l - 3, 1) * room);
    const Array first = l == m + 1;
    const Array rest = where(first, 0, sqrt(where(first, 1, before)) * p.first);
    return Rows{where(active, p.second, p.first), where(active, here - rest, p.second)};
  };
  Array seed = full_like(x, 0.5 / std::sqrt(M_PI));
  constexpr int written = 16;  // degrees whose steps are written out, so that they are one loop over the elements
  auto degree = [&](const Array& i) { return (i + 1).astype(x.dtype()); };
  if (n_max <= written) {
    for (int k = 1; k <= n_max; ++k) seed = diagonal(full_like(x, k), seed);
    Rows p{zeros_like(seed), seed};
    for (int l = 1; l <= n_max; ++l) p = upward(full_like(x, l), p);
    return where(m > n, 0, p.second);
  }
  seed = lax::fori_loop(
      0, n_max, [&](const Array& i, const Array& p) { return diagonal(degree(i), p); }, seed);
  const Rows first{zeros_like(seed), seed};
  return where(m > n, 0,
               lax::fori_loop(
                   0, n_max, [&](const Array& i, const Rows& p) { return upward(degree(i), p); }, first)
                   .second);
}

Array harmonic(const std::vector<Array>& v, int n_max) {
  const Array &n = v[0], &order = v[1], m = abs(order), &theta = v[2], angle = m * v[3];
  const Array p = legendre(n, m, cos(theta), abs(sin(theta)), n_max);
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
  auto body = [](const Array& x, int orders, int steps) {
    // Where the steps would overflow two terms of the series are enough: (x/2)^k / k! (1 - (x/2)^2 / (k + 1)).
    const double edge = x.dtype() == float64 ? 1e-4 : 1e-2;
    const Array small = abs(x) < edge, half = 0.5 * where(small, x, 0);
    std::vector<Array> rows = bessel_rows(where(small, 1, x), orders, steps);
    Array first = ones_like(x);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double order = static_cast<double>(k);
      if (k > 0) first = first * half / order;
      rows[k] = where(small, first * (1 - square(half) / (order + 1)), rows[k]);
    }
    return stack(rows, 0);
  };
  const Array x = real_numbers("bessel_jn", z.array);
  return composite("bessel_jn", body, x.dtype().size() < 4 ? x.astype(float32) : x, v, n_iter).astype(x.dtype());
}

Array sph_harm_y(const Operand& n, const Operand& m, const Operand& theta, const Operand& phi, int n_max) {
  CallScope scope(n.loc);
  for (const Array* each : {&n.array, &m.array})
    if (!each->dtype().is_integer())
      raise<TypeError>("sph_harm_y", "a degree or order is " + type_text(*each), "They are integers.");
  if (n_max < 0) {
    if (n.array.is_traced())
      raise<ValueError>("sph_harm_y", "the largest degree is not known while recording", "Give n_max.");
    n_max = n.array.size() == 0 ? 0 : max(n.array).astype(int32).item<int>();
  }
  const DType dtype = inexact(result_type({theta.array, phi.array}));
  std::vector<Array> v;
  for (const Array& each : {n.array, m.array, theta.array, phi.array}) v.push_back(each.astype(dtype));
  return composite(
      "sph_harm_y", [](const std::vector<Array>& x, int most) { return harmonic(x, most); }, broadcast_arrays(v),
      n_max);
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
